import { type Db, statement } from '../../storage/database.ts'
import type { Met, Tally, TallyKind } from './tally.ts'

interface TallyRow {
  kind: TallyKind
  id: string
  count: number
  first_at: number
  last_at: number
  detail: string | null
}

export function loadTallies(db: Db): Tally[] {
  const rows = statement<TallyRow>(db, 'SELECT * FROM coverage_tallies').all()
  return rows.map(({ kind, id, count, first_at: firstMs, last_at: lastMs, detail }) => {
    return { kind, id, count, firstMs, lastMs, detail, isDirty: false }
  })
}

export function saveTallies(db: Db, tallies: readonly Tally[]): void {
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

export function endOfTable(db: Db, table: SlicedTable): number {
  return (statement(db, `SELECT coalesce(max(seq), 0) + 1 AS n FROM ${table}`).get() as { n: number }).n
}

const COUNTED = (at: string) => `count(*) AS count, min(${at}) AS firstMs, max(${at}) AS lastMs`

/** The order's step that an event told of; both null for an event that told of none. */
const STEP_OF_EVENT = `
  LEFT JOIN orders o ON o.public_id = json_extract(e.data, '$.order.public_id')
  LEFT JOIN order_timeline t ON t.order_seq = o.seq AND t.event_id = e.id
  LEFT JOIN order_timeline p ON p.order_seq = t.order_seq AND p.position = t.position - 1`

const CASE_STEP_OF_EVENT = `
  JOIN brokerage_cases c ON c.case_id = json_extract(e.data, '$.case.case_id')
  JOIN brokerage_timeline t ON t.case_seq = c.seq AND t.event_id = e.id
  LEFT JOIN brokerage_timeline p ON p.case_seq = t.case_seq AND p.position = t.position - 1`

const EDGE = "coalesce(p.status, 'NEW') || '>' || t.status"

const ACCEPTED = 'a.failure IS NULL AND a.spoilt = 0 AND a.at >= @sinceMs'

const DELIVERED = `FROM events e JOIN deliveries d ON d.event_seq = e.seq
  JOIN delivery_attempts a ON a.delivery_seq = d.seq AND ${ACCEPTED}`

const EVENTS = 'e.seq >= @low AND e.seq < @high'

/** What is read of the tables, slice by slice; each names what it counts in `a`, and sometimes more in `b`. */
export const FACT_QUERIES = {
  'events-happened': {
    table: 'events',
    sql: `SELECT e.type AS a, NULL AS b, ${COUNTED('e.created_at')} FROM events e
      WHERE ${EVENTS} AND e.created_at >= @sinceMs GROUP BY e.type`,
  },
  'events-delivered': {
    table: 'events',
    sql: `SELECT e.type AS a, NULL AS b, ${COUNTED('a.at')} ${DELIVERED} WHERE ${EVENTS} GROUP BY e.type`,
  },
  delivered: {
    table: 'events',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('a.at')} ${DELIVERED} WHERE ${EVENTS}`,
  },
  'order-edges-delivered': {
    table: 'events',
    sql: `SELECT ${EDGE} AS a, NULL AS b, ${COUNTED('a.at')} ${DELIVERED} ${STEP_OF_EVENT}
      WHERE ${EVENTS} AND t.status IS NOT NULL GROUP BY 1`,
  },
  'case-edges-delivered': {
    table: 'events',
    sql: `SELECT ${EDGE} AS a, NULL AS b, ${COUNTED('a.at')} ${DELIVERED} ${CASE_STEP_OF_EVENT}
      WHERE ${EVENTS} AND e.type = 'brokerage.case_completed' GROUP BY 1`,
  },
  'order-edges-happened': {
    table: 'orders',
    sql: `SELECT ${EDGE} AS a, NULL AS b, ${COUNTED('t.at')} FROM order_timeline t
      LEFT JOIN order_timeline p ON p.order_seq = t.order_seq AND p.position = t.position - 1
      WHERE t.order_seq >= @low AND t.order_seq < @high AND t.at >= @sinceMs GROUP BY 1`,
  },
  'case-edges-happened': {
    table: 'brokerage_cases',
    sql: `SELECT ${EDGE} AS a, NULL AS b, ${COUNTED('t.at')} FROM brokerage_timeline t
      LEFT JOIN brokerage_timeline p ON p.case_seq = t.case_seq AND p.position = t.position - 1
      WHERE t.case_seq >= @low AND t.case_seq < @high AND t.at >= @sinceMs GROUP BY 1`,
  },
  'delivered-twice': {
    table: 'events',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('lastMs')} FROM (
      SELECT max(a.at) AS lastMs ${DELIVERED} WHERE ${EVENTS} GROUP BY e.seq, d.partner_id HAVING count(*) > 1)`,
  },
  'delivered-later': {
    table: 'events',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('a.at')} ${DELIVERED} WHERE ${EVENTS} AND EXISTS (
      SELECT 1 FROM delivery_attempts f WHERE f.delivery_seq = d.seq AND f.number < a.number
        AND f.failure IS NOT NULL AND f.spoilt = 0)`,
  },
  /** An attempt that the delivery profile signed wrongly counts as one with another secret. */
  probes: {
    table: 'events',
    sql: `SELECT coalesce(a.probe, 'secret') AS a, CASE WHEN a.status BETWEEN 200 AND 299 THEN 'accepted'
        WHEN a.status BETWEEN 400 AND 499 THEN 'refused' ELSE 'unclear' END AS b, ${COUNTED('a.at')}
      FROM events e JOIN deliveries d ON d.event_seq = e.seq
      JOIN delivery_attempts a ON a.delivery_seq = d.seq AND a.spoilt = 1 AND a.at >= @sinceMs
      WHERE ${EVENTS} GROUP BY 1, 2`,
  },
  'orders-of-quotes': {
    table: 'orders',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('created_at')} FROM orders
      WHERE seq >= @low AND seq < @high AND quote_id IS NOT NULL AND created_at >= @sinceMs`,
  },
  'orders-of-links': {
    table: 'orders',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('created_at')} FROM orders
      WHERE seq >= @low AND seq < @high AND link_id IS NOT NULL AND created_at >= @sinceMs`,
  },
  'quotes-expired': {
    table: 'quotes',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('expires_at')} FROM quotes
      WHERE seq >= @low AND seq < @high AND state = 'expired' AND expires_at >= @sinceMs`,
  },
  sessions: {
    table: 'checkout_sessions',
    sql: `SELECT state AS a, NULL AS b, ${COUNTED('created_at')} FROM checkout_sessions
      WHERE seq >= @low AND seq < @high AND created_at >= @sinceMs GROUP BY state`,
  },
  clicks: {
    table: 'clicks',
    sql: `SELECT NULL AS a, NULL AS b, ${COUNTED('at')} FROM clicks WHERE seq >= @low AND seq < @high AND at >= @sinceMs`,
  },
} as const satisfies Record<string, { table: SlicedTable; sql: string }>

export type FactQuery = keyof typeof FACT_QUERIES

export function factsOf(db: Db, query: FactQuery, slice: Slice): FoundRow[] {
  const rows = statement<FoundRow>(db, FACT_QUERIES[query].sql).all({ ...slice })
  return rows.filter(({ count }) => count > 0)
}

/** What a stretch of a partner's history tells: events by type, with the step of an order that each told of. */
export function historyBetween(db: Db, stretch: { partnerId: string; low: number; high: number }): FoundRow[] {
  const sql = `SELECT e.type AS a, ${EDGE} AS b, ${COUNTED('e.created_at')} FROM events e ${STEP_OF_EVENT}
    WHERE e.partner_id = @partnerId AND e.seq BETWEEN @low AND @high GROUP BY 1, 2`
  return statement<FoundRow>(db, sql).all(stretch)
}

/** The steps of cases that it tells. */
export function caseHistoryBetween(db: Db, stretch: { partnerId: string; low: number; high: number }): FoundRow[] {
  const sql = `SELECT ${EDGE} AS a, NULL AS b, ${COUNTED('e.created_at')} FROM events e ${CASE_STEP_OF_EVENT}
    WHERE e.partner_id = @partnerId AND e.seq BETWEEN @low AND @high AND e.type = 'brokerage.case_completed' GROUP BY 1`
  return statement<FoundRow>(db, sql).all(stretch)
}

export function seqOfEvent(db: Db, eventId: string): number | null {
  const row = statement<{ seq: number }>(db, 'SELECT seq FROM events WHERE id = ?').get(eventId)
  return row?.seq ?? null
}
