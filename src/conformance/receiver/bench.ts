import { sleep, type WallClock } from '../../clock/wall-clock.ts'
import { LIMITS } from '../../contract/limits.ts'
import { signWebhook } from '../../contract/webhook-signature.ts'
import type { Exchange, Outcome } from '../http/exchange.ts'
import type { Sender } from '../http/send.ts'
import type { CreatedThing, Observation } from '../result/result.ts'
import { type Delivery, requestOf, type Sent, soundDelivery } from './delivery.ts'
import { type Envelope, type EventChange, type EventMaker, toldOf } from './event-maker.ts'
import type { ProbeEffects } from './probe-effects.ts'

/** What all scenarios of a run share. */
export interface Workshop {
  readonly sender: Sender
  readonly wall: WallClock
  readonly maker: EventMaker
  readonly secret: string
  /** Origin of the receiver, and path with query. */
  readonly origin: string
  readonly target: string
  readonly extraHeaders: readonly (readonly [string, string])[]
  readonly deadlineMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Payloads of the partner's own, all of them, in the order of their file. */
  readonly ownEvents: readonly { type: string; data: Record<string, unknown> }[]
  readonly effects: ProbeEffects | null
  /** Grows while the run goes. */
  readonly sent: Sent[]
  readonly created: CreatedThing[]
  readonly observations: Observation[]
  readonly lanes: Lanes
  onExchange(exchange: Exchange): void
}

/** How many deliveries may be under way at once; a receiver that takes one at a time is to be judged as such. */
export interface Lanes {
  limit: number
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** What one scenario works with. */
export interface Bench extends Workshop {
  readonly scenario: string
  /** Sends it and waits for what comes; never rejects for anything the receiver does. */
  deliver(delivery: Delivery): Promise<Sent>
  event(type: string, change?: EventChange): Envelope
  /** Signed as the service signs. */
  sound(event: Envelope, text?: string): Delivery
  observe(gap: string, value: unknown): void
}

export const DEADLINE_MS = LIMITS.webhookTimeoutMs

/** @param prefix of the ids of its exchanges. */
export function benchOf(shop: Workshop, scenario: string, prefix: string): Bench {
  let count = 0
  const nextId = () => `${prefix}e${++count}`
  return {
    ...shop,
    scenario,
    deliver: (delivery) => deliverPatiently(shop, delivery, { scenario, nextId }),
    event: (type, change) => shop.maker.make(type, change),
    sound: (event, text) => soundDelivery(shop.secret, event, text),
    observe: (gap, value) => void shop.observations.push({ gap, value, scenario }),
  }
}

interface Place {
  scenario: string
  nextId(): string
}

/** A gateway before the receiver may count calls: what it turns away is sent again as late as it asks for. */
const MOST_TRIES = 4
const LONGEST_RETRY_AFTER_SECONDS = 10

async function deliverPatiently(shop: Workshop, delivery: Delivery, place: Place): Promise<Sent> {
  for (let tries = 1; ; tries++) {
    const sent = await shop.lanes.run(() => deliverOnce(shop, delivery, place))
    const waitSeconds = tries < MOST_TRIES ? secondsToWait(sent) : null
    if (waitSeconds === null) return sent
    await sleep(waitSeconds * 1_000, shop.signal)
  }
}

async function deliverOnce(shop: Workshop, delivery: Delivery, { scenario, nextId }: Place): Promise<Sent> {
  // Its scenario then says that it was interrupted.
  if (shop.signal?.aborted) throw new Error('the run was stopped')
  const request = requestOf(delivery, shop.target, shop.extraHeaders)
  const sentAtMs = shop.wall.nowMs()
  const startedMs = shop.wall.monotonicMs()
  const answered = await shop.sender.send(request, shop.signal ? { signal: shop.signal } : {})
  const tookMs = shop.wall.monotonicMs() - startedMs
  const outcome = lasting(answered, tookMs)
  const status = outcome.kind === 'response' ? outcome.response.status : null
  const exchange: Exchange = {
    ...{ id: nextId(), scenario, sentAtMs, request, canonicalString: null, outcome },
    origin: shop.origin,
    ...(isSigned(shop, delivery) ? {} : { oddity: 'a delivery that is signed wrongly on purpose' }),
  }
  const sent: Sent = { delivery, exchange, status, tookMs }
  shop.sent.push(sent)
  shop.onExchange(exchange)
  if (status !== null && status < 300 && delivery.event) noteTold(shop.created, delivery.event)
  return sent
}

function isSigned({ secret }: Workshop, { body, signatures: [signature, ...more] }: Delivery): boolean {
  return more.length === 0 && signature === signWebhook(secret, body)
}

/** The service's deadline counts from before the connection, so reports have that figure and no other. */
function lasting(outcome: Outcome, tookMs: number): Outcome {
  if (outcome.kind === 'broken') return { ...outcome, tookMs }
  return outcome.kind === 'response' ? { ...outcome, response: { ...outcome.response, tookMs } } : outcome
}

function noteTold(created: CreatedThing[], event: Envelope): void {
  for (const thing of toldOf(event)) {
    if (!created.some(({ kind, id }) => kind === thing.kind && id === thing.id)) created.push(thing)
  }
}

/** Null where it is not worth waiting: only a 429 that says how long, and says so reasonably. */
function secondsToWait({ status, exchange: { outcome } }: Sent): number | null {
  if (status !== 429 || outcome.kind !== 'response') return null
  const value = outcome.response.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
  const seconds = value === undefined ? 1 : Number(value)
  return seconds >= 0 && seconds <= LONGEST_RETRY_AFTER_SECONDS ? seconds : null
}

/** @example const lanes = createLanes(1) */
export function createLanes(limit: number): Lanes {
  const waiting: (() => void)[] = []
  let busy = 0
  const lanes: Lanes = {
    limit,
    async run(work) {
      // A place is handed on, never given up in between, so that nobody slips in.
      if (busy >= lanes.limit) await new Promise<void>((resolve) => waiting.push(resolve))
      else busy += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else busy -= 1
      }
    },
  }
  return lanes
}
