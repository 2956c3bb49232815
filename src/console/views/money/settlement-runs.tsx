import type { SettlementRunFacts } from '../../../operator-api/rows/money.ts'
import { Panel } from '../../kit/facts.tsx'
import { moneyText } from '../../kit/money.ts'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'

const idOf = ({ run_id }: { run_id: string }) => run_id

/** Settlements: each closes a period, and says what partners owe. */
export function SettlementRunsPanel() {
  const address = useAddress()
  const list = useList('settlementRuns.list', { input: {}, idOf, live: ['clock', 'act', 'event'] })
  const columns: readonly Column<SettlementRunFacts>[] = [
    { head: 'Run', cell: ({ run_id: id }) => <Link to={address('money', 'settlements', id)}>{id}</Link> },
    { head: 'Settled', isNumber: true, cell: ({ settled_count: count }) => count },
    { head: 'Owed', isNumber: true, cell: (run) => moneyText(run.amount_owed_cents, run.currency) },
    { head: 'At', isExtra: true, cell: ({ ran_at: at }) => <Instant at={at} /> },
  ]
  return (
    <Panel title="Settlement runs">
      <LiveTable name="Settlement runs" list={list} columns={columns} idOf={idOf} empty={<NoSettlements />} />
    </Panel>
  )
}

function NoSettlements() {
  return (
    <Empty title="No settlement run yet">
      <p>
        Complete the transfer of an order, then run a settlement: it closes the period and states what partners owe.
      </p>
    </Empty>
  )
}
