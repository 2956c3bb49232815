import { Panel } from '../../kit/facts.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useQuery } from '../../live/use-query.ts'

/** Names that behave by themselves. */
export function MagicPanel() {
  const { data, error } = useQuery('magic.list', {})
  if (data === undefined) return <Unanswered error={error} rows={3} />
  return (
    <Panel title="Magic names">
      <p class="soft">Each works in every world, with any number: held-1.test, held-2.test and so on.</p>
      <Table
        name="Magic domains and buyers"
        rows={[...data.domains, ...data.buyers]}
        idOf={({ pattern }) => pattern}
        columns={[
          { head: 'Name', cell: ({ example }) => <code>{example}</code> },
          { head: 'What happens', isText: true, cell: ({ does }) => does },
          { head: 'When', isText: true, isExtra: true, cell: ({ on, acts }) => `${on}, ${acts}` },
        ]}
      />
    </Panel>
  )
}
