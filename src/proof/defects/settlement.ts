import type { World } from '../../sandbox/kernel/world.ts'
import { type Fields, without } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { type AnyInput, itemsOf, showing } from './routes.ts'

type Tampered = Pick<Defect, 'hooks'>

/** What a sale comes to. */
interface Worth {
  gross: number
  commission: number
}

/** Mistakes of settlement statements. */
export const settlementDefects: readonly Defect[] = [
  {
    id: 'statement-owes-the-gross',
    breaks: ['SET-01'],
    summary: 'A statement says that all of the gross is owed.',
    ...changing('settlement', { owes: 'gross' }),
  },
  wrong('statement-owes-the-commission', 'The amount owed is the commission.', ({ commission_retained_cents }) => ({
    amount_owed_cents: commission_retained_cents,
  })),
  wrong('statement-gross-is-the-commission', 'Gross sold counts commission only.', ({ commission_retained_cents }) => ({
    gross_sold_cents: commission_retained_cents,
  })),
  wrong('statement-gross-is-net', 'Gross sold is what is left without the commission.', ({ amount_owed_cents }) => ({
    gross_sold_cents: amount_owed_cents,
  })),
  wrong('statement-loses-a-cent-an-order', 'Each order makes the amount owed a cent too small.', (statement) => ({
    amount_owed_cents: cents(statement, 'amount_owed_cents') - (statement['orders'] as unknown[]).length,
  })),
  wrong('statement-owes-whole-units', 'The amount owed is rounded to whole units of currency.', (statement) => ({
    amount_owed_cents: Math.round(cents(statement, 'amount_owed_cents') / 100) * 100,
  })),
  wrong('statement-retains-nothing', 'No commission is retained: all is owed.', ({ gross_sold_cents }) => ({
    commission_retained_cents: 0,
    amount_owed_cents: gross_sold_cents,
  })),
  wrong('statement-period-ends-before-it-begins', 'The ends of a period are swapped.', (statement) => ({
    period_start: statement['period_end'],
    period_end: new Date(Date.parse(String(statement['period_start'])) - 1).toISOString(),
  })),
  {
    id: 'statement-without-period',
    breaks: ['SET-01'],
    summary: 'A statement does not say which period it is about.',
    ...statements((list) => list.map((statement) => without(statement, 'period_start', 'period_end'))),
  },
  {
    id: 'no-statements',
    breaks: ['SET-01'],
    summary: 'The list of statements is empty.',
    ...statements(() => []),
  },
  {
    id: 'statement-includes-hosted-orders',
    breaks: ['SET-02'],
    summary: 'Orders of the hosted checkout are settled like those that the partner collected for.',
    ...changing('settlement', { models: ['partner_collected', 'hosted_checkout'] }),
  },
  counting('unsettled', 'orders that are not delivered yet', (world, partnerId) =>
    worthOf(world, partnerId, "orders.status IN ('EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS')"),
  ),
  counting('recorded', 'orders whose transfer has not begun', (world, partnerId) =>
    worthOf(world, partnerId, "orders.status = 'EXTERNALLY_PAID'"),
  ),
  counting('delivered', 'orders that are delivered and that no run has settled yet', (world, partnerId) =>
    worthOf(world, partnerId, "orders.status = 'TRANSFER_COMPLETED'"),
  ),
  counting('refunded', 'orders that were refunded', (world, partnerId) =>
    worthOf(world, partnerId, "orders.status IN ('REFUNDED', 'CANCELLED')"),
  ),
  counting('foreign', 'orders of other partners', (world, partnerId) =>
    worthOf(world, null, `orders.status = 'SETTLED' AND orders.partner_id <> '${partnerId}'`),
  ),
  {
    id: 'statement-repeats-earlier-ones',
    breaks: ['SET-02'],
    summary: 'Each statement repeats the orders of those before it.',
    ...statements((list) => list.map((statement, position) => added(statement, worthOfAll(list.slice(position + 1))))),
  },
  {
    id: 'statement-names-unsettled-orders',
    breaks: ['SET-02'],
    summary: 'The list of orders in a statement has those that are not settled, too.',
    ...statements((list, { world, caller }) => list.map((statement) => naming(statement, world, caller.partnerId))),
  },
  {
    id: 'statement-leaves-the-last-order-out',
    breaks: ['SET-02'],
    summary: 'The last order that a run settles is missing from its statement.',
    ...statements((list, { world }) => list.map((statement) => withoutLast(statement, world))),
  },
  {
    id: 'settlement-list-shows-everyones',
    breaks: ['SET-02'],
    summary: 'The list of statements has those of all partners.',
    ...changing('settlement', { shows: 'everyones' }),
  },
]

function statements(change: (list: Fields[], input: AnyInput) => Fields[]): Tampered {
  return showing('settlements.list', (body, input) => ({
    ...body,
    settlements: change(itemsOf(body, 'settlements'), input),
  }))
}

function wrong(id: string, summary: string, change: (statement: Fields) => Fields): Defect {
  const changed = (statement: Fields) => ({ ...statement, ...change(statement) })
  return { id, breaks: ['SET-01'], summary, ...statements((list) => list.map(changed)) }
}

/** The latest statement counts sales that it should not. */
function counting(which: string, words: string, worth: (world: World, partnerId: string) => Worth): Defect {
  return {
    id: `statement-includes-${which}-orders`,
    breaks: ['SET-02'],
    summary: `A statement counts ${words}.`,
    ...statements(([latest, ...others], { world, caller }) =>
      latest ? [added(latest, worth(world, caller.partnerId)), ...others] : [],
    ),
  }
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

/** What partner-collected sales were worth when they were booked. */
function worthOf({ db }: World, partnerId: string | null, where: string): Worth {
  const own = partnerId === null ? '1' : 'orders.partner_id = @partnerId'
  const sql = `SELECT coalesce(sum(ledger_entries.gross_cents), 0) AS gross,
      coalesce(sum(ledger_entries.commission_cents), 0) AS commission
    FROM ledger_entries JOIN sales ON sales.seq = sale_seq JOIN orders ON orders.public_id = sales.public_id
    WHERE ledger_entries.kind = 'retained' AND ${own} AND ${where}`
  return db.prepare(sql).get({ partnerId }) as Worth
}

function naming(statement: Fields, { db }: World, partnerId: string): Fields {
  const rows = db.prepare("SELECT public_id FROM orders WHERE partner_id = ? AND status <> 'SETTLED'").all(partnerId)
  const others = (rows as { public_id: string }[]).map((row) => row.public_id)
  return { ...statement, orders: [...(statement['orders'] as string[]), ...others] }
}

function withoutLast(statement: Fields, world: World): Fields {
  const orders = statement['orders'] as string[]
  const last = orders.at(-1)
  if (last === undefined) return statement
  const { gross, commission } = worthOf(world, null, `orders.public_id = '${last}'`)
  return { ...added(statement, { gross: -gross, commission: -commission }), orders: orders.slice(0, -1) }
}

function cents(statement: Fields, name: string): number {
  return Number(statement[name])
}
