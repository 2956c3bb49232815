import type { LoggedRequest } from '../../../operator-api/rows/requests.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { SelectFilter, SwitchFilter, TextFilter, useFilter } from '../../kit/field.tsx'
import { StatusBadge } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'

const idOf = (request: LoggedRequest) => request.request_id

/** The log of all calls, live. */
export function RequestsView() {
  const { world } = useWorld()
  const address = useAddress()
  const filters = useRequestFilters()
  const list = useList('requests.list', { input: filters, idOf, live: ['request'] })
  const columns: readonly Column<LoggedRequest>[] = [
    { head: 'Request', cell: (call) => <Link to={address('requests', call.request_id)}>{call.request_id}</Link> },
    { head: 'Status', cell: (call) => <StatusBadge status={call.status} /> },
    { head: 'Call', cell: (call) => <CallText call={call} /> },
    { head: 'Code', cell: (call) => call.code },
    { head: 'Credential', isExtra: true, cell: (call) => call.credential ?? <span class="soft">unknown</span> },
    { head: 'ms', isNumber: true, isExtra: true, cell: (call) => call.took_ms.toFixed(1) },
    { head: 'At', isExtra: true, cell: (call) => <Instant at={call.at} by="machine" /> },
  ]
  return (
    <>
      <ViewHead title="Requests">
        <CopyAsCommand of={asked('requests.list', { w: world }, filters)} />
      </ViewHead>
      <Filters />
      <LiveTable name="Requests" list={list} columns={columns} idOf={idOf} empty={<NoRequests />} />
    </>
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
    <div class="filters">
      <TextFilter name="q" label="Search" placeholder="target, header, body, answer" />
      <SelectFilter name="status" label="Status" values={STATUSES.map((status) => [status, status])} />
      <SelectFilter name="endpoint" label="Endpoint" values={endpoints ?? []} />
      <SelectFilter
        name="credential"
        label="Credential"
        values={credentials.data?.credentials.map(({ name }) => [name, name] as const) ?? []}
      />
      <SwitchFilter name="refused" label="Refused only" />
    </div>
  )
}

function useRequestFilters() {
  const [q] = useFilter('q')
  const [status] = useFilter('status')
  const [endpoint] = useFilter('endpoint')
  const [credential] = useFilter('credential')
  const [refused] = useFilter('refused')
  return {
    ...(refused === 'true' && { refused: 'true' as const }),
    ...(status && { status }),
    ...(endpoint && { endpoint: endpoint as LoggedRequest['endpoint'] & string }),
    ...(credential && { credential }),
    ...(q && { q }),
  }
}

function NoRequests() {
  return (
    <Empty title="No calls here">
      <p>Each call of a partner appears here as it is made, with the reason if it was refused.</p>
    </Empty>
  )
}
