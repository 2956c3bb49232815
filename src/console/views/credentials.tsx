import { useState } from 'preact/hooks'
import { SCOPES } from '../../contract/scopes.ts'
import type { WrittenCredential } from '../../operator-api/rows/credentials.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton, Secret } from '../kit/copy.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { Switch, TextField, TextFilter, useFilter } from '../kit/field.tsx'
import { NoRows, RowCount } from '../kit/list-view.tsx'
import { StateBadge } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { Table, type TableColumn } from '../kit/table.tsx'
import { type CallOperator, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { Link, useAddress } from '../router/link.tsx'

/** Who may call this world: a table, and beside it the one that is chosen. */
export function CredentialsView() {
  const { world } = useWorld()
  const list = useQuery('credentials.list', { w: world }, { live: ['act'] })
  const [fresh, setFresh] = useState<WrittenCredential | null>(null)
  const [chosen] = useFilter('key')
  const credentials = list.data?.credentials
  const [q] = useFilter('q')
  const rows = credentials?.filter((credential) => textOf(credential).includes(q.toLowerCase()))
  const open = credentials?.find(({ key_id: keyId }) => keyId === chosen)
  return (
    <>
      <ViewHead title="Credentials" note={<RowCount list={{ rows, hasMore: false }} noun="credential" />}>
        <CopyMenu of={asked('credentials.list', { w: world })} />
      </ViewHead>
      {fresh !== null && <FreshSecret credential={fresh} />}
      {rows === undefined ? (
        <Unanswered error={list.error} />
      ) : (
        <div class={open ? 'columns beside' : ''}>
          <CredentialTable rows={rows} />
          {open && <CredentialPanel key={open.key_id} credential={open} onRotated={setFresh} reload={list.reload} />}
        </div>
      )}
      <NewCredential onMade={setFresh} reload={list.reload} />
    </>
  )
}

function CredentialTable({ rows }: { rows: readonly WrittenCredential[] }) {
  const address = useAddress()
  const columns: readonly TableColumn<WrittenCredential>[] = [
    {
      head: 'Credential',
      cell: ({ name, key_id: keyId }) => (
        <Link to={`${address('credentials')}?key=${encodeURIComponent(keyId)}`}>{name}</Link>
      ),
    },
    { head: 'State', cell: (credential) => <CredentialBadge credential={credential} /> },
    { head: 'Key id', cell: ({ key_id: keyId }) => <code>{keyId}</code> },
    { head: 'Scopes', isText: true, cell: ({ scopes }) => scopesText(scopes) },
    { head: 'Partner', isExtra: true, cell: (credential) => <code>{credential.partner_id}</code> },
    { head: 'Account', isExtra: true, isText: true, cell: accountText },
  ]
  return (
    <div>
      <div class="filters">
        <TextFilter name="q" label="Search" placeholder="Name, key id or scope" />
      </div>
      <div class="plain-table">
        {rows.length === 0 ? (
          <NoRows noun="credential" empty={['No credentials here', 'Create one below.']} />
        ) : (
          <Table name="Credentials" rows={rows} columns={columns} idOf={({ key_id: keyId }) => keyId} />
        )}
      </div>
    </div>
  )
}

function textOf({ name, key_id: keyId, partner_id: partner, scopes }: WrittenCredential): string {
  return [name, keyId, partner, ...scopes].join(' ').toLowerCase()
}

function scopesText(scopes: readonly string[]): string {
  if (scopes.length === SCOPES.length) return `all ${SCOPES.length}`
  return scopes.join(', ') || 'none'
}

function accountText({ affiliate, merchant_of_record: isMerchant }: WrittenCredential): string {
  return [affiliate && 'affiliate', isMerchant && 'merchant of record'].filter(Boolean).join(', ') || '—'
}

function CredentialBadge({ credential: { revoked } }: { credential: WrittenCredential }) {
  return revoked === true ? <StateBadge state="revoked" tone="bad" /> : <StateBadge state="active" tone="good" />
}

/** A secret is shown where it is made, and never again. */
function FreshSecret({ credential: { name, key_id: keyId, secret = '' } }: { credential: WrittenCredential }) {
  return (
    <Panel title={`Secret of ${name}`}>
      <p>This secret is shown only once: copy it now.</p>
      <Facts
        rows={[
          ['Key id', <CopyButton text={keyId}>{keyId}</CopyButton>],
          ['Secret', <Secret text={secret} name={name} />],
        ]}
      />
    </Panel>
  )
}

interface NewProps {
  onMade: (credential: WrittenCredential) => void
  reload: () => void
}

function NewCredential({ onMade, reload }: NewProps) {
  const { world } = useWorld()
  const { isBusy, act } = useAct({ name: 'Name' })
  const [name, setName] = useState('')
  const make = async (call: CallOperator) =>
    onMade(await call('credentials.create', { w: world }, { name, scopes: [...SCOPES] }))
  return (
    <Panel title="New credential">
      <div class="filters">
        <TextField label="Name" value={name} onInput={setName} placeholder="shop" />
        <Button
          kind="main"
          isBusy={isBusy}
          disabledBecause={name.trim() === '' ? 'Give it a name.' : undefined}
          onClick={() => act(make, `${name.trim()} created`, reload)}
        >
          Create credential
        </Button>
      </div>
      <p class="soft">It gets all scopes. Open it in the table to switch scopes off.</p>
    </Panel>
  )
}

interface CredentialProps {
  credential: WrittenCredential
  onRotated: (credential: WrittenCredential) => void
  reload: () => void
}

/** What one credential may do, and what can be done with it. */
function CredentialPanel({ credential, onRotated, reload }: CredentialProps) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const { name, scopes } = credential
  const at = { w: world, key_id: credential.key_id }
  const set = (
    changed: Partial<Pick<WrittenCredential, 'affiliate' | 'merchant_of_record' | 'revoked'>>,
    done: string,
  ) => act((call) => call('credentials.set', at, changed), `${name} ${done}`, reload)
  const setScope = (scope: (typeof SCOPES)[number], isOn: boolean) => {
    const wanted = SCOPES.filter((known) => (known === scope ? isOn : scopes.includes(known)))
    const done = `${name} ${isOn ? 'has the scope' : 'no longer has the scope'} ${scope}`
    act((call) => call('credentials.set', at, { scopes: wanted }), done, reload)
  }
  const rotate = async (call: CallOperator) => onRotated(await call('credentials.rotate', at, {}))
  const isRevoked = credential.revoked === true
  return (
    <Panel title={name} actions={<CredentialBadge credential={credential} />}>
      <Facts
        rows={[
          ['Key id', <CopyButton text={credential.key_id}>{credential.key_id}</CopyButton>],
          ['Partner', <code>{credential.partner_id}</code>],
        ]}
      />
      <div class="buttons">
        <Button
          isBusy={isBusy}
          name={`New secret for ${name}`}
          onClick={() => act(rotate, `${name} has a new secret`, reload)}
        >
          New secret
        </Button>
        <Button
          isBusy={isBusy}
          name={`${isRevoked ? 'Restore' : 'Revoke'} ${name}`}
          onClick={() => set({ revoked: !isRevoked }, isRevoked ? 'restored' : 'revoked')}
        >
          {isRevoked ? 'Restore' : 'Revoke'}
        </Button>
      </div>
      <p class="soft">A new secret ends the present one at once.</p>
      <fieldset class="switches">
        <legend>Scopes</legend>
        {SCOPES.map((scope) => (
          <Switch key={scope} label={scope} isOn={scopes.includes(scope)} onChange={(isOn) => setScope(scope, isOn)} />
        ))}
      </fieldset>
      <fieldset class="switches">
        <legend>Partner account</legend>
        <Switch
          label="affiliate"
          isOn={credential.affiliate}
          onChange={(affiliate) => set({ affiliate }, affiliate ? 'is an affiliate' : 'is no longer an affiliate')}
        />
        <Switch
          label="merchant of record"
          isOn={credential.merchant_of_record}
          onChange={(isOn) =>
            set({ merchant_of_record: isOn }, isOn ? 'is merchant of record' : 'is no longer merchant of record')
          }
        />
      </fieldset>
    </Panel>
  )
}
