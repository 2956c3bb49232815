import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { isObject } from '../../contract/is-object.ts'
import { decodedEscapes, jsonIn } from '../../contract/words.ts'
import { allRows } from '../../operator-api/all-rows.ts'
import type { PartnerEvent } from '../../operator-api/rows/events.ts'
import type { WholeRequest, WrittenAct } from '../../operator-api/rows/requests.ts'
import type { OperatorContext } from '../operator/operator-command.ts'
import { membersOf } from '../output/records.ts'
import { CliError } from '../session.ts'

export interface RecordedCall extends WholeRequest {
  kind: 'call'
  atMs: number
  worldMs: number
  /** The authentication check that refused it. */
  refusedBy: string | null
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>
  /** The members of its answer; none if that is not a JSON object. */
  answered: Readonly<Record<string, unknown>>
}

export interface RecordedAct extends WrittenAct {
  kind: 'act'
  /** World time before and after it, in milliseconds. */
  fromMs: number
  toMs: number
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
interface RecordedEvent {
  id: string
  type: PartnerEvent['type']
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
  /** Whether the calls went through a proxy. */
  isOfProxy: boolean
}

/** More than a scenario that a person would read. */
const MOST = 300

/** @param since wall time in milliseconds, or the request after which it begins; null for all that the log still has. */
export async function readHistory(context: OperatorContext, since: number | string | null): Promise<History> {
  const { client, world } = context
  const log = await readLog(context, since)
  const { proxy } = await client.call('sandbox.show', {})
  // The rest of what happened behind a proxy is known to its target alone.
  if (proxy !== undefined) return { happened: log, events: [], delivered: new Set(), isOfProxy: true }
  const events = (await allRows(client, world, 'events.list', { limit: 200 })).map(asEvent)
  const paid = await allRows(client, world, 'checkout.list', { status: 'paid', limit: 100 })
  const sales = paid.map(({ session_id: sessionId, public_id, domain }): RecordedSale => {
    return { kind: 'sale', sessionId, publicId: String(public_id), domain }
  })
  const deliveries = await allRows(client, world, 'deliveries.list', { limit: 100, state: 'delivered' })
  const delivered = new Set(deliveries.map(({ event_id }) => event_id))
  return { happened: withSales(log, sales, events), events, delivered, isOfProxy: false }
}

async function readLog({ client, world }: OperatorContext, since: number | string | null): Promise<Recorded[]> {
  const newestFirst = await allRows(client, world, 'requests.list', { limit: 1_000 })
  const begin = newestFirst.find(({ request_id }) => request_id === since)
  if (typeof since === 'string' && !begin)
    throw new CliError(`--since: no request ${JSON.stringify(since)} in the log of this world; see request list`)
  const first = begin?.position ?? 0
  const sinceMs = typeof since === 'number' ? since : Number.NEGATIVE_INFINITY
  const isLate = (at: string) => Date.parse(at) >= sinceMs
  const calls = newestFirst.reverse().filter(({ position, at }) => position > first && isLate(at))
  const allActs = await allRows(client, world, 'acts.list', { limit: 1_000 })
  const acts = allActs.filter(({ after_request, at }) => after_request >= first && isLate(at)).map(asAct)
  if (calls.length + acts.length > MOST) {
    throw new CliError(
      `${calls.length} calls and ${acts.length} operator actions are too many for one scenario (at most ${MOST}); begin later with --since`,
    )
  }
  // An act comes after the last call that had been answered when it was done.
  const log: Recorded[] = []
  for (const { request_id, position } of calls) {
    const call = await client.call('requests.show', { w: world, request_id })
    log.push(...acts.splice(0, acts.filter((act) => act.after_request < position).length), asCall(call))
  }
  return [...log, ...acts]
}

const PAY = 'POST /checkout-sessions/{session_id}/pay'

/**
 * Puts each hosted sale where its order was recorded. An operator's act that paid gives way to it; a payment on the page leaves
 * no trace but the first event of the order.
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
    const paid = merged.findIndex((one) => isPayment(one, sale, atMs))
    if (paid === -1) merged.splice(placeOf(merged, sale, atMs), 0, sale)
    else merged.splice(paid, 1, sale)
  }
  return merged
}

/** Whether an operator's act paid for a sale at this time, and did not only begin a payment that took until later. */
function isPayment(one: Recorded, { sessionId }: RecordedSale, atMs: number): boolean {
  if (one.kind !== 'act' || one.operation !== PAY || one.params['session_id'] !== sessionId) return false
  return one.fromMs <= atMs && atMs <= one.toMs
}

/** If several things share its time, a sale comes before the first that names its order. */
function placeOf(log: readonly Recorded[], sale: RecordedSale, atMs: number): number {
  const opened = log.findIndex((one) => mentions(one, sale.sessionId))
  const next = log.findIndex(
    (one, i) => i > opened && one.kind !== 'sale' && (worldTimeOf(one) > atMs || mentions(one, sale.publicId)),
  )
  return next === -1 ? log.length : next
}

function mentions(one: Recorded, id: string): boolean {
  if (one.kind === 'sale') return one.publicId === id
  const texts = one.kind === 'call' ? [one.target, one.answered] : [one.params, one.body]
  return JSON.stringify(texts).includes(id)
}

function worldTimeOf(one: Recorded): number {
  if (one.kind === 'sale') return 0
  return one.kind === 'call' ? one.worldMs : one.fromMs
}

function asCall(call: WholeRequest): RecordedCall {
  return {
    ...call,
    kind: 'call',
    atMs: Date.parse(call.at),
    worldMs: Date.parse(call.world_time),
    refusedBy: call.checks.find(({ verdict }) => verdict === 'refused')?.check ?? null,
    headers: Object.fromEntries(call.request.headers.map(([name, value]) => [name.toLowerCase(), value])),
    answered: membersOf(jsonIn(call.answer.body)),
  }
}

function asAct(act: WrittenAct): RecordedAct {
  const { from, to } = act.world_time
  return { ...act, kind: 'act', fromMs: Date.parse(from), toMs: Date.parse(to), body: membersOf(act.body) }
}

function asEvent({ id, type, created_at, data }: PartnerEvent): RecordedEvent {
  const brokered = 'case' in data ? data.case : null
  return {
    id,
    type,
    atMs: Date.parse(created_at),
    subject: 'order' in data ? data.order.public_id : (brokered?.case_id ?? null),
    dealPriceCents: brokered?.deal_price_cents ?? null,
  }
}

/** The members of the body; null if it is not a JSON object. */
export function bodyOf({ request }: RecordedCall): Record<string, unknown> | null {
  const body = jsonIn(request.body)
  return isObject(body) ? body : null
}

export function headerOf({ headers }: RecordedCall, name: keyof typeof HEADERS): string | undefined {
  return headers[HEADERS[name].toLowerCase()]
}

/** The parameters in the path of a call, by name. */
export function pathOf({ target }: RecordedCall, op: EndpointId): Record<string, string> {
  const sent = target.split('?')[0]?.split('/') ?? []
  return Object.fromEntries(
    ENDPOINTS[op].path
      .split('/')
      .flatMap((part, i) => (part.startsWith('{') ? [[part.slice(1, -1), decodedEscapes(sent[i] ?? '')]] : [])),
  )
}

export function queryOf({ target }: RecordedCall): URLSearchParams {
  const mark = target.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : target.slice(mark))
}
