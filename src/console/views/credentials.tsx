import { useState } from 'preact/hooks'
import { SCOPES } from '../../contract/scopes.ts'
import type { WrittenCredential } from '../../operator-api/rows/credentials.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyAsCommand, CopyButton, Secret } from '../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { Switch, TextField } from '../kit/field.tsx'
import { StateBadge } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { type Call, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'

/** Who may call this world. A secret is shown where it is made, and never again. */
export function CredentialsView() {
  const { world } = useWorld()
  const list = useQuery('credentials.list', { w: world }, { live: ['act'] })
  const [fresh, setFresh] = useState<WrittenCredential | null>(null)
  return (
    <>
      <ViewHead title="Credentials">
        <CopyAsCommand of={asked('credentials.list', { w: world })} />
      </ViewHead>
      {fresh !== null && <FreshSecret credential={fresh} />}
      <NewCredential onMade={setFresh} reload={list.reload} />
      {list.data === undefined ? (
        <Unanswered error={list.error} />
      ) : (
        list.data.credentials.map((credential) => (
          <CredentialPanel key={credential.key_id} credential={credential} onRotated={setFresh} reload={list.reload} />
        ))
      )}
    </>
  )
}

function FreshSecret({ credential: { name, key_id: keyId, secret = '' } }: { credential: WrittenCredential }) {
  return (
    <Panel title={`Secret of ${name}`}>
      <p>No other answer shows it: copy it now.</p>
      <Facts
        rows={[
          ['Key id', <CopyButton text={keyId}>{keyId}</CopyButton>],
          ['Secret', <Secret text={secret} />],
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
  const { isBusy, act } = useAct()
  const [name, setName] = useState('')
  const make = async (call: Call) =>
    onMade(await call('credentials.create', { w: world }, { name, scopes: [...SCOPES] }))
  return (
    <Panel title="New credential">
      <div class="filters">
        <TextField label="Name" value={name} onInput={setName} placeholder="shop" />
        <Button
          kind="main"
          isBusy={isBusy}
          disabledBecause={name.trim() === '' ? 'Give it a name.' : undefined}
          onClick={() => act(make, 'Credential created', reload)}
        >
          Create credential
        </Button>
      </div>
      <p class="soft">It gets all scopes; switch off below what it should not have.</p>
    </Panel>
  )
}

interface CredentialProps {
  credential: WrittenCredential
  onRotated: (credential: WrittenCredential) => void
  reload: () => void
}

function CredentialPanel({ credential, onRotated, reload }: CredentialProps) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const at = { w: world, key_id: credential.key_id }
  const set = (changed: Partial<Pick<WrittenCredential, 'affiliate' | 'merchant_of_record' | 'revoked'>>) =>
    act((call) => call('credentials.set', at, changed), `${credential.name} changed`, reload)
  const setScope = (scope: (typeof SCOPES)[number], isOn: boolean) => {
    const scopes = SCOPES.filter((known) => (known === scope ? isOn : credential.scopes.includes(known)))
    act((call) => call('credentials.set', at, { scopes }), `${credential.name} changed`, reload)
  }
  const rotate = async (call: Call) => onRotated(await call('credentials.rotate', at, {}))
  const isRevoked = credential.revoked === true
  const actions = (
    <div class="buttons">
      <Button
        isBusy={isBusy}
        name={`New secret for ${credential.name}`}
        onClick={() => act(rotate, 'New secret', reload)}
      >
        New secret
      </Button>
      <Button
        isBusy={isBusy}
        name={`${isRevoked ? 'Restore' : 'Revoke'} ${credential.name}`}
        onClick={() => set({ revoked: !isRevoked })}
      >
        {isRevoked ? 'Restore' : 'Revoke'}
      </Button>
    </div>
  )
  return (
    <Panel title={credential.name} actions={actions}>
      <p>
        {isRevoked ? <StateBadge state="revoked" tone="bad" /> : <StateBadge state="active" tone="good" />}{' '}
        <CopyButton text={credential.key_id}>{credential.key_id}</CopyButton>{' '}
        <span class="soft">{credential.partner_id}</span>
      </p>
      <fieldset class="switches">
        <legend>Scopes of {credential.name}</legend>
        {SCOPES.map((scope) => (
          <Switch
            key={scope}
            label={scope}
            isOn={credential.scopes.includes(scope)}
            onChange={(isOn) => setScope(scope, isOn)}
          />
        ))}
      </fieldset>
      <fieldset class="switches">
        <legend>Partner account of {credential.name}</legend>
        <Switch label="affiliate" isOn={credential.affiliate} onChange={(affiliate) => set({ affiliate })} />
        <Switch
          label="merchant of record"
          isOn={credential.merchant_of_record}
          onChange={(isOn) => set({ merchant_of_record: isOn })}
        />
      </fieldset>
    </Panel>
  )
}
