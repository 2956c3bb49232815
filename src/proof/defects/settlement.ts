import { cents, type Fields } from './answers.ts'
import { both, type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { type AnyInput, eachOf, handlingBefore, keeping, listing } from './routes.ts'

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
  wrong(
    'statement-owes-the-commission',
    'A statement has commission and what is owed in the place of each other.',
    (statement) => ({
      commission_retained_cents: statement['amount_owed_cents'],
      amount_owed_cents: statement['commission_retained_cents'],
    }),
  ),
  wrong(
    'statement-rounds-what-is-owed-once',
    'What is owed is a share of the gross, rounded apart from the commission.',
    ({ gross_sold_cents }) => ({ amount_owed_cents: Math.round(Number(gross_sold_cents) * 0.8) }),
  ),
  counting(
    'unsettled',
    'orders that are not delivered yet',
    "orders.status IN ('EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS')",
  ),
  counting('foreign', 'orders of other partners', "orders.status = 'SETTLED'", 'orders.partner_id <> @partnerId'),
  counting('cancelled', 'orders that an operator has cancelled', "orders.status = 'CANCELLED'"),
  counting(
    'refunded',
    'orders that were refunded after their delivery',
    `orders.status = 'REFUNDED' AND EXISTS (SELECT 1 FROM order_timeline
      WHERE order_seq = orders.seq AND order_timeline.status = 'TRANSFER_COMPLETED')`,
  ),
  defect('statement-leaves-the-last-order-out', ['SET-02'], {
    summary: 'The last order that a run settles is missing from its statement.',
    ...eachOf('settlements.list', (statement, input) =>
      withoutOrders(statement, input, (statement['orders'] as string[]).slice(-1)),
    ),
  }),
  defect('statements-are-for-the-key-of-the-orders', ['SET-02'], {
    summary: 'Statements are shown to a key that has recorded orders.',
    ...showingToMakers(),
  }),
  defect('statements-name-orders-of-others', ['SET-02'], {
    summary: 'A statement names the orders of other partners beside its own.',
    ...eachOf('settlements.list', (statement, { world, caller }) => ({
      ...statement,
      also_settled: world.db
        .prepare('SELECT public_id FROM orders WHERE partner_id <> ?')
        .pluck()
        .all(caller.partnerId),
    })),
  }),
]

function wrong(id: string, summary: string, change: (statement: Fields) => Fields): Defect {
  const changed = (statement: Fields) => ({ ...statement, ...change(statement) })
  return defect(id, ['SET-01'], { summary, ...eachOf('settlements.list', changed) })
}

/** The latest statement counts sales that it should not. */
function counting(which: string, words: string, where: string, whose = 'orders.partner_id = @partnerId'): Defect {
  return defect(`statement-includes-${which}-orders`, ['SET-02'], {
    summary: `A statement counts ${words}.`,
    ...listing('settlements.list', ([latest, ...others], input) =>
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

/** The value of partner-collected sales when they were booked. */
function worthOf({ world, caller: { partnerId } }: AnyInput, where: string): Worth {
  const sql = `SELECT coalesce(sum(ledger_entries.gross_cents), 0) AS gross,
      coalesce(sum(ledger_entries.commission_cents), 0) AS commission
    FROM ledger_entries JOIN sales ON sales.seq = sale_seq JOIN orders ON orders.seq = sales.order_seq
    WHERE ledger_entries.kind = 'retained' AND ${where}`
  return world.db.prepare(sql).get({ partnerId }) as Worth
}

function withoutOrders(statement: Fields, input: AnyInput, left: readonly string[]): Fields {
  const { gross, commission } = worthOf(input, `orders.public_id IN (${left.map((id) => `'${id}'`).join()})`)
  const orders = (statement['orders'] as string[]).filter((id) => !left.includes(id))
  return { ...added(statement, { gross: -gross, commission: -commission }), orders }
}

/** A server that shows statements to the keys that have recorded orders. */
function showingToMakers(): Tampered {
  const makers = perWorld(() => new Set<string>())
  return both(
    handlingBefore('orders.create', ({ world, caller }) => makers(world).add(caller.keyId)),
    keeping('settlements.list', (_, { world, caller }) => makers(world).has(caller.keyId)),
  )
}
