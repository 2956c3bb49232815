import { useState } from 'preact/hooks'
import type { BodyOf } from '../../../operator-api/operations.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { Select, TextField } from '../../kit/field.tsx'
import { useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'

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

/** "When *orders.create* is called by *anyone* for *any domain*, *drop the connection after commit*, *once*." */
export function FaultForm({ reload }: { reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const about = useQuery('sandbox.show', {})
  const callers = useQuery('credentials.list', { w: world }, { live: ['act'] })
  const [endpoint, setEndpoint] = useState('orders.create')
  const [credential, setCredential] = useState('')
  const [domain, setDomain] = useState('')
  const [kind, setKind] = useState('drop-after')
  const [times, setTimes] = useState('1')
  const fault: BodyOf<'faults.add'> = {
    match: {
      ...(endpoint && { endpoint }),
      ...(credential && { credential }),
      ...(domain.trim() && { domain: domain.trim() }),
    },
    effect: EFFECTS[kind]?.[1] ?? {},
    times: times === '' ? null : Number(times),
  }
  const endpoints = about.data?.partner_endpoints.map(({ id }) => id) ?? ['orders.create']
  const names = callers.data?.credentials.map(({ name }) => name) ?? []
  const add = () => act((call) => call('faults.add', { w: world }, fault), 'Fault added', reload)
  return (
    <Panel title="Add a fault" actions={<CopyAsCommand of={asked('faults.add', { w: world }, fault)} />}>
      <div class="sentence-form">
        <Select
          label="When"
          value={endpoint}
          options={[['', 'any endpoint'], ...endpoints.map((id) => [id, id] as const)]}
          onChange={setEndpoint}
        />
        <Select
          label="is called by"
          value={credential}
          options={[['', 'anyone'], ...names.map((name) => [name, name] as const)]}
          onChange={setCredential}
        />
        <TextField label="for the domain" value={domain} onInput={setDomain} placeholder="any domain" />
        <Select
          label="then"
          value={kind}
          options={Object.entries(EFFECTS).map(([id, [words]]) => [id, words])}
          onChange={setKind}
        />
        <Select label="how often" value={times} options={TIMES} onChange={setTimes} />
        <Button kind="main" isBusy={isBusy} onClick={add}>
          Add fault
        </Button>
      </div>
    </Panel>
  )
}
