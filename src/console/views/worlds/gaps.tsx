import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { SwitchFilter, useFilter } from '../../kit/field.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useQuery } from '../../live/use-query.ts'

/** What the API document leaves open, and what the world that is looked at chose. */
export function GapsPanel() {
  const { world } = useWorld()
  const [isOwnOnly] = useFilter('own')
  const gaps = useQuery('gaps.show', { w: world })
  if (gaps.data === undefined) return <Unanswered error={gaps.error} />
  const rows = gaps.data.gaps.filter(({ chosen, default: usual }) => isOwnOnly !== 'true' || chosen !== usual)
  return (
    <Panel title={`Open points of ${world}`} actions={<CopyAsCommand of={asked('gaps.show', { w: world })} />}>
      <div class="filters">
        <SwitchFilter name="own" label="Only choices that are not the default" />
      </div>
      {rows.length === 0 ? (
        <p class="soft">This world uses the default everywhere.</p>
      ) : (
        <Table
          name={`Open points of ${world}`}
          rows={rows}
          idOf={({ id }) => id}
          columns={[
            { head: 'Open point', cell: ({ id }) => <code>{id}</code> },
            { head: 'Question', isText: true, cell: ({ question }) => question },
            {
              head: 'Chosen',
              isText: true,
              cell: ({ chosen, default: usual }) =>
                chosen === usual ? String(chosen) : <strong>{String(chosen)}</strong>,
            },
            { head: 'Legal values', isText: true, isExtra: true, cell: ({ values }) => values.map(String).join(', ') },
          ]}
        />
      )}
    </Panel>
  )
}
