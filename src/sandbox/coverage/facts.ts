import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'
import type { Db } from '../../storage/db.ts'

/** What is counted as calls finish, because no table of a world shows it afterwards. */
type TallyKind =
  | 'called'
  | 'accepted'
  | 'code'
  | 'retry-right'
  | 'retry-wrong'
  | 'order-edge'
  | 'order-state'
  | 'case-edge'
  | 'event'
  | 'situation'
  /** How far each partner has read its history. */
  | 'history'
  /** When counting began again, and what the tables of the world held at that instant already. */
  | 'start'
  | 'baseline'

/** How often something happened, and when first and last, in milliseconds of world time. */
export interface Met {
  readonly count: number
  readonly firstMs: number
  readonly lastMs: number
}

export const NOTHING: Met = { count: 0, firstMs: 0, lastMs: 0 }

/** Counts of the same thing as one. */
export function together(...all: readonly Met[]): Met {
  return all.reduce(both, NOTHING)
}

function both(one: Met, other: Met): Met {
  if (one.count === 0) return other
  if (other.count === 0) return one
  return {
    count: one.count + other.count,
    firstMs: Math.min(one.firstMs, other.firstMs),
    lastMs: Math.max(one.lastMs, other.lastMs),
  }
}

/** A count of one thing, as a table keeps it. */
export interface Tally<Kind extends string = TallyKind> extends Met {
  readonly kind: Kind
  readonly id: string
  /** What belongs to the latest of them. */
  readonly detail: string | null
}

/** Counts by kind and id, in memory; there are a few hundred at most. */
export class Tallies<Kind extends string = TallyKind> {
  readonly #known: Map<string, Tally<Kind>>

  constructor(known: readonly Tally<Kind>[] = []) {
    this.#known = new Map(known.map((tally) => [`${tally.kind} ${tally.id}`, tally]))
  }

  /** @param seen the instant of one more in world time, or a count of more. */
  add(kind: Kind, id: string, seen: number | Met, detail: string | null = null): void {
    const key = `${kind} ${id}`
    const before = this.#known.get(key)
    const more = typeof seen === 'number' ? { count: 1, firstMs: seen, lastMs: seen } : seen
    const { count, firstMs, lastMs } = before ? both(before, more) : more
    this.#known.set(key, { kind, id, count, firstMs, lastMs, detail: detail ?? before?.detail ?? null })
  }

  /** It counts zero if it was never added to. */
  of(kind: Kind, id: string): Tally<Kind> {
    return this.#known.get(`${kind} ${id}`) ?? { kind, id, ...NOTHING, detail: null }
  }

  all(): Tally<Kind>[] {
    return [...this.#known.values()]
  }
}

const counted = (at: string) => `count(*) AS count, min(${at}) AS firstMs, max(${at}) AS lastMs`

/** The step that an entry of a timeline stands for; null without an entry. */
const edgeOf = (before: string, entry: string) => `coalesce(${before}.status, 'NEW') || '>' || ${entry}.status`

const EVENT_AND_STEP = `e.type, ${edgeOf('ob', 'ot')} AS orderEdge, ${edgeOf('cb', 'ct')} AS caseEdge`
const STEP_OF_EVENT = `
  LEFT JOIN orders o ON o.public_id = json_extract(e.data, '$.order.public_id')
  LEFT JOIN order_timeline ot ON ot.order_seq = o.seq AND ot.event_seq = e.seq
  LEFT JOIN order_timeline ob ON ob.order_seq = ot.order_seq AND ob.position = ot.position - 1
  LEFT JOIN brokerage_cases c ON c.case_id = json_extract(e.data, '$.case.case_id')
  LEFT JOIN brokerage_timeline ct ON ct.case_seq = c.seq AND ct.event_seq = e.seq
  LEFT JOIN brokerage_timeline cb ON cb.case_seq = ct.case_seq AND cb.position = ct.position - 1`

/** Events of one type that report the same step of an order or of a case. */
interface CountedEvents extends Met {
  readonly type: string
  readonly orderEdge: string | null
  readonly caseEdge: string | null
}

/** Counts events that a client has seen, and the steps that they report. */
export function addEvents(
  tallies: { add(kind: 'event' | 'order-edge' | 'case-edge', id: string, met: Met): void },
  events: readonly CountedEvents[],
): void {
  for (const { type, orderEdge, caseEdge, ...met } of events) {
    tallies.add('event', type, met)
    if (orderEdge !== null) tallies.add('order-edge', orderEdge, met)
    if (caseEdge !== null) tallies.add('case-edge', caseEdge, met)
  }
}

/** The events of a stretch of a partner's history, both ends included, which a client reads at an instant. */
export function eventsBetween(
  db: Db,
  stretch: { partnerId: string; from: number; to: number; atMs: number },
): CountedEvents[] {
  const sql = `SELECT ${EVENT_AND_STEP}, count(*) AS count, @atMs AS firstMs, @atMs AS lastMs FROM events e ${STEP_OF_EVENT}
    WHERE e.partner_id = @partnerId AND e.seq BETWEEN @from AND @to GROUP BY 1, 2, 3`
  return db.statement<CountedEvents>(sql).all(stretch)
}

const ACCEPTED = 'a.at >= @sinceMs AND a.failure IS NULL AND a.spoilt = 0'

const DELIVERED = `SELECT ${EVENT_AND_STEP}, ${counted('a.at')} FROM delivery_attempts a
  JOIN deliveries d ON d.seq = a.delivery_seq JOIN events e ON e.seq = d.event_seq ${STEP_OF_EVENT}
  WHERE ${ACCEPTED} GROUP BY 1, 2, 3`

function rowsOf(table: string, at: string, which = 'true', id = "''"): string {
  return `SELECT ${id} AS id, ${counted(at)} FROM ${table} WHERE ${at} >= @sinceMs AND ${which} GROUP BY 1`
}

function edges(timeline: string, owner: string): string {
  return `SELECT before || '>' || status AS id, ${counted('at')}
    FROM (SELECT status, at, lag(status, 1, 'NEW') OVER (PARTITION BY ${owner} ORDER BY position) AS before FROM ${timeline})
    WHERE at >= @sinceMs GROUP BY before, status`
}

/** What the tables of a world show, by the kind of thing that a query counts. */
const QUERIES = {
  'event-happened': rowsOf('events', 'created_at', 'true', 'type'),
  'order-edge-happened': edges('order_timeline', 'order_seq'),
  'case-edge-happened': edges('brokerage_timeline', 'case_seq'),
  'delivered-twice': `SELECT '' AS id, ${counted('lastMs')} FROM (
    SELECT max(a.at) AS lastMs FROM deliveries d JOIN delivery_attempts a ON a.delivery_seq = d.seq AND ${ACCEPTED}
    WHERE d.event_seq IN (SELECT event_seq FROM deliveries WHERE copy > 0 OR attempts > 1)
    GROUP BY d.event_seq, d.partner_id HAVING count(*) > 1
  ) GROUP BY 1`,
  'delivered-later': `SELECT '' AS id, ${counted('a.at')} FROM delivery_attempts a
    WHERE ${ACCEPTED} AND a.number > 1 AND EXISTS (SELECT 1 FROM delivery_attempts f
      WHERE f.delivery_seq = a.delivery_seq AND f.number < a.number AND f.failure IS NOT NULL AND f.spoilt = 0)
    GROUP BY 1`,
  /** An attempt that the delivery profile signed wrongly counts as one with another secret. */
  probe: `SELECT coalesce(probe, 'secret') || ' ' || CASE WHEN status BETWEEN 200 AND 299 THEN 'accepted'
      WHEN status BETWEEN 400 AND 499 THEN 'refused' ELSE 'unclear' END AS id, ${counted('at')}
    FROM delivery_attempts WHERE at >= @sinceMs AND spoilt = 1 GROUP BY 1`,
  'order-of-quote': rowsOf('orders', 'created_at', 'quote_seq IS NOT NULL'),
  'order-of-link': rowsOf('orders', 'created_at', 'link_id IS NOT NULL'),
  'quote-expired': rowsOf('quotes', 'expires_at', "state = 'expired'"),
  session: rowsOf('checkout_sessions', 'created_at', 'true', 'state'),
  click: rowsOf('clicks', 'at'),
}

type QueryKind = keyof typeof QUERIES

type FactKind = QueryKind | 'event' | 'order-edge' | 'case-edge' | 'delivered'

/** What is counted: in calls as they finish, or in the tables of a world when it is asked for. */
export type CountKind = TallyKind | FactKind

/** Counts what the tables show of what happened since an instant of world time. */
export function readFacts(db: Db, sinceMs: number): Tallies<FactKind> {
  const facts = new Tallies<FactKind>()
  const delivered = db.statement<CountedEvents>(DELIVERED).all({ sinceMs })
  addEvents(facts, delivered)
  for (const events of delivered) facts.add('delivered', '', events)
  for (const kind of Object.keys(QUERIES) as QueryKind[]) {
    for (const { id, ...met } of db.statement<Met & { id: string }>(QUERIES[kind]).all({ sinceMs }))
      facts.add(kind, id, met)
  }
  return facts
}

/** Where a thing starts that was in no state before. */
export const NEW = 'NEW'

/** @example edge('OPEN', 'DEAL_CLOSED') // 'OPEN>DEAL_CLOSED' */
export function edge(from: string, to: string): string {
  return `${from}>${to}`
}

// Answers are searched as text, in a quarter of the time that parsing takes, because every order that is sold comes by here. No text of a
// caller can look like a name of JSON: its quotes are escaped.

/**
 * Every step that the timelines of an answer show: of one order or case, or of a page of them.
 *
 * @example stepsIn('{"timeline":[{"status":"OPEN"},{"status":"DEAL_CLOSED"}]}') // [['NEW', 'OPEN'], ['OPEN', 'DEAL_CLOSED']]
 */
export function stepsIn(body: string): [from: string, to: string][] {
  const steps: [string, string][] = []
  // Null before the first timeline.
  let before: string | null = null
  for (const [, state] of body.matchAll(/"timeline":\s*\[|\{\s*"status":\s*"([^"]*)"/g)) {
    if (state === undefined) before = NEW
    else if (before !== null) {
      if (state !== before) steps.push([before, state])
      before = state
    }
  }
  return steps
}

/** An event as the history shows it. */
export interface ShownEvent {
  readonly id: string
  readonly type: string
}

/** The events of a page of the history. */
export function eventsIn(body: string): ShownEvent[] {
  const found = body.matchAll(/"id":\s*"([^"]*)",\s*"type":\s*"([^"]*)"/g)
  return [...found].map(([, id, type]) => ({ id: id as string, type: type as string }))
}

/** The state of the first thing that an answer shows; empty if it shows none. */
export function statusIn(body: string): string {
  return /"status":\s*"([^"]*)"/.exec(body)?.[1] ?? ''
}

/** The code of the document that a refusal carries, in any layout; null for any other. */
export function codeIn(body: string): ErrorCode | null {
  const found = /"code":\s*"([^"]*)"/.exec(body)?.[1]
  return isErrorCode(found) ? found : null
}
