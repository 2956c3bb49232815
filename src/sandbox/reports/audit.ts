import { Db } from '../../storage/db.ts'
import { pauseIn } from '../kernel/batches.ts'
import type { World } from '../kernel/world.ts'
import { AMOUNTS, COPIES, COUNTS, DERIVATIONS, EXTENT, some, TABLES } from './audit/books.ts'

/** Something that does not reconcile: what the history says it must be, and what was found. */
export type Difference = { what: string; id: string } & (
  | { expectedCents: number; foundCents: number }
  | { expected: string | number; found: string | number }
)

/** What an audit found, and how much it looked at. */
export interface AuditResult {
  balanced: boolean
  checked: {
    orders: number
    cases: number
    sales: number
    entries: number
    statements: number
    payouts: number
    /** Orders that were refunded or cancelled, by whomever. */
    undone: number
    /** Of those, the ones that a partner asked to refund. */
    undoneByPartner: number
  }
  differences: readonly Difference[]
  /** Differences beyond those that are listed. */
  leftOut: number
}

/** A ledger that was lost differs in every line, and a million lines are of no use. */
const MOST_LISTED = 1_000

const ROWS_A_TURN = 500

/**
 * Recomputes, from what happened (orders, cases, their timelines and events, refunds, runs), what each sale, statement,
 * payout and balance must be, and compares that with what the ledger says. The audit looks at what had happened when it
 * began: it copies that into a database of its own in turns, so that calls are served meanwhile.
 */
export async function audit(world: World): Promise<AuditResult> {
  const books = new Db(':memory:')
  try {
    return await auditWith(books, world)
  } finally {
    books.close()
  }
}

async function auditWith(books: Db, world: World): Promise<AuditResult> {
  const extent = world.db.prepare(EXTENT).get() as Record<string, number>
  const parameters = { ...extent, payableFrom: world.gaps['payable-from'] }
  const pause = pauseIn(world)
  books.function('entry_id', (seq) => world.chance.id('ledgerEntry', seq as number))
  books.exec(`${TABLES} BEGIN`)

  for (const { into, over, sql } of COPIES) {
    for (const stretch of stretches(extent[over])) {
      await pause()
      const select = world.db.prepare(sql)
      const insert = books.prepare(`INSERT INTO ${into} VALUES (${select.columns().map(() => '?')})`)
      for (const row of select.raw().all({ ...parameters, ...stretch })) insert.run(row)
    }
  }
  const lastRow = (table?: string) =>
    table === undefined ? 1 : books.prepare<[], number>(`SELECT max(rowid) FROM ${table}`).pluck().get()
  for (const { into, over, sql } of DERIVATIONS) {
    for (const stretch of stretches(lastRow(over))) {
      await pause()
      books.prepare(`INSERT INTO ${into} ${sql}`).run(stretch)
    }
  }
  const differences: Difference[] = []
  for (const invariant of INVARIANTS) {
    for (const stretch of stretches(lastRow(invariant.over))) {
      await pause()
      const broken = books.prepare<object, BrokenRow>(brokenRows(invariant)).all(stretch)
      differences.push(...broken.flatMap((row) => differencesIn(invariant, row)))
    }
  }
  return {
    balanced: differences.length === 0,
    checked: books.prepare(COUNTS).get(extent) as AuditResult['checked'],
    differences: differences.slice(0, MOST_LISTED),
    leftOut: Math.max(0, differences.length - MOST_LISTED),
  }
}

/** The rows of a table up to the last one, some at a time. */
function stretches(lastRow: number | null | undefined): { after: number; to: number }[] {
  return Array.from({ length: Math.ceil((lastRow ?? 0) / ROWS_A_TURN) }, (_, turn) => ({
    after: turn * ROWS_A_TURN,
    to: Math.min((turn + 1) * ROWS_A_TURN, lastRow ?? 0),
  }))
}

/** For each fact `x` what it must be, and as `found_x` what it is. */
type BrokenRow = Record<string, string | number> & { id: string }

/** The rows of some that do not reconcile. */
function brokenRows({ of, facts, from }: Invariant): string {
  const columns = facts.map(([name, expected, found]) => `${expected} AS ${name}, ${found} AS found_${name}`)
  const names = facts.map(([name]) => name)
  return `SELECT * FROM (SELECT ${of} AS id, ${columns} FROM ${from})
    WHERE (${names}) IS NOT (${names.map((name) => `found_${name}`)})`
}

function differencesIn({ id: invariant, facts }: Invariant, row: BrokenRow): Difference[] {
  const broken = facts.filter(([name]) => row[name] !== row[`found_${name}`])
  return broken.map(([name]) => {
    const [expected = 'none', found = 'none'] = [row[name], row[`found_${name}`]]
    const subject = { what: `${invariant}.${name.replace(/_cents$/, '')}`, id: row.id }
    return name.endsWith('_cents')
      ? { ...subject, expectedCents: Number(expected), foundCents: Number(found) }
      : { ...subject, expected, found }
  })
}

/** What an invariant compares: the name of a fact, what it must be and what it is. Names of amounts end in `_cents`. */
type Fact = [name: string, expected: string, found: string]

/** What must hold of the rows of a table. */
interface Invariant {
  id: string
  over: string
  /** The id that a difference has. */
  of: string
  facts: readonly Fact[]
  from: string
}

const STATEMENT_OF = (condition: string) => `coalesce((SELECT id FROM statement WHERE ${condition}), 'none')`

const INVARIANTS: readonly Invariant[] = [
  {
    // The row of an order agrees with its timeline and its first event.
    id: 'order',
    over: 'history',
    of: 'id',
    facts: [
      ['status', "coalesce(reached, 'none')", 'status'],
      ['first_event', '1', 'price IS NOT NULL'],
      ['sale_price_cents', 'coalesce(price, row_price)', 'row_price'],
    ],
    from: `history WHERE ${some('history')} AND model <> 'brokerage'`,
  },
  {
    // All events of an order have the same price.
    id: 'event',
    over: 'history',
    of: 'id',
    facts: [['sale_price_cents', 'price', 'iif(least_price <> price, least_price, most_price)']],
    from: `reported WHERE ${some('reported')} AND model <> 'brokerage'`,
  },
  {
    // The row of a closed deal agrees with its event.
    id: 'case',
    over: 'history',
    of: 'id',
    facts: [
      ['completed_event', '1', 'price IS NOT NULL'],
      ['deal_price_cents', 'coalesce(price, row_price)', 'row_price'],
      ['partner_cut_cents', 'coalesce(commission, row_commission)', 'row_commission'],
    ],
    from: `history WHERE ${some('history')} AND model = 'brokerage'`,
  },
  {
    // A domain is sold again only after its sale was undone.
    id: 'domain',
    over: 'history',
    of: 'domain',
    facts: [['sales_at_once', '1', '2']],
    from: `reported WHERE ${some('reported')} AND EXISTS (SELECT 1 FROM reported AS earlier WHERE earlier.domain = reported.domain
        AND earlier.born < reported.born AND (earlier.undone IS NULL OR earlier.undone > reported.born))`,
  },
  {
    // A refund gives back the whole price of an order that is undone since.
    id: 'refund',
    over: 'refund',
    of: 'refund.id',
    facts: [
      ['amount_cents', 'coalesce(price, 0)', 'amount'],
      ['undone_orders', '1', 'undone IS NOT NULL'],
    ],
    from: `refund LEFT JOIN reported ON reported.id = sold WHERE ${some('refund')}`,
  },
  {
    // A refund in the timeline of an order exists.
    id: 'refund',
    over: 'history',
    of: 'reported.refund',
    facts: [['missing_cents', 'price', '0']],
    from: `reported WHERE ${some('reported')} AND reported.refund IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM refund WHERE refund.id = reported.refund AND sold = reported.id)`,
  },
  {
    // The lines of a sale come to what its history says, and what is kept of them to what they come to.
    id: 'sale',
    over: 'sale',
    of: 'sale.id',
    facts: [
      ...AMOUNTS.map((amount): Fact => [`${amount}_cents`, `expected.${amount}`, `sale.${amount}`]),
      ['rate', 'coalesce(reported.rate, sale.rate)', 'sale.rate'],
      // In two parts, so that no product is larger than the price.
      [
        'commission_at_rate_cents',
        'price / 10000 * sale.rate + price % 10000 * sale.rate / 10000',
        'reported.commission',
      ],
      ['kept_gross_cents', 'all_gross', 'kept_gross'],
      ['kept_commission_cents', 'all_commission', 'kept_commission'],
      ['entries', 'expected.entries', 'sale.entries'],
      ['partner', 'reported.partner', 'sale.partner'],
      ['entries_of_others', '0', 'strangers'],
      ['payment_model', 'reported.model', 'sale.model'],
      [
        'statement',
        STATEMENT_OF('run = stated_in AND partner = reported.partner'),
        STATEMENT_OF('seq = sale.statement'),
      ],
    ],
    from: `sale JOIN reported USING (id) JOIN expected USING (id) WHERE ${some('sale')}`,
  },
  {
    // A sale has a history.
    id: 'sale',
    over: 'sale',
    of: 'id',
    facts: [['without_history_cents', '0', 'gross']],
    from: `sale WHERE ${some('sale')} AND NOT EXISTS (SELECT 1 FROM reported WHERE reported.id = sale.id)`,
  },
  {
    // What was sold is booked.
    id: 'sale',
    over: 'history',
    of: 'id',
    facts: [['missing_cents', 'price', '0']],
    from: `reported WHERE ${some('reported')} AND NOT EXISTS (SELECT 1 FROM sale WHERE sale.id = reported.id)`,
  },
  {
    // A line carries on the balance of the line before.
    id: 'entry',
    over: 'entry',
    of: 'entry_id(seq)',
    facts: [['balance_cents', 'balance', 'found']],
    from: `entry WHERE ${some('entry')}`,
  },
  {
    // The last balance of a partner is what its sales earned and no run has paid.
    id: 'partner',
    over: 'partner',
    of: 'id',
    facts: [['balance_cents', 'coalesce((SELECT sum(due) FROM expected WHERE partner = partner.id), 0)', 'balance']],
    from: `partner WHERE ${some('partner')}`,
  },
  {
    // A payout is what was due to its partner at its run, and what its lines come to.
    id: 'payout',
    over: 'payout',
    of: 'payout.id',
    facts: [
      ['amount_cents', 'coalesce(cents, 0)', 'amount'],
      ['lines_cents', 'amount', 'coalesce((SELECT -sum(due) FROM run_line WHERE payout = seq), 0)'],
    ],
    from: `payout LEFT JOIN due_payout USING (run, partner, kind) WHERE ${some('payout')}`,
  },
  {
    // What was due at a run was paid.
    id: 'payout',
    over: 'due_payout',
    of: "concat_ws(' ', run, partner, kind)",
    facts: [['missing_cents', 'cents', '0']],
    from: `due_payout AS due WHERE ${some('due')} AND NOT EXISTS (
        SELECT 1 FROM payout WHERE run = due.run AND partner = due.partner AND kind = due.kind)`,
  },
  {
    // A statement states what its run settled for its partner, and what was undone after an earlier one.
    id: 'statement',
    over: 'statement',
    of: 'statement.id',
    facts: [
      ['gross_sold_cents', 'due.gross', 'sum(line.gross) FILTER (WHERE settles)'],
      ['commission_retained_cents', 'due.commission', 'sum(line.commission) FILTER (WHERE settles)'],
      ['amount_owed_cents', 'due.gross - due.commission', '-sum(unsettled) FILTER (WHERE settles)'],
      ['adjustment_cents', 'due.adjustment', '-sum(unsettled) FILTER (WHERE NOT settles)'],
      ['orders', 'due.orders', 'count(*) FILTER (WHERE settles)'],
    ].map(([fact, ...sides]): Fact => [fact, ...sides.map((side) => `coalesce(${side}, 0)`)] as Fact),
    from: `statement LEFT JOIN due_statement AS due USING (run, partner)
      LEFT JOIN (SELECT *, unsettled <= 0 AS settles FROM run_line) AS line ON line.statement = seq
      WHERE ${some('statement')} GROUP BY seq`,
  },
  {
    // A run has a statement for each partner.
    id: 'statement',
    over: 'settlement_run',
    of: "concat_ws(' ', settlement_run.run, partner.id)",
    facts: [
      ['of_partner', '1', '0'],
      ['missing_cents', 'coalesce(gross, 0)', '0'],
    ],
    from: `settlement_run JOIN partner
      LEFT JOIN due_statement AS due ON due.run = settlement_run.run AND due.partner = partner.id
      WHERE ${some('settlement_run')}
        AND NOT EXISTS (SELECT 1 FROM statement WHERE run = settlement_run.run AND partner = partner.id)`,
  },
]
