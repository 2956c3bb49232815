import { type Db, statement } from '../../storage/database.ts'
import type { Met, Tally } from './tally.ts'

export function loadTallies(db: Db): Tally[] {
  const sql = 'SELECT kind, id, count, first_at AS firstMs, last_at AS lastMs, detail FROM coverage_tallies'
  return statement<Tally>(db, sql).all()
}

export function saveTallies(db: Db, tallies: Iterable<Tally>): void {
  const insert = statement(
    db,
    'INSERT OR REPLACE INTO coverage_tallies (kind, id, count, first_at, last_at, detail) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const save = () => {
    for (const { kind, id, count, firstMs, lastMs, detail } of tallies)
      insert.run(kind, id, count, firstMs, lastMs, detail)
  }
  if (db.inTransaction) save()
  else db.transaction(save)()
}

export function emptyTallies(db: Db): void {
  statement(db, 'DELETE FROM coverage_tallies').run()
}

/** What a table says of one thing. */
export interface FoundRow extends Met {
  /** What it is: a type, a state; null where the query asks for one thing only. */
  a: string | null
  /** What it came to, or where it led. */
  b: string | null
}

/** Rows of a table with a running number: `low` belongs to it, `high` does not. */
export interface Slice {
  low: number
  high: number
  /** What happened earlier in world time does not count. */
  sinceMs: number
}

export type SlicedTable = 'events' | 'orders' | 'brokerage_cases' | 'quotes' | 'checkout_sessions' | 'clicks'

const COUNTED = (at: string) => `count(*) AS count, min(${at}) AS firstMs, max(${at}) AS lastMs`

/** The order's step that an event reports; both null for an event that reports none. */
const STEP_OF_EVENT = `
  LEFT JOIN orders o ON o.public_id = json_extract(e.data, '$.order.public_id')
  LEFT JOIN order_timeline t ON t.order_seq = o.seq AND t.event_seq = e.seq
  LEFT JOIN order_timeline p ON p.order_seq = t.order_seq AND p.position = t.position - 1`

const CASE_STEP_OF_EVENT = `
  JOIN brokerage_cases c ON c.case_id = json_extract(e.data, '$.case.case_id')
  JOIN brokerage_timeline t ON t.case_seq = c.seq AND t.event_seq = e.seq
  LEFT JOIN brokerage_timeline p ON p.case_seq = t.case_seq AND p.position = t.position - 1`

const EDGE = "coalesce(p.status, 'NEW') || '>' || t.status"

const EVENTS = 'e.seq >= @low AND e.seq < @high'

const attempted = (which: string) => `FROM events e JOIN deliveries d ON d.event_seq = e.seq
  JOIN delivery_attempts a ON a.delivery_seq = d.seq AND a.at >= @sinceMs AND ${which}`

const DELIVERED = attempted('a.failure IS NULL AND a.spoilt = 0')

interface Query {
  readonly table: SlicedTable
  readonly sql: string
}

/** Deliveries that were accepted. */
function delivered(what: string, more: string): Query {
  return { table: 'events', sql: `SELECT ${what} AS a, NULL AS b, ${COUNTED('a.at')} ${DELIVERED} ${more}` }
}

/** Steps that were taken. */
function edges(table: SlicedTable, timeline: string, seq: string): Query {
  const sql = `SELECT ${EDGE} AS a, NULL AS b, ${COUNTED('t.at')} FROM ${timeline} t
    LEFT JOIN ${timeline} p ON p.${seq} = t.${seq} AND p.position = t.position - 1
    WHERE t.${seq} >= @low AND t.${seq} < @high AND t.at >= @sinceMs GROUP BY 1`
  return { table, sql }
}

function rowsOf(table: SlicedTable, at: string, which: string, what = 'NULL'): Query {
  const sql = `SELECT ${what} AS a, NULL AS b, ${COUNTED(at)} FROM ${table}
    WHERE seq >= @low AND seq < @high AND ${at} >= @sinceMs AND ${which} GROUP BY 1`
  return { table, sql }
}

/** What is read of the tables, slice by slice; each names what it counts in `a`, and sometimes more in `b`. */
export const FACT_QUERIES = {
  'events-happened': {
    table: 'events',
    sql: `SELECT e.type AS a, NULL AS b, ${COUNTED('e.created_at')} FROM events e
      WHERE ${EVENTS} AND e.created_at >= @sinceMs GROUP BY e.type`,
  },
  'events-delivered': delivered('e.type', `WHERE ${EVENTS} GROUP BY 1`),
  delivered: delivered('NULL', `WHERE ${EVENTS}`),
  'order-edges-delivered': delivered(EDGE, `${STEP_OF_EVENT} WHERE ${EVENTS} AND t.status IS NOT NULL GROUP BY 1`),
  'case-edges-delivered': delivered(
    EDGE,
    `${CASE_STEP_OF_EVENT} WHERE ${EVENTS} AND e.type = 'brokerage.case_completed' GROUP BY 1`,
  ),
  'order-edges-happened': edges('orders', 'order_timeline', 'order_seq'),
  'case-edges-happened': edges('brokerage_cases', 'brokerage_timeline', 'case_seq'),
  'delivered-twice': {
    table: 'events',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('lastMs')} FROM (
      SELECT max(a.at) AS lastMs ${DELIVERED} WHERE ${EVENTS} GROUP BY e.seq, d.partner_id HAVING count(*) > 1)`,
  },
  'delivered-later': delivered(
    'NULL',
    `WHERE ${EVENTS} AND EXISTS (SELECT 1 FROM delivery_attempts f
      WHERE f.delivery_seq = d.seq AND f.number < a.number AND f.failure IS NOT NULL AND f.spoilt = 0)`,
  ),
  /** An attempt that the delivery profile signed wrongly counts as one with another secret. */
  probes: {
    table: 'events',
    sql: `SELECT coalesce(a.probe, 'secret') AS a, CASE WHEN a.status BETWEEN 200 AND 299 THEN 'accepted'
        WHEN a.status BETWEEN 400 AND 499 THEN 'refused' ELSE 'unclear' END AS b, ${COUNTED('a.at')}
      ${attempted('a.spoilt = 1')} WHERE ${EVENTS} GROUP BY 1, 2`,
  },
  'orders-of-quotes': rowsOf('orders', 'created_at', 'quote_seq IS NOT NULL'),
  'orders-of-links': rowsOf('orders', 'created_at', 'link_id IS NOT NULL'),
  'quotes-expired': rowsOf('quotes', 'expires_at', "state = 'expired'"),
  sessions: rowsOf('checkout_sessions', 'created_at', 'true', 'state'),
  clicks: rowsOf('clicks', 'at', 'true'),
} as const satisfies Record<string, Query>

export type FactQuery = keyof typeof FACT_QUERIES

export function factsOf(db: Db, query: FactQuery, slice: Slice): FoundRow[] {
  const rows = statement<FoundRow>(db, FACT_QUERIES[query].sql).all({ ...slice })
  return rows.filter(({ count }) => count > 0)
}

/** What a stretch of a partner's history holds: events by type, with the step of an order that each reports. */
export function historyBetween(db: Db, stretch: { partnerId: string; low: number; high: number }): FoundRow[] {
  const sql = `SELECT e.type AS a, ${EDGE} AS b, ${COUNTED('e.created_at')} FROM events e ${STEP_OF_EVENT}
    WHERE e.partner_id = @partnerId AND e.seq BETWEEN @low AND @high GROUP BY 1, 2`
  return statement<FoundRow>(db, sql).all(stretch)
}

/** The steps of cases that it reports. */
export function caseHistoryBetween(db: Db, stretch: { partnerId: string; low: number; high: number }): FoundRow[] {
  const sql = `SELECT ${EDGE} AS a, NULL AS b, ${COUNTED('e.created_at')} FROM events e ${CASE_STEP_OF_EVENT}
    WHERE e.partner_id = @partnerId AND e.seq BETWEEN @low AND @high AND e.type = 'brokerage.case_completed' GROUP BY 1`
  return statement<FoundRow>(db, sql).all(stretch)
}
