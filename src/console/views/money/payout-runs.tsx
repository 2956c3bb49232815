import type { PayoutRunFacts } from '../../../operator-api/rows/money.ts'
import { Panel } from '../../kit/facts.tsx'
import { moneyText } from '../../kit/money.ts'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'

const idOf = ({ run_id }: { run_id: string }) => run_id

/** Payouts: each says what partners were paid. */
export function PayoutRunsPanel() {
  const address = useAddress()
  const list = useList('payoutRuns.list', { input: {}, idOf, live: ['clock', 'act', 'event'] })
  const columns: readonly Column<PayoutRunFacts>[] = [
    { head: 'Run', cell: ({ run_id: id }) => <Link to={address('money', 'payouts', id)}>{id}</Link> },
    { head: 'Payouts', isNumber: true, cell: ({ payout_count: count }) => count },
    { head: 'Paid', isNumber: true, cell: (run) => moneyText(run.paid_cents, run.currency) },
    { head: 'At', isExtra: true, cell: ({ ran_at: at }) => <Instant at={at} /> },
  ]
  return (
    <Panel title="Payout runs">
      <LiveTable name="Payout runs" list={list} columns={columns} idOf={idOf} empty={<NoPayouts />} />
    </Panel>
  )
}

function NoPayouts() {
  return (
    <Empty title="No payout run yet">
      <p>Commissions of hosted sales and of deals can be paid once their transfer is complete.</p>
    </Empty>
  )
}
