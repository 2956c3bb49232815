import { moneyText } from '../../contract/money.ts'
import type { PayoutRunFacts, SettlementRunFacts } from '../../operator-api/rows/money.ts'
import { asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyAsCommand } from '../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { StateBadge, stateWords } from '../kit/state-badge.tsx'
import { Empty, Unanswered } from '../kit/states.tsx'
import { type Column, LiveTable, Table } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { useList } from '../live/list.ts'
import { type Call, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { Link, useAddress } from '../router/link.tsx'
import { LedgerPanel } from './ledger.tsx'
import type { ViewProps } from './view.ts'

/** What partners owe and are owed: runs, the ledger of a partner, and whether all of it adds up. */
export function MoneyView() {
  const { router } = useConsole()
  const { world } = useWorld()
  const address = useAddress()
  const { isBusy, act } = useAct()
  const settle = async (call: Call) => {
    const { run_id: id } = await call('settlementRuns.create', { w: world })
    router.go(address('money', 'settlements', id))
  }
  const pay = async (call: Call) => {
    const { run_id: id } = await call('payoutRuns.create', { w: world })
    router.go(address('money', 'payouts', id))
  }
  return (
    <>
      <ViewHead title="Money">
        <Button kind="main" isBusy={isBusy} onClick={() => act(settle, 'Settlement run made')}>
          Run settlement
        </Button>
        <Button isBusy={isBusy} onClick={() => act(pay, 'Payout run made')}>
          Run payout
        </Button>
        <CopyAsCommand of={asked('settlementRuns.create', { w: world })} />
      </ViewHead>
      <div class="columns even">
        <SettlementRunsPanel />
        <PayoutRunsPanel />
      </div>
      <LedgerPanel />
      <AuditPanel />
    </>
  )
}

/** Settlements: each closes a period, and says what partners owe. */
function SettlementRunsPanel() {
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
      <LiveTable
        name="Settlement runs"
        list={list}
        columns={columns}
        idOf={idOf}
        empty={[
          'No settlement run yet',
          'Complete the transfer of an order, then run a settlement: it closes the period and states what partners owe.',
        ]}
      />
    </Panel>
  )
}

const idOf = ({ run_id }: { run_id: string }) => run_id

/** Payouts: each says what partners were paid. */
function PayoutRunsPanel() {
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
      <LiveTable
        name="Payout runs"
        list={list}
        columns={columns}
        idOf={idOf}
        empty={[
          'No payout run yet',
          'Commissions of hosted sales and of deals can be paid once their transfer is complete.',
        ]}
      />
    </Panel>
  )
}

/** All amounts, recomputed from the history. */
function AuditPanel() {
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
          {counts.map(([what, count]) => `${stateWords(what)}: ${count}`).join(' · ') || 'nothing to check yet'}
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
