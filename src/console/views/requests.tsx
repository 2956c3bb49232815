import type { LoggedRequest } from '../../operator-api/rows/requests.ts'
import { useWorld } from '../console-context.ts'
import { SelectFilter, SwitchFilter, TextFilter, useFilter } from '../kit/field.tsx'
import { ListView } from '../kit/list-view.tsx'
import { StatusBadge } from '../kit/state-badge.tsx'
import type { TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { useQuery } from '../live/use-query.ts'
import { Link, useAddress } from '../router/link.tsx'

const idOf = (request: LoggedRequest) => request.request_id

/** The log of all calls, live. */
export function RequestsView() {
  const address = useAddress()
  const filters = useRequestFilters()
  const columns: readonly TableColumn<LoggedRequest>[] = [
    { head: 'Request', cell: (call) => <Link to={address('requests', call.request_id)}>{call.request_id}</Link> },
    { head: 'At', isExtra: true, cell: (call) => <Instant at={call.world_time} real={call.at} /> },
    { head: 'Status', cell: (call) => <StatusBadge status={call.status} /> },
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

/** Why a call was refused, or what a proxy noticed, in one line; the code of a call that has no sentence. */
export function Reason({ call: { reason, findings, code } }: { call: LoggedRequest }) {
  const said = reason ?? findings?.[0] ?? code
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

const STATUSES = ['2xx', '4xx', '400', '401', '403', '404', '409', '429', '5xx'] as const

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

function useRequestFilters() {
  const [q] = useFilter('q')
  const [status] = useFilter('status')
  const [endpoint] = useFilter('endpoint')
  const [credential] = useFilter('credential')
  const [refused] = useFilter('refused')
  const [authentication] = useFilter('authentication')
  return {
    ...(refused === 'true' && { refused: 'true' as const }),
    ...(authentication === 'true' && { authentication: 'true' as const }),
    ...(status && { status }),
    ...(endpoint && { endpoint: endpoint as LoggedRequest['endpoint'] & string }),
    ...(credential && { credential }),
    ...(q && { q }),
  }
}
