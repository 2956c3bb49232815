import { randomBytes } from 'node:crypto'
import { formatDuration } from '../../clock/duration.ts'
import { formatInstant } from '../../clock/instant.ts'
import type { WallClock } from '../../clock/wall-clock.ts'
import type { EventType } from '../../contract/event-types.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import { ID_PREFIXES, type IdKind } from '../../contract/ids.ts'
import { ORDER_STEPS } from '../../contract/order-states.ts'
import { signWebhook } from '../../contract/signature.ts'
import type { Caller } from '../context/run.ts'
import { record } from '../context/send-call.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import type { Reply, WireRequest } from '../http/exchange.ts'
import { type ConcurrencyLimit, retryAfterMs } from '../http/throttle.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult, Observation, Outline, RunResult } from '../result/result.ts'

/** An event as it goes over the wire (document: Event envelope). */
export interface Envelope {
  id: string
  type: string
  created_at: string
  partner_id: string
  data: Record<string, unknown>
}

/** What an event is to have that others have not. */
interface EventChange {
  /** The age in milliseconds; negative for the future. */
  ageMs?: number
  partner?: 'unknown'
  /** An order of earlier events. */
  publicId?: string
  /** What an invented order has beside the usual. */
  order?: Record<string, unknown>
  /** A text in the payload of a case: the document does not show it, so a receiver has no good reason to refuse it. */
  note?: string
  data?: Record<string, unknown>
}

/** Makes events that the receiver has not seen before: if it remembers ids, it would otherwise hide what it does with them. */
type EventMaker = (type: string, change?: EventChange) => Envelope

/** Payloads of the partner's own, by event type; they stand in for made-up ones of which nothing is asked. */
type OwnPayloads = ReadonlyMap<string, Record<string, unknown>>

/**
 * @param own what `--events` gave; empty for made-up payloads alone.
 * @example createEventMaker(wallClock, new Map())('order.recorded').data // { order: { public_id: 'ord_…', … } }
 */
export function createEventMaker(wall: WallClock, own: OwnPayloads): EventMaker {
  const partnerId = opaqueId('partner')
  return (type, change = {}) => {
    const { ageMs = 0, partner, publicId, order, note } = change
    const isPlain = publicId === undefined && order === undefined && note === undefined
    return {
      id: opaqueId('event'),
      type,
      created_at: formatInstant(wall.nowMs() - ageMs),
      partner_id: partner === 'unknown' ? opaqueId('partner') : partnerId,
      data: change.data ?? (isPlain ? own.get(type) : undefined) ?? madeUp(type, change),
    }
  }
}

/** The JSON text of an event just as the service writes it: this order of members, no blanks. */
export function bodyTextOf({ id, type, created_at, partner_id, data }: Envelope): string {
  return JSON.stringify({ id, type, created_at, partner_id, data })
}

/** What a receiver that took this event may have written down. */
function toldOf({ data }: Envelope): RunResult['created'] {
  const order = memberOf(data['order'], 'public_id')
  const brokerageCase = memberOf(data['case'], 'case_id')
  return [
    ...(order === null ? [] : [{ kind: 'order' as const, id: order }]),
    ...(brokerageCase === null ? [] : [{ kind: 'case' as const, id: brokerageCase }]),
  ]
}

function memberOf(value: unknown, name: string): string | null {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return typeof member === 'string' ? member : null
}

const CENTS = 125_000
const CUT_CENTS = 25_000

function madeUp(type: string, { publicId, order, note }: EventChange): Record<string, unknown> {
  if (type.startsWith('brokerage.')) return { case: { ...caseFacts(), ...(note !== undefined && { note }) } }
  return { order: { ...orderFacts(type, publicId ?? opaqueId('order')), ...order } }
}

/** What an order event says; a name under .test has no owner. */
function orderFacts(type: string, publicId: string): Record<string, unknown> {
  return {
    public_id: publicId,
    domain: `${publicId.slice(-8)}.test`,
    status: statusOf(type),
    sale_price_cents: CENTS,
    currency: 'USD',
  }
}

/** What an event says of a case; the document shows none, so this is as our sandbox has it. */
function caseFacts(): Record<string, unknown> {
  const id = opaqueId('brokerageCase')
  return {
    case_id: id,
    domain: `${id.slice(-8)}.test`,
    tier: 'managed',
    status: 'DEAL_CLOSED',
    deal_price_cents: CENTS,
    partner_cut_cents: CUT_CENTS,
    currency: 'USD',
  }
}

/** The state that an order is in when such an event is sent; of an unknown type that of a new order. */
function statusOf(type: string): string {
  return Object.values(ORDER_STEPS).find(({ event }) => event === (type as EventType))?.to ?? 'EXTERNALLY_PAID'
}

const OPAQUE_BYTES = 10

/** An id of any kind, opaque after the document's prefix. */
export function opaqueId(kind: IdKind): string {
  return ID_PREFIXES[kind] + randomBytes(OPAQUE_BYTES).toString('hex')
}

/** One request to the receiver, valid or not. */
export interface SentDelivery {
  body: Buffer
  /** Values of the signature header, each in a line of its own; none for no header at all. */
  signatures: readonly string[]
  /** What it is about, if a receiver may take it. */
  event?: Envelope
  /** How the name of the signature header is spelled. */
  headerName?: string
  /** `close`, as the service does, unless said otherwise. */
  connection?: 'close' | 'keep-alive'
  /** POST unless said otherwise. */
  method?: 'GET' | 'POST'
}

/** What came of a delivery: all that was answered, of which the exchange may keep a part, and from before the connection on. */
export interface Sent extends Reply {
  delivery: SentDelivery
  /** Id of the exchange that the run keeps. */
  exchange: string
  /** Null if there was no whole answer. */
  status: number | null
}

/** How a valid delivery is to be, where it matters. */
export interface ValidWish extends EventChange, Pick<SentDelivery, 'headerName' | 'connection'> {
  /** `order.recorded` if absent. */
  type?: string
  /** How the event is written down; as the service does if absent. */
  write?: (event: Envelope) => string
}

/** One that every receiver takes. */
type ValidDelivery = SentDelivery & { event: Envelope }

/** A webhook receiver of a partner's own, and what a run knows of it. */
export interface PartnerReceiver {
  readonly secret: string
  /** Path with query. */
  readonly target: string
  /** Headers of the partner's own, for a gateway before the receiver. */
  readonly headers: readonly (readonly [string, string])[]
  /** How long the service waits for an answer (document: Limits). */
  readonly deadlineMs: number
  readonly makeEvent: EventMaker
  /** The partner's own count of events once it stands still, and has reached what is hoped for if it ever does. */
  countEvents(hoped: number): Promise<number | { why: string }>
  /** How many deliveries may be under way. */
  readonly limit: ConcurrencyLimit
  /** All that it was sent; grows while the run goes. */
  readonly sent: Sent[]
  /** What is found out once for all scenarios: what came of a delivery that another secret has signed, and nothing else is wrong with. */
  readonly shared: { forgery?: Promise<Standing> }
}

/** What the steps of a scenario work with. */
export interface Courier extends PartnerReceiver {
  /** Of a new event, signed as the service signs it (HOOK-02). */
  valid(wish?: ValidWish): ValidDelivery
  /** Sends it and waits for what comes; never rejects for anything the receiver does. */
  deliver(delivery: SentDelivery): Promise<Sent>
  observe(gap: string, value: string): void
}

/** The request of a delivery as the service writes it: a connection of its own, then these headers in this order. */
function requestOf(
  {
    body,
    signatures,
    headerName = HEADERS.signature.toLowerCase(),
    connection = 'close',
    method = 'POST',
  }: SentDelivery,
  { target, headers }: PartnerReceiver,
): WireRequest {
  return {
    method,
    target,
    headers: [
      ['connection', connection],
      ['content-type', 'application/json'],
      ['user-agent', 'partner-sandbox'],
      ...signatures.map((value) => [headerName, value] as const),
      ...headers,
    ],
    body,
  }
}

/** What an answer, or the lack of one, says of a delivery. */
export type Standing =
  /** A 2xx in time. */
  | 'taken'
  /** A 2xx, but after the deadline of the service. */
  | 'late'
  /** A 4xx. */
  | 'refused'
  /** A 3xx. */
  | 'moved'
  /** A 429 or 503 that does not end: too many calls, which says nothing of this one. */
  | 'throttled'
  /** A 5xx. */
  | 'crashed'
  /** Nothing, as long as we waited. */
  | 'silent'
  /** A connection that broke, or an answer that is none. */
  | 'cut'

export function standingOf({ status, tookMs, broken }: Sent, { deadlineMs }: PartnerReceiver): Standing {
  if (status === null) return broken?.reason === 'timeout' ? 'silent' : 'cut'
  if (status < 300) return tookMs > deadlineMs ? 'late' : 'taken'
  if (status < 400) return 'moved'
  if (status === 429) return 'throttled'
  return status < 500 ? 'refused' : 'crashed'
}

/** What came of it, in a few words. */
export function inWords({ status, tookMs, broken }: Sent): string {
  if (status !== null) return `answered ${status} after ${Math.round(tookMs)} ms`
  return broken ? `${broken.reason}: ${broken.message}` : 'not answered'
}

/** Sends deliveries to the receiver in the name of one scenario, and keeps what it observes of open points. */
export function courierOf(caller: Caller, receiver: PartnerReceiver, observations: Observation[]): Courier {
  return {
    ...receiver,
    valid({ type = 'order.recorded', write = bodyTextOf, headerName, connection, ...change } = {}) {
      const event = receiver.makeEvent(type, change)
      const body = Buffer.from(write(event), 'utf8')
      const signatures = [signWebhook(receiver.secret, body)]
      return { body, signatures, event, ...(headerName && { headerName }), ...(connection && { connection }) }
    },
    deliver: (delivery) => deliverPatiently(caller, receiver, delivery),
    observe(gap, value) {
      observations.push({ gap, value, scenario: caller.id })
    },
  }
}

/** A gateway before the receiver may count calls: a delivery that it refuses is sent again after the pause it asks for. */
const MOST_TRIES = 8
const LONGEST_WAIT_MS = 30_000

async function deliverPatiently(caller: Caller, receiver: PartnerReceiver, delivery: SentDelivery) {
  let waitedMs = 0
  for (let tries = 1; ; tries++) {
    const sent = await receiver.limit.within(() => deliverOnce(caller, receiver, delivery))
    if (sent.status !== 429 || tries === MOST_TRIES) return sent
    const asked = headerIn(sent.answer?.headers, 'retry-after')
    const waitMs = retryAfterMs(asked, caller.run.wall.nowMs())
    waitedMs += waitMs
    if (waitedMs > LONGEST_WAIT_MS) return sent
    await caller.run.pause(waitMs)
  }
}

async function deliverOnce(caller: Caller, receiver: PartnerReceiver, delivery: SentDelivery): Promise<Sent> {
  const { run } = caller
  // The scenario then counts as interrupted.
  if (run.signal?.aborted) throw new Error('the run was stopped')
  await run.budget.request(run.signal)
  const request = requestOf(delivery, receiver)
  const sentAtMs = run.wall.nowMs()
  const startedMs = run.wall.monotonicMs()
  const reply = await run.sender.send(request, run.signal ? { signal: run.signal } : {})
  // The service's deadline counts from before the connection, so reports have that figure and no other.
  const tookMs = run.wall.monotonicMs() - startedMs
  const [signature, ...more] = delivery.signatures
  const isSigned = more.length === 0 && signature === signWebhook(receiver.secret, delivery.body)
  const { id } = record(caller, {
    sentAtMs,
    request,
    canonicalString: null,
    ...reply,
    tookMs,
    origin: run.target.url,
    ...(isSigned ? {} : { oddity: 'a delivery that is signed wrongly on purpose' }),
  })
  const status = reply.answer?.status ?? null
  const sent: Sent = { delivery, exchange: id, ...reply, status, tookMs }
  receiver.sent.push(sent)
  if (status !== null && status < 300 && delivery.event) noteTold(caller, delivery.event)
  return sent
}

function noteTold({ run: { created } }: Caller, event: Envelope): void {
  for (const thing of toldOf(event)) {
    if (!created.some(({ kind, id }) => kind === thing.kind && id === thing.id)) created.push(thing)
  }
}

/** Scenarios for receivers are code; this is what they judge. */
const REQUIREMENTS_FILE = 'fixtures/receiver-requirements.yaml'

export interface ReceiverScenario extends Outline {
  /** Its parts: the checks that each declares, and the code that makes them. */
  steps: readonly { checks: Outline['checks']; run(courier: Courier): Promise<CheckResult[]> }[]
  /** What others send meanwhile would disturb it. */
  alone: boolean
}

/** @param id never renamed, as those of scenario files. */
export function receiverScenario(
  id: string,
  title: string,
  steps: ReceiverScenario['steps'],
  { alone = false } = {},
): ReceiverScenario {
  return { id, title, file: REQUIREMENTS_FILE, checks: steps.flatMap(({ checks }) => checks), steps, alone }
}

/** The name of a step about an event type. */
export function stepOf(type: string): string {
  return type.replaceAll('.', '_')
}

/** One step that shows the same of several deliveries, each under its own name. */
export function courseStep(
  requirement: string,
  names: readonly string[],
  run: ReceiverScenario['steps'][number]['run'],
): ReceiverScenario['steps'][number] {
  return { checks: names.map((step) => ({ step, requirement })), run }
}

/** In time; a receiver may have other faults. */
const IN_TIME = 'RECV-02'
const NO_REDIRECT = 'RECV-21'

interface ValidRow {
  step: string
  shows: string
  wish?: ValidWish
  /** What most likely is wrong where it is not taken. */
  cause: string
}

/**
 * A step for each of these, which all show the same.
 *
 * @param cause of one that is not taken where a plain event of its type is.
 */
export function validSteps(
  shows: string,
  cause: string,
  wishes: Readonly<Record<string, ValidWish>>,
): ReceiverScenario['steps'] {
  return Object.entries(wishes).map(([step, wish]) =>
    courseStep(shows, [step], (courier) => judgeBesidePlain(courier, wish, { step, shows, wish, cause })),
  )
}

/** Where a plain event of the same type is not taken either, the failure shows nothing of what is odd about this one. */
async function judgeBesidePlain(courier: Courier, wish: ValidWish, row: ValidRow): Promise<CheckResult[]> {
  const [own, ...others] = await judgeValid(courier, row)
  const { type = 'order.recorded', note, data, publicId, order, ...odd } = wish
  const isOdd = note !== undefined || Object.keys({ ...odd, ...order }).length > 0
  const isOfCourse = publicId !== undefined || order !== undefined
  if (own?.verdict !== 'fail' || data !== undefined || !(isOdd || isOfCourse)) return own ? [own, ...others] : others
  const plain = await courier.deliver(courier.valid({ type, ...(note !== undefined && { note: 'x' }) }))
  if (standingOf(plain, courier) === 'taken') return [own, ...others]
  const why = `a plain ${type} is not accepted either`
  // Nothing else is known about that order, so that this may be what the failure is about.
  if (!isOdd) return [{ ...own, note: why }, ...others]
  return [
    { ...own, verdict: 'inconclusive', note: why, todo: `First make the receiver accept a plain ${type}.` },
    ...others,
  ]
}

/**
 * Sends what must be taken. A 4xx or a redirect is an answer and counts at once; what may have been an accident (a 5xx, a
 * broken connection, an answer that comes too late) counts where it happens twice.
 *
 * @param known a delivery to be sent; if absent, each try sends a new one.
 */
export async function judgeValid(courier: Courier, row: ValidRow, known?: SentDelivery): Promise<CheckResult[]> {
  const deliver = () => courier.deliver(known ?? courier.valid(row.wish))
  const first = await deliver()
  if (['taken', 'refused', 'moved'].includes(standingOf(first, courier))) return checksOf(courier, row, [first])
  return checksOf(courier, row, [first, await deliver()])
}

const LATE = 'the work is done before the answer; answer first, and work afterwards'
const MOVED = 'the registered address redirects, and redirects are not followed'

/** The checks of a valid delivery and, where there was one, of its second try. */
export function checksOf(courier: Courier, row: ValidRow, tries: readonly Sent[]): CheckResult[] {
  const { step, shows } = row
  const standings = tries.map((sent) => standingOf(sent, courier))
  const actual = tries.map(inWords).join('; then ')
  const checked = (requirement: string, check: Check) =>
    placed(step, requirement, inTime(courier), tries.at(-1)?.exchange ?? null, check)
  const checks = [checked(shows, judgmentOf(row, standings, actual))]
  const isSlow = standings.every((standing) => standing === 'late' || standing === 'silent')
  if (isSlow && shows !== IN_TIME) checks.push(checked(IN_TIME, failure(actual, LATE)))
  if (standings.at(-1) === 'moved' && shows !== NO_REDIRECT) checks.push(checked(NO_REDIRECT, failure(actual, MOVED)))
  return checks
}

export function inTime({ deadlineMs }: Courier): string {
  return `a 2xx within ${formatDuration(deadlineMs)}`
}

function judgmentOf({ shows, cause }: ValidRow, standings: readonly Standing[], actual: string): Check {
  const last = standings.at(-1)
  if (last === 'taken')
    return standings.length === 1
      ? { verdict: 'pass', actual }
      : unproven(actual, 'what went wrong first did not happen again')
  // It was taken, only not in time: that is RECV-02's to say.
  if (standings.includes('late') && shows !== IN_TIME) return unproven(actual, 'it was accepted, but too late to count')
  return failure(actual, last === 'throttled' ? 'it kept answering 429' : cause)
}
