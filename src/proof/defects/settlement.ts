import { cents, type Fields } from './answers.ts'
import { type Defect, defect } from './defect.ts'
import { type AnyInput, eachOf, listing, listingEveryones } from './routes.ts'

/** The value of a sale. */
interface Worth {
  gross: number
  commission: number
}

/** Mistakes of settlement statements. */
export const settlementDefects: readonly Defect[] = [
  wrong('statement-owes-the-gross', 'A statement says that all of the gross is owed.', ({ gross_sold_cents }) => ({
    amount_owed_cents: gross_sold_cents,
  })),
  wrong('statement-gross-is-net', 'Gross sold excludes the commission.', ({ amount_owed_cents }) => ({
    gross_sold_cents: amount_owed_cents,
  })),
  wrong('statement-loses-a-cent-an-order', 'Each order makes the amount owed a cent too small.', (statement) => ({
    amount_owed_cents: cents(statement, 'amount_owed_cents') - (statement['orders'] as unknown[]).length,
  })),
  wrong('statement-retains-nothing', 'No commission is retained: all is owed.', ({ gross_sold_cents }) => ({
    commission_retained_cents: 0,
    amount_owed_cents: gross_sold_cents,
  })),
  wrong('statement-period-ends-before-it-begins', 'The ends of a period are swapped.', (statement) => ({
    period_start: statement['period_end'],
    period_end: new Date(Date.parse(String(statement['period_start'])) - 1).toISOString(),
  })),
  defect('no-statements', ['SET-01'], {
    summary: 'The list of statements is empty.',
    ...listing('settlements.list', 'settlements', () => []),
  }),
  defect('statement-includes-hosted-orders', ['SET-02'], {
    summary: 'A statement counts orders of the hosted checkout.',
    ...listing('settlements.list', 'settlements', ([latest, ...others], input) =>
      latest ? [added(latest, worthOfHosted(input)), ...others] : [],
    ),
  }),
  counting(
    'unsettled',
    'orders that are not delivered yet',
    "orders.status IN ('EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS')",
  ),
  counting(
    'delivered',
    'orders that are delivered and that no run has settled yet',
    "orders.status = 'TRANSFER_COMPLETED'",
  ),
  counting('refunded', 'orders that were refunded', "orders.status IN ('REFUNDED', 'CANCELLED')"),
  counting('foreign', 'orders of other partners', "orders.status = 'SETTLED'", 'orders.partner_id <> @partnerId'),
  defect('statement-repeats-earlier-ones', ['SET-02'], {
    summary: 'Each statement repeats the orders of those before it.',
    ...listing('settlements.list', 'settlements', (list) =>
      list.map((statement, position) => added(statement, worthOfAll(list.slice(position + 1)))),
    ),
  }),
  defect('statement-names-unsettled-orders', ['SET-02'], {
    summary: 'The list of orders in a statement has those that are not settled, too.',
    ...eachOf('settlements.list', 'settlements', naming),
  }),
  defect('statement-leaves-the-last-order-out', ['SET-02'], {
    summary: 'The last order that a run settles is missing from its statement.',
    ...eachOf('settlements.list', 'settlements', withoutLast),
  }),
  defect('settlement-list-shows-everyones', ['SET-02'], {
    summary: 'The list of statements has those of all partners.',
    ...listingEveryones({ 'settlements.list': 'settlements' }),
  }),
]

function wrong(id: string, summary: string, change: (statement: Fields) => Fields): Defect {
  const changed = (statement: Fields) => ({ ...statement, ...change(statement) })
  return defect(id, ['SET-01'], { summary, ...eachOf('settlements.list', 'settlements', changed) })
}

/** The latest statement counts sales that it should not. */
function counting(which: string, words: string, where: string, whose = 'orders.partner_id = @partnerId'): Defect {
  return defect(`statement-includes-${which}-orders`, ['SET-02'], {
    summary: `A statement counts ${words}.`,
    ...listing('settlements.list', 'settlements', ([latest, ...others], input) =>
      latest ? [added(latest, worthOf(input, `${whose} AND ${where}`)), ...others] : [],
    ),
  })
}

function added(statement: Fields, { gross, commission }: Worth): Fields {
  return {
    ...statement,
    gross_sold_cents: cents(statement, 'gross_sold_cents') + gross,
    commission_retained_cents: cents(statement, 'commission_retained_cents') + commission,
    amount_owed_cents: cents(statement, 'amount_owed_cents') + gross - commission,
  }
}

function worthOfAll(list: readonly Fields[]): Worth {
  return list.reduce(
    (sum: Worth, statement) => ({
      gross: sum.gross + cents(statement, 'gross_sold_cents'),
      commission: sum.commission + cents(statement, 'commission_retained_cents'),
    }),
    { gross: 0, commission: 0 },
  )
}

/** The value of partner-collected sales when they were booked. */
export function worthOf({ world, caller: { partnerId } }: AnyInput, where: string): Worth {
  const sql = `SELECT coalesce(sum(ledger_entries.gross_cents), 0) AS gross,
      coalesce(sum(ledger_entries.commission_cents), 0) AS commission
    FROM ledger_entries JOIN sales ON sales.seq = sale_seq JOIN orders ON orders.seq = sales.order_seq
    WHERE ledger_entries.kind = 'retained' AND ${where}`
  return world.db.prepare(sql).get({ partnerId }) as Worth
}

/** The value of sales on the hosted page now. */
function worthOfHosted({ world, caller: { partnerId } }: AnyInput): Worth {
  const sql = `SELECT coalesce(sum(gross_cents), 0) AS gross, coalesce(sum(commission_cents), 0) AS commission
    FROM sales WHERE payment_model = 'hosted_checkout' AND partner_id = ?`
  return world.db.prepare(sql).get(partnerId) as Worth
}

function naming(statement: Fields, { world: { db }, caller: { partnerId } }: AnyInput): Fields {
  const rows = db.prepare("SELECT public_id FROM orders WHERE partner_id = ? AND status <> 'SETTLED'").all(partnerId)
  const others = (rows as { public_id: string }[]).map((row) => row.public_id)
  return { ...statement, orders: [...(statement['orders'] as string[]), ...others] }
}

function withoutLast(statement: Fields, input: AnyInput): Fields {
  const orders = statement['orders'] as string[]
  const last = orders.at(-1)
  if (last === undefined) return statement
  const { gross, commission } = worthOf(input, `orders.public_id = '${last}'`)
  return { ...added(statement, { gross: -gross, commission: -commission }), orders: orders.slice(0, -1) }
}
