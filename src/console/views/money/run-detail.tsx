import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../../kit/facts.tsx'
import { moneyText } from '../../kit/money.ts'
import { StateBadge, stateWords } from '../../kit/state-badge.tsx'
import { Empty, Unanswered } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'
import type { ViewProps } from '../view.ts'

/** One settlement run: the statement of each partner, and the orders that it settled. */
export function SettlementRunView({ params }: ViewProps) {
  const { world } = useWorld()
  const address = useAddress()
  const at = { w: world, run_id: params['run_id'] ?? '' }
  const { data: run, error } = useQuery('settlementRuns.show', at)
  if (run === undefined) return <Unanswered error={error} />
  return (
    <>
      <ViewHead title={<>Settlement {run.run_id}</>}>
        <CopyAsCommand of={asked('settlementRuns.show', at)} />
      </ViewHead>
      <p>
        Ran <Instant at={run.ran_at} />
      </p>
      {run.statements.length === 0 && <Empty title="There was nothing to settle" />}
      {run.statements.map((statement) => (
        <Panel key={statement.statement_id} title={`Statement ${statement.statement_id}`}>
          <Facts
            rows={[
              ['Partner', statement.partner_id],
              ['From', <Instant at={statement.period_start} />],
              ['To', <Instant at={statement.period_end} />],
              ['Sold', moneyText(statement.gross_sold_cents, statement.currency)],
              ['Commission kept', moneyText(statement.commission_retained_cents, statement.currency)],
              ['Adjustment', moneyText(statement.adjustment_cents, statement.currency)],
              ['Partner owes', <strong>{moneyText(statement.amount_owed_cents, statement.currency)}</strong>],
            ]}
          />
        </Panel>
      ))}
      {run.settled.length > 0 && (
        <Panel title="Settled orders">
          <Table
            name="Settled orders"
            rows={run.settled}
            idOf={({ public_id: id }) => id}
            columns={[
              { head: 'Order', cell: ({ public_id: id }) => <Link to={address('orders', id)}>{id}</Link> },
              { head: 'State', cell: ({ status }) => <StateBadge state={status} /> },
              { head: 'Domain', cell: ({ domain }) => domain },
              { head: 'Price', isNumber: true, cell: (row) => moneyText(row.sale_price_cents, row.currency) },
              { head: 'Owed', isNumber: true, cell: (row) => moneyText(row.amount_owed_cents, row.currency) },
            ]}
          />
        </Panel>
      )}
    </>
  )
}

/** One payout run: what it paid to whom. */
export function PayoutRunView({ params }: ViewProps) {
  const { world } = useWorld()
  const at = { w: world, run_id: params['run_id'] ?? '' }
  const { data: run, error } = useQuery('payoutRuns.show', at)
  if (run === undefined) return <Unanswered error={error} />
  return (
    <>
      <ViewHead title={<>Payout {run.run_id}</>}>
        <CopyAsCommand of={asked('payoutRuns.show', at)} />
      </ViewHead>
      <p>
        Ran <Instant at={run.ran_at} />
      </p>
      {run.payouts.length === 0 ? (
        <Empty title="No partner was due a payout" />
      ) : (
        <Panel title="Payouts">
          <Table
            name="Payouts"
            rows={run.payouts}
            idOf={({ payout_id: id }) => id}
            columns={[
              { head: 'Payout', cell: ({ payout_id: id }) => id },
              { head: 'Partner', cell: (payout) => payout.partner_id },
              { head: 'Kind', cell: ({ kind }) => stateWords(kind) },
              { head: 'Amount', isNumber: true, cell: (row) => moneyText(row.amount_cents, row.currency) },
              { head: 'Paid', isExtra: true, cell: (payout) => <Instant at={payout.paid_at} /> },
            ]}
          />
        </Panel>
      )}
    </>
  )
}
