import { type Db, nextSequence } from '../../storage/db.ts'
import { conditionsOf, storedRows, windowOn } from '../../storage/rows.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage, unknownCursor } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { RunFacts } from './store.ts'

interface StatementRow {
  seq: number
  statementId: string
  partnerId: string
  periodStartMs: number
  periodEndMs: number
}

/** What a partner owes for a period. The sums are those of its lines in the ledger. */
export interface Statement extends StatementRow {
  /** How many orders it settles. */
  orderCount: number
  /** Always the sum of the next two. */
  grossSoldCents: number
  commissionRetainedCents: number
  amountOwedCents: number
  /** What orders that were undone after an earlier statement take off the amount owed; never positive. */
  adjustmentCents: number
  currency: string
}

/** A statement as its partner reads it. */
interface ListedStatement extends Statement {
  /** The orders that it settles, in the order in which its run settled them. */
  publicIds: string[]
}

const STATEMENTS = storedRows<StatementRow & { runSeq: number }>()('settlement_statements', [
  'seq',
  'statementId',
  'runSeq',
  'partnerId',
  'periodStartMs',
  'periodEndMs',
])

/** A statement for each partner, with the period since its last one; what it says is in the ledger. */
export function openStatements(world: World, run: RunFacts): void {
  for (const { partnerId, sinceMs } of partnersOfWorld(world.db)) {
    const seq = nextSequence(world.db, 'settlement_statements')
    STATEMENTS.insert(world.db, {
      seq,
      statementId: world.chance.id('statement', seq),
      runSeq: run.seq,
      partnerId,
      // A credential may date from before a reset, when the clock was later.
      periodStartMs: lastPeriodEnd(world.db, partnerId) ?? Math.min(sinceMs, run.ranAtMs),
      periodEndMs: run.ranAtMs,
    })
  }
}

/** Everyone who has or had a credential, and since when. */
function partnersOfWorld(db: Db) {
  const sql = `SELECT partner_id AS partnerId, min(created_at) AS sinceMs FROM credentials GROUP BY partner_id ORDER BY min(id)`
  return db.statement<{ partnerId: string; sinceMs: number }>(sql).all()
}

function lastPeriodEnd(db: Db, partnerId: string): number | null {
  const sql = 'SELECT period_end FROM settlement_statements WHERE partner_id = ? ORDER BY seq DESC LIMIT 1'
  return db.statement<number>(sql).pluck().get(partnerId) ?? null
}

export function statementSeqs(db: Db, runSeq: number): Map<string, number> {
  return new Map(rowsOfRun(db, runSeq).map(({ partnerId, seq }) => [partnerId, seq]))
}

/** The statements of a run: one for each partner, in the order in which they joined the world. */
export function statementsOfRun({ db }: World, runSeq: number): Statement[] {
  return rowsOfRun(db, runSeq).map((row) => statementOf(db, row))
}

function rowsOfRun(db: Db, runSeq: number): StatementRow[] {
  return STATEMENTS.where(db, 'run_seq = ? ORDER BY seq').all(runSeq)
}

/** A line that settles an order takes off what was not stated yet; one that makes up for an undone order adds to it. */
const SETTLES = 'line.unsettled_cents <= 0'

const SUMS = `SELECT count(*) FILTER (WHERE ${SETTLES}) AS orderCount,
    coalesce(sum(booked.gross_cents), 0) AS grossSoldCents,
    coalesce(sum(booked.commission_cents), 0) AS commissionRetainedCents,
    0 - coalesce(sum(min(line.unsettled_cents, 0)), 0) AS amountOwedCents,
    0 - coalesce(sum(max(line.unsettled_cents, 0)), 0) AS adjustmentCents
  FROM ledger_entries AS line
    LEFT JOIN ledger_entries AS booked ON ${SETTLES} AND booked.sale_seq = line.sale_seq AND booked.gross_cents > 0
  WHERE line.statement_seq = ?`

function statementOf(db: Db, row: StatementRow): Statement {
  const sums = db.statement<Omit<Statement, keyof StatementRow | 'currency'>>(SUMS).get(row.seq)
  return { ...row, ...(sums as NonNullable<typeof sums>), currency: LISTING_CURRENCY }
}

const ORDER_OF_LINE = 'JOIN sales ON sales.seq = line.sale_seq JOIN orders ON orders.seq = sales.order_seq'

/** The orders that a statement settles, in the order in which its run settled them. */
function ordersOf(db: Db, statementSeq: number): string[] {
  const sql = `SELECT public_id FROM ledger_entries AS line ${ORDER_OF_LINE}
    WHERE line.statement_seq = ? AND ${SETTLES} ORDER BY line.seq`
  return db.statement<string>(sql).pluck().all(statementSeq)
}

interface LinePosition {
  statementSeq: number
  lineSeq: number
}

const POSITION = `SELECT line.statement_seq AS statementSeq, line.seq AS lineSeq FROM ledger_entries AS line ${ORDER_OF_LINE}
  WHERE public_id = ? AND ${SETTLES} AND statement_seq IN (SELECT seq FROM settlement_statements WHERE run_seq = ?)`

/** A CROSS JOIN is made in the order in which it is written, so the lines need not be sorted. */
const ORDERS_AFTER = `SELECT public_id
  FROM settlement_statements AS made CROSS JOIN ledger_entries AS line ON line.statement_seq = made.seq ${ORDER_OF_LINE}
  WHERE made.run_seq = @runSeq AND made.seq >= @statementSeq AND ${SETTLES}
    AND line.seq > iif(made.seq = @statementSeq, @lineSeq, 0)
  ORDER BY made.seq, line.seq LIMIT @limit`

/**
 * A page of the orders that a run settled, and one more: those of one statement after those of another.
 *
 * @throws ApiError validation_error for a cursor that is none of them.
 */
export function ordersOfRun({ db }: World, runSeq: number, { cursor, limit }: Paging): string[] {
  const last = cursor === undefined ? FIRST_LINE : db.statement<LinePosition>(POSITION).get(cursor, runSeq)
  if (!last) throw unknownCursor()
  return db
    .statement<string>(ORDERS_AFTER)
    .pluck()
    .all({ ...last, runSeq, limit: limit + 1 })
}

const FIRST_LINE: LinePosition = { statementSeq: 0, lineSeq: 0 }

/** A page ends early rather than list more orders than this, unless a single statement does. */
const ORDERS_A_PAGE = 10_000

const stated = conditionsOf<DateWindow & { partnerId: string; beforeSeq: number }>(
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  ...windowOn('period_end'),
)

/** A page of a partner's statements, newest first (SET-01). It has fewer than `limit` and a next page if they list many orders. */
export function listStatements(
  { db }: World,
  { partnerId }: Credential,
  filter: DateWindow & Paging,
  ordersAPage = ORDERS_A_PAGE,
): Page<ListedStatement> {
  const { rows, hasMore } = readPage(
    { ...filter, partnerId },
    (statementId) => STATEMENTS.where(db, 'statement_id = ?').get(statementId) ?? null,
    (page) => {
      const wanted = { ...filter, partnerId, ...page }
      return STATEMENTS.where(db, `${stated(wanted)} ORDER BY seq DESC LIMIT @limit`).all(wanted)
    },
  )
  const fitting: ListedStatement[] = []
  let listed = 0
  for (const row of rows) {
    const one = statementOf(db, row)
    listed += one.orderCount
    if (fitting.length > 0 && listed > ordersAPage) break
    fitting.push({ ...one, publicIds: ordersOf(db, row.seq) })
  }
  return { rows: fitting, hasMore: hasMore || fitting.length < rows.length }
}
