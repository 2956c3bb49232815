import { useWorld } from '../../console-context.ts'
import { Panel } from '../../kit/facts.tsx'
import { Ring } from '../../kit/ring.tsx'
import { SkeletonRows } from '../../kit/states.tsx'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'

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
  const { percent, wrong, sections } = data.summary
  return (
    <Panel title="Coverage" actions={<Link to={address('coverage')}>All rows</Link>}>
      <div class="ring-and-list">
        <Ring percent={percent} label={`${percent} percent covered`} />
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
