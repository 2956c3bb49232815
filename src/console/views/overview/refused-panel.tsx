import type { LoggedRequest } from '../../../operator-api/rows/requests.ts'
import { useWorld } from '../../console-context.ts'
import { Panel } from '../../kit/facts.tsx'
import { StatusBadge } from '../../kit/state-badge.tsx'
import { SkeletonRows } from '../../kit/states.tsx'
import { Instant } from '../../kit/time.tsx'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { CallText } from '../requests/list.tsx'

const SHOWN = 4

/** The latest calls that were refused, each with the reason in a sentence. */
export function RefusedPanel({ count }: { count: number }) {
  const { world } = useWorld()
  const address = useAddress()
  const input = { refused: 'true', limit: SHOWN } as const
  const { data } = useQuery('requests.list', { w: world }, { input, live: ['request'] })
  const all = count > SHOWN && <Link to={`${address('requests')}?refused=true`}>All {count}</Link>
  return (
    <Panel title="Refused calls" actions={all}>
      {data === undefined && <SkeletonRows rows={3} />}
      {data?.requests.length === 0 && <p class="soft">No call was refused.</p>}
      <ul class="refused">
        {data?.requests.map((call) => (
          <Refused key={call.request_id} call={call} />
        ))}
      </ul>
    </Panel>
  )
}

function Refused({ call }: { call: LoggedRequest }) {
  const { world } = useWorld()
  const address = useAddress()
  const { data } = useQuery('requests.show', { w: world, request_id: call.request_id })
  return (
    <li>
      <div class="due-line">
        <StatusBadge status={call.status} />
        <Link to={address('requests', call.request_id)}>
          <CallText call={call} />
        </Link>
        <Instant at={call.at} by="machine" />
      </div>
      <p>{data === undefined ? '…' : (data.diagnosis?.sentence ?? call.code)}</p>
    </li>
  )
}
