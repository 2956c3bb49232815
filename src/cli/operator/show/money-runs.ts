import { membersOf, type Row, rowsOf } from '../../output/records.ts'
import { type Column, fields, table } from '../../output/table.ts'

const SETTLED: readonly Column<Row>[] = [
  ['ORDER', 'public_id'],
  ['DOMAIN', 'domain'],
  ['PRICE', 'sale_price_cents', 'money'],
  ['COMMISSION', 'commission_cents', 'money'],
  ['OWED', 'amount_owed_cents', 'money'],
  ['PARTNER', 'partner_id'],
]

const STATEMENTS: readonly Column<Row>[] = [
  ['STATEMENT', 'statement_id'],
  ['PARTNER', 'partner_id'],
  ['SOLD', 'gross_sold_cents', 'money'],
  ['COMMISSION', 'commission_retained_cents', 'money'],
  ['OWED', 'amount_owed_cents', 'money'],
  ['ADJUSTMENT', 'adjustment_cents', 'money'],
  ['ORDERS', ({ orders }) => (Array.isArray(orders) ? orders.length : null), 'count'],
  ['FROM', 'period_start'],
  ['TO', 'period_end'],
]

/** What the run settled, and what each partner owes for the period. */
export function settlementText(answer: unknown): string {
  const { run_id, ran_at } = membersOf(answer)
  const settled = rowsOf(answer, 'settled')
  const statements = rowsOf(answer, 'statements')
  const facts = fields([
    ['run', run_id],
    ['ran at', ran_at],
    ['settled', settled.length === 0 ? 'no orders' : settled.length],
    ['statements', statements.length],
  ])
  const tables = [settled.length > 0 && table(settled, SETTLED), statements.length > 0 && table(statements, STATEMENTS)]
  return [facts, ...tables.filter((text) => text !== false)].join('\n')
}

const PAYOUTS: readonly Column<Row>[] = [
  ['PAYOUT', 'payout_id'],
  ['PARTNER', 'partner_id'],
  ['KIND', 'kind'],
  ['AMOUNT', 'amount_cents', 'money'],
  ['PAID', 'paid_at'],
]

/** What a run paid to whom. */
export function payoutText(answer: unknown): string {
  const { run_id, ran_at } = membersOf(answer)
  const payouts = rowsOf(answer, 'payouts')
  const paid = payouts.length === 0 ? 'nothing was due' : payouts.length
  const facts = fields([
    ['run', run_id],
    ['ran at', ran_at],
    ['payouts', paid],
  ])
  return payouts.length === 0 ? facts : `${facts}\n${table(payouts, PAYOUTS)}`
}
