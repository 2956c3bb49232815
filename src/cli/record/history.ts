import type { EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { allRows } from '../operator/all-rows.ts'
import type { OperatorContext } from '../operator/operator-command.ts'
import { isRecord, rowsOf } from '../output/records.ts'
import { CliError } from '../session.ts'

/** A call as the request log has it. */
export interface RecordedCall {
  kind: 'call'
  requestId: string
  position: number
  atMs: number
  worldAtMs: number
  method: string
  target: string
  endpoint: EndpointId | null
  credential: string | null
  status: number
  code: string | null
  /** The authentication check that refused it. */
  refusedBy: string | null
  headers: Readonly<Record<string, string>>
  body: string
  bodyIsText: boolean
  answer: Readonly<Record<string, unknown>>
  /** Ids of the mistakes that explain a refused signature. */
  mistakes: string[]
  /** What went wrong with it on purpose. */
  mishap: 'refuse' | 'delay' | 'drop' | 'garbage' | null
  /** Id of the operator's fault by which it did; null for a magic name. */
  fault: string | null
}

/** Something an operator did. */
export interface RecordedAct {
  kind: 'act'
  afterRequest: number
  atMs: number
  /** World time before and after it, in milliseconds. */
  fromMs: number
  toMs: number
  operation: string
  params: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
}

/** A hosted checkout that was paid, by the operator or on the page. */
export interface RecordedSale {
  kind: 'sale'
  sessionId: string
  publicId: string
  domain: string
}

export type Recorded = RecordedCall | RecordedAct | RecordedSale

/** An event of the world, as far as a recording needs it. */
export interface RecordedEvent {
  id: string
  type: string
  /** World time in milliseconds. */
  atMs: number
  /** The id of its order or case. */
  subject: string | null
  /** What a deal was closed at; null for all other events. */
  dealPriceCents: number | null
}

/** What happened in a world since a moment. */
export interface History {
  /** Calls, acts and sales in the order in which they happened. */
  happened: readonly Recorded[]
  /** Events of the world, oldest first. */
  events: readonly RecordedEvent[]
  /** Ids of the events that a receiver has accepted. */
  delivered: ReadonlySet<string>
}

/** More than a scenario that a person would read. */
const MOST = 300

/** @param since wall time in milliseconds, or the request after which it begins; null for all that the log still has. */
export async function readHistory(context: OperatorContext, since: number | string | null): Promise<History> {
  const log = await readLog(context, since)
  const events = (await allRows(context, 'events.list', 'events', { limit: 200 })).map(asEvent)
  const paid = { status: 'paid', limit: 100 } as const
  const sales = (await allRows(context, 'checkout.list', 'checkout_sessions', paid)).map(asSale)
  const arrived = { limit: 100, state: 'delivered' } as const
  const deliveries = await allRows(context, 'deliveries.list', 'deliveries', arrived)
  const delivered = new Set(deliveries.map((row) => String(row['event_id'])))
  return { happened: withSales(log, sales, events), events, delivered }
}

async function readLog(context: OperatorContext, since: number | string | null): Promise<Recorded[]> {
  const newestFirst = await allRows(context, 'requests.list', 'requests', { limit: 1_000 })
  const summaries = newestFirst.reverse()
  const first = typeof since === 'string' ? positionOf(summaries, since) : 0
  const sinceMs = typeof since === 'number' ? since : Number.NEGATIVE_INFINITY
  const wanted = summaries.filter((row) => Number(row['position']) > first && Date.parse(String(row['at'])) >= sinceMs)
  const allActs = (await allRows(context, 'acts.list', 'acts', { limit: 1_000 })).map(asAct)
  const acts = allActs.filter((act) => act.atMs >= sinceMs && act.afterRequest >= first)
  if (wanted.length + acts.length > MOST) {
    throw new CliError(
      `${wanted.length} calls and ${acts.length} acts are too much for one scenario (${MOST}); begin later, with --since`,
    )
  }
  // An act stands behind the last call that had been answered when it was done.
  const log: Recorded[] = []
  for (const row of wanted) {
    const call = asCall(await context.call('requests.show', { request_id: String(row['request_id']) }))
    log.push(...acts.splice(0, acts.filter((act) => act.afterRequest < call.position).length), call)
  }
  return [...log, ...acts]
}

function positionOf(rows: readonly Record<string, unknown>[], requestId: string): number {
  const found = rows.find((row) => row['request_id'] === requestId)
  if (!found) throw new CliError(`--since: the log of this world has no request ${JSON.stringify(requestId)}`)
  return Number(found['position'])
}

const PAY = 'POST /checkout-sessions/{session_id}/pay'

/**
 * Puts each hosted sale where its order was recorded. An operator's act that paid gives way to it; a payment on the page leaves
 * no trace but the first event of the order. If several things share its time it stands before the first that names its order.
 */
function withSales(
  log: readonly Recorded[],
  sales: readonly RecordedSale[],
  events: readonly RecordedEvent[],
): Recorded[] {
  const merged = [...log]
  const beginMs = log[0] ? worldTimeOf(log[0]) : 0
  for (const [index, { subject, atMs }] of events.entries()) {
    const sale = sales.find(({ publicId }) => publicId === subject)
    const isFirst = events.findIndex((event) => event.subject === subject) === index
    if (!sale || !isFirst || atMs < beginMs) continue
    // Not an act that began a payment which took until later.
    const paid = merged.findIndex(
      (one) =>
        one.kind === 'act' &&
        one.operation === PAY &&
        one.params['session_id'] === sale.sessionId &&
        one.fromMs <= atMs &&
        atMs <= one.toMs,
    )
    if (paid === -1) merged.splice(placeOf(merged, sale, atMs), 0, sale)
    else merged.splice(paid, 1, sale)
  }
  return merged
}

function placeOf(log: readonly Recorded[], sale: RecordedSale, atMs: number): number {
  const opened = log.findIndex((one) => mentions(one, sale.sessionId))
  const next = log.findIndex(
    (one, i) => i > opened && one.kind !== 'sale' && (worldTimeOf(one) > atMs || mentions(one, sale.publicId)),
  )
  return next === -1 ? log.length : next
}

function mentions(one: Recorded, id: string): boolean {
  if (one.kind === 'sale') return one.publicId === id
  const texts = one.kind === 'call' ? [one.target, one.answer] : [one.params, one.body]
  return JSON.stringify(texts).includes(id)
}

function worldTimeOf(one: Recorded): number {
  if (one.kind === 'sale') return 0
  return one.kind === 'call' ? one.worldAtMs : one.fromMs
}

function asCall(answer: unknown): RecordedCall {
  const row = recordOf(answer)
  const request = recordOf(row['request'])
  const headers = (Array.isArray(request['headers']) ? request['headers'] : []) as [string, string][]
  return {
    kind: 'call',
    requestId: String(row['request_id']),
    position: Number(row['position']),
    atMs: Date.parse(String(row['at'])),
    worldAtMs: Date.parse(String(row['world_time'])),
    method: String(row['method']),
    target: String(row['target']),
    endpoint: (row['endpoint'] ?? null) as EndpointId | null,
    credential: textOrNull(row['credential']),
    status: Number(row['status']),
    code: textOrNull(row['code']),
    refusedBy: textOrNull(rowsOf(row, 'checks').find(({ verdict }) => verdict === 'refused')?.['check']),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: String(request['body'] ?? ''),
    bodyIsText: request['body_encoding'] === 'utf-8',
    answer: recordOf(jsonOf(recordOf(row['answer'])['body'])),
    mistakes: rowsOf(recordOf(row['diagnosis']), 'mistakes').map(({ id }) => String(id)),
    mishap: (row['mishap'] ?? null) as RecordedCall['mishap'],
    fault: textOrNull(row['fault']),
  }
}

function asAct(row: Record<string, unknown>): RecordedAct {
  const time = recordOf(row['world_time'])
  return {
    kind: 'act',
    afterRequest: Number(row['after_request']),
    atMs: Date.parse(String(row['at'])),
    fromMs: Date.parse(String(time['from'])),
    toMs: Date.parse(String(time['to'])),
    operation: String(row['operation']),
    params: recordOf(row['params']) as Record<string, string>,
    body: recordOf(row['body']),
  }
}

function asEvent(row: Record<string, unknown>): RecordedEvent {
  const data = recordOf(row['data'])
  const brokered = recordOf(data['case'])
  const price = brokered['deal_price_cents']
  return {
    id: String(row['id']),
    type: String(row['type']),
    atMs: Date.parse(String(row['created_at'])),
    subject: textOrNull(recordOf(data['order'])['public_id']) ?? textOrNull(brokered['case_id']),
    dealPriceCents: typeof price === 'number' ? price : null,
  }
}

function asSale(row: Record<string, unknown>): RecordedSale {
  const { session_id: sessionId, public_id: publicId, domain } = row
  return { kind: 'sale', sessionId: String(sessionId), publicId: String(publicId), domain: String(domain) }
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** The body of a call as JSON; undefined if it is not JSON. */
export function jsonOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** The idempotency key of a call. */
export function keyOf({ headers }: RecordedCall): string | undefined {
  return headers[HEADERS.idempotencyKey.toLowerCase()]
}

export function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}
