import { Panel } from '../../kit/facts.tsx'
import { StateBadge, toneOf } from '../../kit/state-badge.tsx'
import { Link, useAddress } from '../../router/link.tsx'

const STATES = ['delivered', 'pending', 'failed', 'dropped'] as const
const WIDTH = 400

/** How the deliveries of webhooks went, as a bar and in numbers. */
export function DeliveriesPanel({ counts }: { counts: Readonly<Record<string, number>> }) {
  const address = useAddress()
  const total = STATES.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  if (total === 0) {
    return (
      <Panel title="Deliveries">
        <p class="soft">No webhook was sent. A partner registers a receiver with PUT /webhooks.</p>
      </Panel>
    )
  }
  return (
    <Panel title="Deliveries" actions={<strong>{total.toLocaleString('en-US')}</strong>}>
      <Bar counts={counts} total={total} />
      <ul class="legend">
        {STATES.map((state) => (
          <li key={state}>
            <Link to={`${address('deliveries')}?state=${state}`}>
              <StateBadge state={state} />
            </Link>
            <span>{(counts[state] ?? 0).toLocaleString('en-US')}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Bar({ counts, total }: { counts: Readonly<Record<string, number>>; total: number }) {
  let x = 0
  const parts = STATES.map((state) => {
    const width = ((counts[state] ?? 0) / total) * WIDTH
    x += width
    return <rect key={state} class={toneOf(state)} x={x - width} width={width} height="10" />
  })
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      {parts}
    </svg>
  )
}
