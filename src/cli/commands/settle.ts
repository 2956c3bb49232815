import type { Command } from 'commander'
import { addSubcommand } from '../operator/operator-command.ts'
import type { Session } from '../operator/session.ts'
import { column, countColumn, moneyColumn } from '../output/columns.ts'
import { isRecord, type Row, rowsOf } from '../output/records.ts'
import { fields, table } from '../output/table.ts'
import { addRunList } from '../run-list.ts'

export function configure(command: Command, session: Session): void {
  addSubcommand(command, session, {
    usage: 'run',
    summary: 'close the settlement period: every TRANSFER_COMPLETED order becomes SETTLED; show the statements',
    run: async (context) => context.show(await context.askWorld('POST', '/settlement-runs', {}), runText),
  })
  addRunList(command, session, {
    summary: 'the settlement runs so far, newest first',
    path: '/settlement-runs',
    name: 'settlement_runs',
    none: 'no settlement runs',
    columns: RUNS,
  })
  addSubcommand(command, session, {
    usage: 'show <run-id>',
    summary: 'what a run settled, and the statement of each partner with its figures',
    run: async (context, [id = '']) =>
      context.show(await context.askWorld('GET', `/settlement-runs/${encodeURIComponent(id)}`), runText),
  })
}

const RUNS = [
  column('RUN', 'run_id'),
  column('RAN AT', 'ran_at'),
  countColumn('SETTLED', 'settled_count'),
  countColumn('STATEMENTS', 'statement_count'),
  moneyColumn('OWED', 'amount_owed_cents'),
  moneyColumn('ADJUSTMENT', 'adjustment_cents'),
]

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
function runText(answer: unknown): string {
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
