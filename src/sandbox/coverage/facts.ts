import { type Db, statement } from '../../storage/database.ts'
import { type Met, Tallies, type TallyKind } from './tally.ts'

const counted = (at: string) => `count(*) AS count, min(${at}) AS firstMs, max(${at}) AS lastMs`

/** The step that an entry of a timeline stands for; null without an entry. */
const edgeOf = (before: string, entry: string) => `coalesce(${before}.status, 'NEW') || '>' || ${entry}.status`

/** Events with the step of an order or of a case that each reports. */
const TELLINGS = `e.type, ${edgeOf('ob', 'ot')} AS orderEdge, ${edgeOf('cb', 'ct')} AS caseEdge`
const TOLD_BY = `
  LEFT JOIN orders o ON o.public_id = json_extract(e.data, '$.order.public_id')
  LEFT JOIN order_timeline ot ON ot.order_seq = o.seq AND ot.event_seq = e.seq
  LEFT JOIN order_timeline ob ON ob.order_seq = ot.order_seq AND ob.position = ot.position - 1
  LEFT JOIN brokerage_cases c ON c.case_id = json_extract(e.data, '$.case.case_id')
  LEFT JOIN brokerage_timeline ct ON ct.case_seq = c.seq AND ct.event_seq = e.seq
  LEFT JOIN brokerage_timeline cb ON cb.case_seq = ct.case_seq AND cb.position = ct.position - 1`

/** What events told somebody: their type, and the step that they report. */
export interface Telling extends Met {
  readonly type: string
  readonly orderEdge: string | null
  readonly caseEdge: string | null
}

/** Counts what events told. */
export function addTellings(
  tallies: { add(kind: 'event' | 'order-edge' | 'case-edge', id: string, met: Met): void },
  tellings: readonly Telling[],
): void {
  for (const { type, orderEdge, caseEdge, ...met } of tellings) {
    tallies.add('event', type, met)
    if (orderEdge !== null) tallies.add('order-edge', orderEdge, met)
    if (caseEdge !== null) tallies.add('case-edge', caseEdge, met)
  }
}

/** What a stretch of a partner's history, both ends included, tells a client that reads it at an instant. */
export function tellingsBetween(
  db: Db,
  stretch: { partnerId: string; from: number; to: number; atMs: number },
): Telling[] {
  return statement<Telling>(
    db,
    `SELECT ${TELLINGS}, count(*) AS count, @atMs AS firstMs, @atMs AS lastMs FROM events e ${TOLD_BY}
     WHERE e.partner_id = @partnerId AND e.seq BETWEEN @from AND @to GROUP BY 1, 2, 3`,
  ).all(stretch)
}

const ATTEMPTS = 'deliveries d JOIN delivery_attempts a ON a.delivery_seq = d.seq AND a.at >= @sinceMs'
const ACCEPTED = 'a.failure IS NULL AND a.spoilt = 0'

/** What accepted deliveries told. */
const DELIVERED = `SELECT ${TELLINGS}, ${counted('a.at')}
  FROM ${ATTEMPTS} JOIN events e ON e.seq = d.event_seq ${TOLD_BY} WHERE ${ACCEPTED} GROUP BY 1, 2, 3`

/** Counts the rows of one table, each by its own time. */
function rowsOf(table: string, at: string, which = 'true', id = "''"): string {
  return `SELECT ${id} AS id, ${counted(at)} FROM ${table} WHERE ${at} >= @sinceMs AND ${which} GROUP BY 1`
}

function edges(timeline: string, owner: string): string {
  return `SELECT ${edgeOf('b', 't')} AS id, ${counted('t.at')} FROM ${timeline} t
    LEFT JOIN ${timeline} b ON b.${owner} = t.${owner} AND b.position = t.position - 1
    WHERE t.at >= @sinceMs GROUP BY 1`
}

/** What the tables of a world show, by the kind of thing that a query counts. */
const QUERIES = {
  'event-happened': rowsOf('events', 'created_at', 'true', 'type'),
  'order-edge-happened': edges('order_timeline', 'order_seq'),
  'case-edge-happened': edges('brokerage_timeline', 'case_seq'),
  delivered: `SELECT '' AS id, ${counted('a.at')} FROM ${ATTEMPTS} WHERE ${ACCEPTED} GROUP BY 1`,
  'delivered-twice': `SELECT '' AS id, ${counted('lastMs')} FROM (
    SELECT max(a.at) AS lastMs FROM ${ATTEMPTS} WHERE ${ACCEPTED} GROUP BY d.event_seq, d.partner_id HAVING count(*) > 1
  ) GROUP BY 1`,
  'delivered-later': `SELECT '' AS id, ${counted('a.at')} FROM ${ATTEMPTS} WHERE ${ACCEPTED} AND EXISTS (
    SELECT 1 FROM delivery_attempts f
    WHERE f.delivery_seq = d.seq AND f.number < a.number AND f.failure IS NOT NULL AND f.spoilt = 0
  ) GROUP BY 1`,
  /** An attempt that the delivery profile signed wrongly counts as one with another secret. */
  probe: `SELECT coalesce(a.probe, 'secret') || ' ' || CASE WHEN a.status BETWEEN 200 AND 299 THEN 'accepted'
      WHEN a.status BETWEEN 400 AND 499 THEN 'refused' ELSE 'unclear' END AS id, ${counted('a.at')}
    FROM ${ATTEMPTS} WHERE a.spoilt = 1 GROUP BY 1`,
  'order-of-quote': rowsOf('orders', 'created_at', 'quote_seq IS NOT NULL'),
  'order-of-link': rowsOf('orders', 'created_at', 'link_id IS NOT NULL'),
  'quote-expired': rowsOf('quotes', 'expires_at', "state = 'expired'"),
  session: rowsOf('checkout_sessions', 'created_at', 'true', 'state'),
  click: rowsOf('clicks', 'at'),
}

type QueryKind = keyof typeof QUERIES

type FactKind = QueryKind | 'event' | 'order-edge' | 'case-edge'

/** What is counted: in calls as they finish, or in the tables of a world when it is asked for. */
export type CountKind = TallyKind | FactKind

/** Counts what the tables show of what happened since an instant of world time. */
export function readFacts(db: Db, sinceMs: number): Tallies<FactKind> {
  const facts = new Tallies<FactKind>()
  addTellings(facts, statement<Telling>(db, DELIVERED).all({ sinceMs }))
  for (const kind of Object.keys(QUERIES) as QueryKind[]) {
    for (const { id, ...met } of statement<Met & { id: string }>(db, QUERIES[kind]).all({ sinceMs }))
      facts.add(kind, id, met)
  }
  return facts
}
