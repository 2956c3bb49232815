import { useWorld } from '../../console-context.ts'
import { Panel } from '../../kit/facts.tsx'
import { SkeletonRows } from '../../kit/states.tsx'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'

const RADIUS = 42
const AROUND = 2 * Math.PI * RADIUS

/** How much of the API the clients of this world have used. */
export function CoveragePanel() {
  const { world } = useWorld()
  const address = useAddress()
  const { data } = useQuery('coverage.show', { w: world }, { live: ['request'] })
  if (data === undefined) {
    return (
      <Panel title="Coverage">
        <SkeletonRows rows={4} />
      </Panel>
    )
  }
  const { met, of, percent, wrong, sections } = data.summary
  return (
    <Panel title="Coverage" actions={<Link to={address('coverage')}>All rows</Link>}>
      <div class="ring-and-list">
        <svg class="ring" viewBox="0 0 100 100" role="img" aria-label={`${percent} percent covered`}>
          <circle cx="50" cy="50" r={RADIUS} />
          <circle class="done" cx="50" cy="50" r={RADIUS} stroke-dasharray={`${(AROUND * met) / of} ${AROUND}`} />
          <text x="50" y="56">
            {percent}%
          </text>
        </svg>
        <ul class="legend">
          {sections.slice(0, 6).map((section) => (
            <li key={section.id}>
              <span>{section.title}</span>
              <span>
                {section.met} of {section.of}
              </span>
            </li>
          ))}
        </ul>
      </div>
      {wrong > 0 && <p class="sentence">{wrong === 1 ? '1 row is wrong.' : `${wrong} rows are wrong.`}</p>}
    </Panel>
  )
}
