import { Db } from '../../../storage/db.ts'
import { pauseIn } from '../../kernel/batches.ts'
import type { World } from '../../kernel/world.ts'
import { COPIES, COUNTS, DERIVATIONS, EXTENT, TABLES } from './books.ts'
import { INVARIANTS, type Invariant } from './invariants.ts'

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

/** Rows in one turn of the event loop. */
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
