import { column, moneyColumn } from '../../output/columns.ts'
import { isRecord, type Row, rowsOf } from '../../output/records.ts'
import { fields, table } from '../../output/table.ts'

const SETTLED = [
  column('ORDER', 'public_id'),
  column('DOMAIN', 'domain'),
  moneyColumn('PRICE', 'sale_price_cents'),
  moneyColumn('COMMISSION', 'commission_cents'),
  moneyColumn('OWED', 'amount_owed_cents'),
  column('PARTNER', 'partner_id'),
]

const STATEMENTS = [
  column('STATEMENT', 'statement_id'),
  column('PARTNER', 'partner_id'),
  moneyColumn('SOLD', 'gross_sold_cents'),
  moneyColumn('COMMISSION', 'commission_retained_cents'),
  moneyColumn('OWED', 'amount_owed_cents'),
  moneyColumn('ADJUSTMENT', 'adjustment_cents'),
  { heading: 'ORDERS', cell: ({ orders }: Row) => (Array.isArray(orders) ? orders.length : null), align: 'right' },
  column('FROM', 'period_start'),
  column('TO', 'period_end'),
] as const

/** What the run settled, and what each partner owes for the period. */
export function settlementText(answer: unknown): string {
  const { run_id, ran_at } = isRecord(answer) ? answer : {}
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

const PAYOUTS = [
  column('PAYOUT', 'payout_id'),
  column('PARTNER', 'partner_id'),
  column('KIND', 'kind'),
  moneyColumn('AMOUNT', 'amount_cents'),
  column('PAID', 'paid_at'),
]

/** What a run paid to whom. */
export function payoutText(answer: unknown): string {
  const { run_id, ran_at } = isRecord(answer) ? answer : {}
  const payouts = rowsOf(answer, 'payouts')
  const paid = payouts.length === 0 ? 'nothing was due' : payouts.length
  const facts = fields([
    ['run', run_id],
    ['ran at', ran_at],
    ['payouts', paid],
  ])
  return payouts.length === 0 ? facts : `${facts}\n${table(payouts, PAYOUTS)}`
}
