import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import { ERROR_CODES, ERRORS, MORE_EXACT } from '../../contract/errors.ts'
import type { LoggedRequest } from '../../operator-api/rows/requests.ts'
import { useWorld } from '../console-context.ts'
import { SelectFilter, SwitchFilter, TextFilter, useFilters } from '../kit/field.tsx'
import { ListView } from '../kit/list-view.tsx'
import { StatusBadge } from '../kit/state-badge.tsx'
import type { TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'

const idOf = (request: LoggedRequest) => request.request_id

/** The log of all calls, live. */
export function RequestsView() {
  const filters = useFilters({
    refused: ['true'],
    authentication: ['true'],
    status: 'any',
    endpoint: ENDPOINT_IDS,
    credential: 'any',
    q: 'any',
  })
  const columns: readonly TableColumn<LoggedRequest>[] = [
    { head: 'Request', cell: (call) => <IdLink id={call.request_id} section="requests" /> },
    { head: 'At', isExtra: true, cell: (call) => <Instant at={call.world_time} real={call.at} /> },
    { head: 'Status', cell: (call) => <CallStatus call={call} /> },
    { head: 'Call', cell: (call) => <CallText call={call} /> },
    { head: 'Reason', isText: true, cell: (call) => <Reason call={call} /> },
    { head: 'Credential', isExtra: true, cell: (call) => call.credential ?? <span class="soft">unknown</span> },
    { head: 'ms', isNumber: true, isExtra: true, cell: (call) => call.took_ms.toFixed(1) },
  ]
  return (
    <ListView
      title="Requests"
      id="requests.list"
      input={filters}
      live={['request']}
      name="Requests"
      columns={columns}
      idOf={idOf}
      noun="call"
      empty={['No calls here', 'Each call of a partner appears here as it is made, with the reason if it was refused.']}
    >
      <Filters />
    </ListView>
  )
}

/** The status that was logged, with a mark where it never reached the client. */
export function CallStatus({ call: { status, mishap } }: { call: LoggedRequest }) {
  return (
    <>
      <StatusBadge status={status} />
      {mishap === 'drop' && <span class="tag">dropped</span>}
    </>
  )
}

const MISHAPS: Readonly<Record<NonNullable<LoggedRequest['mishap']>, readonly [what: string, then: string | null]>> = {
  drop: ['Dropped', 'the client got no answer'],
  refuse: ['Refused', null],
  delay: ['Answered late', null],
  garbage: ['Answered with garbage', null],
}

/** What went wrong with a call on purpose. @example mishapWords(call) // 'Dropped on purpose by a fault: the client got no answer' */
export function mishapWords({ mishap, fault }: LoggedRequest): string | null {
  if (mishap === null) return null
  const [what, then] = MISHAPS[mishap]
  const by = fault === null ? 'a magic name' : 'a fault'
  return `${what} on purpose by ${by}${then === null ? '' : `: ${then}`}`
}

/** Why a call was refused, what went wrong with it on purpose, or what a proxy noticed, in one line; the code of a call that has no sentence. */
export function Reason({ call }: { call: LoggedRequest }) {
  const { reason, findings, code } = call
  const said = reason ?? mishapWords(call) ?? findings?.[0] ?? code
  return said === null ? null : (
    <span class="reason-line" title={code === null ? said : `${said} (${code})`}>
      {said}
    </span>
  )
}

/** Verb and target; the root that all targets have in common is left out. */
export function CallText({ call: { method, target } }: { call: Pick<LoggedRequest, 'method' | 'target'> }) {
  return (
    <code title={`${method} ${target}`}>
      {method} {target.replace(/^\/api\/partner\/v1(?=\/)/, '')}
    </code>
  )
}

/** The statuses of refusals that the API has, between the classes. */
const REFUSED = ERROR_CODES.flatMap((code) => [ERRORS[code].status ?? 400, ...(MORE_EXACT[code] ?? [])])
const EACH = [...new Set(REFUSED)].filter((status) => status < 500).sort((a, b) => a - b)
const STATUSES = ['2xx', '4xx', ...EACH.map(String), '5xx']

function Filters() {
  const { world } = useWorld()
  const about = useQuery('sandbox.show', {})
  const credentials = useQuery('credentials.list', { w: world })
  const endpoints = about.data?.partner_endpoints.map(({ id, method, path }) => [id, `${method} ${path}`] as const)
  return (
    <>
      <TextFilter name="q" label="Search" placeholder="Target, header or body" />
      <SelectFilter name="status" label="Status" values={STATUSES.map((status) => [status, status])} />
      <SelectFilter name="endpoint" label="Endpoint" values={endpoints ?? []} />
      <SelectFilter
        name="credential"
        label="Credential"
        values={credentials.data?.credentials.map(({ name }) => [name, name] as const) ?? []}
      />
      <SwitchFilter name="refused" label="Refused only" />
      <SwitchFilter name="authentication" label="Authentication" />
    </>
  )
}
