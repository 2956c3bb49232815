import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { StateBadge, stateWords } from '../../kit/state-badge.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useQuery } from '../../live/use-query.ts'

/** All amounts, recomputed from the history. */
export function AuditPanel() {
  const { world } = useWorld()
  const audit = useQuery('audit.show', { w: world }, { live: ['event', 'clock', 'act'] })
  if (audit.data === undefined) return <Unanswered error={audit.error} rows={2} />
  const { balanced, checked, differences, differences_left_out: more } = audit.data
  const counts = Object.entries(checked).filter(([, count]) => count > 0)
  return (
    <Panel title="Audit" actions={<CopyAsCommand of={asked('audit.show', { w: world })} />}>
      <p>
        <StateBadge
          state={balanced ? 'Everything adds up' : 'Something does not add up'}
          tone={balanced ? 'good' : 'bad'}
        />{' '}
        <span class="soft">
          {counts.map(([what, count]) => `${count} ${stateWords(what).toLowerCase()}`).join(', ') ||
            'nothing to check yet'}
        </span>
      </p>
      {differences.length > 0 && (
        <Table
          name="What does not add up"
          rows={differences}
          idOf={({ what, id }) => `${what} ${id}`}
          columns={[
            { head: 'What', cell: ({ what }) => stateWords(what) },
            { head: 'Id', cell: ({ id }) => id },
            { head: 'Found', cell: ({ what: _what, id: _id, ...found }) => <code>{JSON.stringify(found)}</code> },
          ]}
        />
      )}
      {more > 0 && <p class="soft">and {more} more</p>}
    </Panel>
  )
}
