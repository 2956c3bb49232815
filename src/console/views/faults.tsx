import { useState } from 'preact/hooks'
import type { BodyOf } from '../../operator-api/operations.ts'
import type { Fault } from '../../operator-api/rows/faults.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Panel, ViewHead } from '../kit/facts.tsx'
import { Select, TextField } from '../kit/field.tsx'
import { Empty, Unanswered } from '../kit/states.tsx'
import { Table, type TableColumn } from '../kit/table.tsx'
import { useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'

/** Rules by which calls go wrong on purpose, and how often each was applied. */
export function FaultsView() {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const faults = useQuery('faults.list', { w: world }, { live: ['request', 'act'] })
  const clear = () => act((call) => call('faults.clear', { w: world }), 'All faults removed', faults.reload)
  const isEmpty = faults.data?.faults.length === 0
  const [draft, setDraft] = useState(FIRST_DRAFT)
  return (
    <>
      <ViewHead title="Faults">
        <Button isBusy={isBusy} disabledBecause={isEmpty ? 'There are none.' : undefined} onClick={clear}>
          Remove all
        </Button>
        <CopyMenu
          of={asked('faults.list', { w: world })}
          acts={[['add this fault', asked('faults.add', { w: world }, faultOf(draft))]]}
        />
      </ViewHead>
      <FaultForm draft={draft} onChange={setDraft} reload={faults.reload} />
      {faults.data === undefined ? (
        <Unanswered error={faults.error} rows={3} />
      ) : (
        <FaultTable faults={faults.data.faults} reload={faults.reload} />
      )}
    </>
  )
}

function FaultTable({ faults, reload }: { faults: readonly Fault[]; reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  if (faults.length === 0) {
    return (
      <Empty title="No faults: every call is served as the API document says">
        <p>Add one above, then call the API; its hits are counted here while it happens.</p>
      </Empty>
    )
  }
  const remove = (id: string) => act((call) => call('faults.remove', { w: world, id }), 'Fault removed', reload)
  const columns: readonly TableColumn<Fault>[] = [
    { head: 'When', cell: ({ match }) => matchWords(match) },
    { head: 'Then', cell: ({ effect }) => effectWords(effect) },
    { head: 'How often', cell: (fault) => timesWords(fault) },
    { head: 'Hits', isNumber: true, cell: ({ hits }) => hits },
    { head: 'Left', isNumber: true, isExtra: true, cell: ({ left }) => left ?? 'no end' },
    { head: 'Last call', isExtra: true, cell: ({ last_request_id: id }) => <IdLink id={id} section="requests" /> },
    {
      head: 'Action',
      cell: ({ id, match }) => (
        <Button kind="quiet" isBusy={isBusy} name={`Remove: ${matchWords(match)}`} onClick={() => remove(id)}>
          Remove
        </Button>
      ),
    },
  ]
  return (
    <div class="plain-table">
      <Table name="Faults" rows={faults} columns={columns} idOf={({ id }) => id} />
    </div>
  )
}

/** @example matchWords(match) // 'orders.create is called by main for a.test' */
function matchWords({ endpoint, credential, key_id, domain, public_id }: Fault['match']): string {
  const by = credential ?? key_id
  const about = domain ?? public_id
  return `${endpoint ?? 'any endpoint'} is called by ${by ?? 'anyone'}${about === null ? '' : ` for ${about}`}`
}

const DROPS = {
  'before-commit': 'drop the connection before anything is written',
  'after-commit': 'drop the connection after commit',
} as const

/** What it does, as a clause. */
function effectWords(effect: Fault['effect']): string {
  const { drop, delay_ms: delayMs, garbage, retry_after: retryAfter, retry_after_seconds: seconds } = effect
  if (drop !== undefined) return DROPS[drop]
  if (delayMs !== undefined) return `delay the answer by ${delayMs / 1_000} s`
  if (garbage !== undefined) return `answer garbage${typeof garbage === 'string' ? ` (${garbage})` : ''}`
  const wait = retryAfter ?? seconds
  const refusal = [effect.status, effect.code].filter((part) => part !== undefined).join(' ')
  return `answer ${refusal || 'an error'}${wait === undefined ? '' : `, Retry-After ${wait} s`}`
}

function timesWords({ times, probability, seed }: Pick<Fault, 'times' | 'probability' | 'seed'>): string {
  const count = times === null ? 'every time' : times === 1 ? 'once' : `${times} times`
  return probability === 1 ? count : `${count}, with ${probability * 100} % chance (seed ${seed ?? 'none'})`
}

type Effect = BodyOf<'faults.add'>['effect']

/** What can go wrong, as the end of the sentence. */
const EFFECTS: Readonly<Record<string, readonly [words: string, effect: Effect]>> = {
  'drop-after': ['drop the connection after commit', { drop: 'after-commit' }],
  'drop-before': ['drop the connection before commit', { drop: 'before-commit' }],
  'error-500': ['answer 500', { status: 500 }],
  'error-503': ['answer 503', { status: 503 }],
  'rate-limit': ['answer 429, Retry-After 1 s', { status: 429, retry_after: 1 }],
  'delay-2': ['delay the answer by 2 s', { delay_ms: 2_000 }],
  'delay-10': ['delay the answer by 10 s', { delay_ms: 10_000 }],
  truncated: ['answer half of the JSON', { garbage: 'truncated' }],
  html: ['answer an HTML page', { garbage: 'html' }],
  empty: ['answer an empty body', { garbage: 'empty' }],
}

const TIMES: readonly (readonly [value: string, words: string])[] = [
  ['1', 'once'],
  ['2', 'twice'],
  ['3', 'three times'],
  ['10', 'ten times'],
  ['', 'every time'],
]

/** What the form says. */
interface FaultDraft {
  readonly endpoint: string
  readonly credential: string
  readonly domain: string
  readonly kind: string
  readonly times: string
}

const FIRST_DRAFT: FaultDraft = {
  endpoint: 'orders.create',
  credential: '',
  domain: '',
  kind: 'drop-after',
  times: '1',
}

function faultOf({ endpoint, credential, domain, kind, times }: FaultDraft): BodyOf<'faults.add'> {
  return {
    match: {
      ...(endpoint && { endpoint }),
      ...(credential && { credential }),
      ...(domain.trim() && { domain: domain.trim() }),
    },
    effect: EFFECTS[kind]?.[1] ?? {},
    times: times === '' ? null : Number(times),
  }
}

interface FaultFormProps {
  draft: FaultDraft
  onChange: (draft: FaultDraft) => void
  reload: () => void
}

/** "When *orders.create* is called by *anyone* for *any domain*, *drop the connection after commit*, *once*." */
function FaultForm({ draft, onChange, reload }: FaultFormProps) {
  const { world } = useWorld()
  const { isBusy, act } = useAct({ 'match.domain': 'for the domain' })
  const about = useQuery('sandbox.show', {})
  const callers = useQuery('credentials.list', { w: world }, { live: ['act'] })
  const endpoints = about.data?.partner_endpoints.map(({ id }) => id) ?? ['orders.create']
  const names = callers.data?.credentials.map(({ name }) => name) ?? []
  const add = () => act((call) => call('faults.add', { w: world }, faultOf(draft)), 'Fault added', reload)
  const set = (member: keyof FaultDraft) => (value: string) => onChange({ ...draft, [member]: value })
  return (
    <Panel title="Add a fault">
      <div class="sentence-form">
        <Select
          label="When"
          value={draft.endpoint}
          options={[['', 'any endpoint'], ...endpoints.map((id) => [id, id] as const)]}
          onChange={set('endpoint')}
        />
        <Select
          label="is called by"
          value={draft.credential}
          options={[['', 'anyone'], ...names.map((name) => [name, name] as const)]}
          onChange={set('credential')}
        />
        <TextField label="for the domain" value={draft.domain} onInput={set('domain')} placeholder="any domain" />
        <Select
          label="then"
          value={draft.kind}
          options={Object.entries(EFFECTS).map(([id, [words]]) => [id, words])}
          onChange={set('kind')}
        />
        <Select label="how often" value={draft.times} options={TIMES} onChange={set('times')} />
        <Button kind="main" isBusy={isBusy} onClick={add}>
          Add fault
        </Button>
      </div>
    </Panel>
  )
}
