import { moneyText } from '../../contract/money.ts'
import type {
  PayoutRun,
  PayoutRunFacts,
  SettlementRun,
  SettlementRunFacts,
  Statement,
} from '../../operator-api/rows/money.ts'
import { asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Panel, ViewHead } from '../kit/facts.tsx'
import { StateBadge, stateWords } from '../kit/state-badge.tsx'
import { Empty, Unanswered } from '../kit/states.tsx'
import { LiveTable, Table, type TableColumn } from '../kit/table.tsx'
import { Instant, instantText } from '../kit/time.tsx'
import { countText } from '../kit/words.ts'
import { useList } from '../live/list.ts'
import { type CallOperator, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink, useAddress } from '../router/link.tsx'
import { LedgerPanel, ledgerOf, useLedgerPartner } from './ledger.tsx'
import { usePartnerNames } from './partners.tsx'
import type { ViewProps } from './view.ts'

/** What partners owe and are owed: runs, the ledger of a partner, and whether all of it adds up. */
export function MoneyView() {
  const { router } = useConsole()
  const { world } = useWorld()
  const address = useAddress()
  const { isBusy, act } = useAct()
  const partner = useLedgerPartner()
  const settle = async (call: CallOperator) => {
    const run = await call('settlementRuns.create', { w: world })
    router.go(address('money', 'settlements', run.run_id))
    return run
  }
  const pay = async (call: CallOperator) => {
    const run = await call('payoutRuns.create', { w: world })
    router.go(address('money', 'payouts', run.run_id))
    return run
  }
  const acts = [
    ['run settlement', asked('settlementRuns.create', { w: world })],
    ['run payout', asked('payoutRuns.create', { w: world })],
    ['audit', asked('audit.show', { w: world })],
    ...(partner === undefined ? [] : [['ledger', ledgerOf(world, partner)] as const]),
  ] as const
  return (
    <>
      <ViewHead title="Money">
        <Button kind="main" isBusy={isBusy} onClick={() => act(settle, settledWords)}>
          Run settlement
        </Button>
        <Button isBusy={isBusy} onClick={() => act(pay, paidWords)}>
          Run payout
        </Button>
        <CopyMenu of={asked('settlementRuns.list', { w: world })} acts={acts} />
      </ViewHead>
      <div class="columns even">
        <SettlementRunsPanel />
        <PayoutRunsPanel />
      </div>
      <LedgerPanel partner={partner} />
      <AuditPanel />
    </>
  )
}

/** What a settlement run did. */
function settledWords({ settled_count: count, statements }: SettlementRun): string {
  const [first] = statements
  if (count === 0 || first === undefined) return 'Settlement run: there was nothing to settle'
  const owedCents = statements.reduce((sum, { amount_owed_cents: cents }) => sum + cents, 0)
  return `Settlement run: ${countText(count, 'order')} settled, ${moneyText(owedCents, first.currency)} owed`
}

/** What a payout run did. */
function paidWords({ payouts }: PayoutRun): string {
  const [first] = payouts
  if (first === undefined) return 'Payout run: no partner was due a payout'
  const paidCents = payouts.reduce((sum, { amount_cents: cents }) => sum + cents, 0)
  return `Payout run: ${moneyText(paidCents, first.currency)} in ${countText(payouts.length, 'payout')}`
}

/** Settlements: each closes a period, and says what partners owe. */
function SettlementRunsPanel() {
  const list = useList('settlementRuns.list', { input: {}, idOf, live: ['clock', 'act', 'event'] })
  const columns: readonly TableColumn<SettlementRunFacts>[] = [
    { head: 'Run', cell: ({ run_id: id }) => <IdLink id={id} /> },
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
        empty={
          <Empty title="No settlement run yet">
            <p>
              Complete the transfer of an order, then run a settlement: it closes the period and states what partners
              owe.
            </p>
          </Empty>
        }
      />
    </Panel>
  )
}

const idOf = ({ run_id }: { run_id: string }) => run_id

/** Payouts: each says what partners were paid. */
function PayoutRunsPanel() {
  const list = useList('payoutRuns.list', { input: {}, idOf, live: ['clock', 'act', 'event'] })
  const columns: readonly TableColumn<PayoutRunFacts>[] = [
    { head: 'Run', cell: ({ run_id: id }) => <IdLink id={id} /> },
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
        empty={
          <Empty title="No payout run yet">
            <p>Commissions of hosted sales and of deals can be paid once their transfer is complete.</p>
          </Empty>
        }
      />
    </Panel>
  )
}

/** What the audit checks, with the noun for one and for many. */
const CHECKED = [
  ['orders', 'order', 'orders'],
  ['cases', 'case', 'cases'],
  ['sales', 'sale', 'sales'],
  ['entries', 'ledger entry', 'ledger entries'],
  ['statements', 'statement', 'statements'],
  ['payouts', 'payout', 'payouts'],
  ['undone', 'undone sale', 'undone sales'],
] as const

/** All amounts, recomputed from the history. */
function AuditPanel() {
  const { world } = useWorld()
  const audit = useQuery('audit.show', { w: world }, { live: ['event', 'clock', 'act'] })
  if (audit.data === undefined) return <Unanswered error={audit.error} rows={2} />
  const { balanced, checked, differences, differences_left_out: more } = audit.data
  const counts = CHECKED.filter(([what]) => checked[what] > 0).map(([what, one, many]) =>
    countText(checked[what], one, many),
  )
  const words = balanced ? 'Everything adds up' : 'Something does not add up'
  return (
    <Panel title="Audit" actions={<StateBadge state={words} tone={balanced ? 'good' : 'bad'} />}>
      <p class="soft">{counts.length === 0 ? 'Nothing to check yet.' : `Recomputed: ${counts.join(', ')}.`}</p>
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
  const at = { w: world, run_id: params['run_id'] ?? '' }
  const { data: run, error } = useQuery('settlementRuns.show', at)
  if (run === undefined) return <Unanswered error={error} />
  return (
    <>
      <ViewHead title={<>Settlement {run.run_id}</>}>
        <CopyMenu of={asked('settlementRuns.show', at)} />
      </ViewHead>
      <p>
        Ran <Instant at={run.ran_at} />
      </p>
      {run.settled.length === 0 && <Empty title="There was nothing to settle" />}
      <Statements statements={run.statements} />
      {run.settled.length > 0 && <SettledOrders orders={run.settled} count={run.settled_count} />}
    </>
  )
}

/** The statements, those that say something; the others are counted. */
function Statements({ statements }: { statements: readonly Statement[] }) {
  const partnerName = usePartnerNames()
  const full = statements.filter(({ order_count: count, adjustment_cents: cents }) => count > 0 || cents !== 0)
  const emptyCount = statements.length - full.length
  const amount = (cents: keyof Statement & `${string}_cents`) => (row: Statement) => moneyText(row[cents], row.currency)
  return (
    <Panel title="Statements">
      {full.length > 0 && (
        <Table
          name="Statements"
          rows={full}
          idOf={({ statement_id: id }) => id}
          columns={[
            {
              head: 'Partner',
              cell: ({ partner_id: id }) => <span title={partnerName(id)}>{partnerName(id, true)}</span>,
            },
            { head: 'Orders', isNumber: true, cell: ({ order_count: count }) => count.toLocaleString('en-US') },
            { head: 'Sold', isNumber: true, cell: amount('gross_sold_cents') },
            { head: 'Commission kept', isNumber: true, cell: amount('commission_retained_cents') },
            { head: 'Adjustment', isNumber: true, cell: amount('adjustment_cents') },
            {
              head: 'Partner owes',
              isNumber: true,
              cell: (row) => <strong>{amount('amount_owed_cents')(row)}</strong>,
            },
            { head: 'Since', isExtra: true, cell: ({ period_start: at }) => <Day at={at} /> },
            { head: 'Statement', isExtra: true, cell: ({ statement_id: id }) => <code>{id}</code> },
          ]}
        />
      )}
      {emptyCount > 0 && (
        <p class="soft">{countText(emptyCount, 'partner')} without a sale in the period: nothing is owed.</p>
      )}
    </Panel>
  )
}

/** When a period began; the time of the day is in the tooltip. */
function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`World time ${at}`}>
      {instantText(at).slice(0, 10)}
    </time>
  )
}

function SettledOrders({ orders, count }: { orders: SettlementRun['settled']; count: number }) {
  return (
    <Panel title="Settled orders">
      {count > orders.length && (
        <p class="soft">
          The first {orders.length} of {countText(count, 'order')}; <code>settle show</code> with <code>--cursor</code>{' '}
          has the others.
        </p>
      )}
      <Table
        name="Settled orders"
        rows={orders}
        idOf={({ public_id: id }) => id}
        columns={[
          { head: 'Order', cell: ({ public_id: id }) => <IdLink id={id} /> },
          { head: 'State', cell: ({ status }) => <StateBadge state={status} /> },
          { head: 'Domain', cell: ({ domain }) => domain },
          { head: 'Price', isNumber: true, cell: (row) => moneyText(row.sale_price_cents, row.currency) },
          { head: 'Owed', isNumber: true, cell: (row) => moneyText(row.amount_owed_cents, row.currency) },
        ]}
      />
    </Panel>
  )
}

/** One payout run: what it paid to whom. */
export function PayoutRunView({ params }: ViewProps) {
  const { world } = useWorld()
  const partnerName = usePartnerNames()
  const at = { w: world, run_id: params['run_id'] ?? '' }
  const { data: run, error } = useQuery('payoutRuns.show', at)
  if (run === undefined) return <Unanswered error={error} />
  return (
    <>
      <ViewHead title={<>Payout {run.run_id}</>}>
        <CopyMenu of={asked('payoutRuns.show', at)} />
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
              { head: 'Partner', cell: (payout) => partnerName(payout.partner_id) },
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
