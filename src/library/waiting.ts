import { EVENT_TYPES, type EventType, TRANSFER_EVENT_TYPES } from '../contract/event-types.ts'
import { ORDER_STATES, type OrderState } from '../contract/order-states.ts'
import { unknownName } from '../contract/words.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import { SandboxRefusal } from '../operator-api/refusals.ts'
import type { CaseFacts } from '../operator-api/rows/cases.ts'
import type { Delivery, WholeDelivery } from '../operator-api/rows/deliveries.ts'
import type { PartnerEvent } from '../operator-api/rows/events.ts'
import type { Order, OrderFacts } from '../operator-api/rows/orders.ts'
import type { LoggedRequest } from '../operator-api/rows/requests.ts'
import { type DeliveryFilter, deliveriesHandle, factsOf, type RequestFilter, requestsHandle } from './handles.ts'
import { type Wait, type WaitOptions, waitUntil } from './wait.ts'
import { createWatch } from './watch.ts'

type EventOf<Type extends EventType> = Extract<PartnerEvent, { type: Type }>
type FactsOf<Type extends EventType> = Type extends 'brokerage.case_completed' ? CaseFacts : OrderFacts

export interface EventWait<Type extends EventType> extends WaitOptions {
  /** Members that the event's order or case must have: `{ public_id: '...' }`. */
  where?: Partial<FactsOf<Type>>
  /** Only events after this one, given as an event or its id. By default the whole history counts. */
  after?: string | { id: string }
}

export interface DeliveryWait extends WaitOptions, DeliveryFilter {
  where?: (delivery: Delivery) => boolean
}

export interface RequestWait extends WaitOptions, RequestFilter {
  where?: (request: LoggedRequest) => boolean
}

/** Waits for what has happened or will happen, without gaps and without a loop in the test. */
export interface Waiting {
  /**
   * The first event of that type, or that the predicate takes, in the whole history of the world and what is to come. So it does
   * not matter whether it came before the wait began. To get a later one, give `after`.
   *
   * @throws WaitTimeout with what happened instead; at once, a TypeError for an unknown type.
   * @example
   * const first = await world.waitFor('order.recorded')
   * const second = await world.waitFor('order.recorded', { after: first })
   * await world.waitFor('order.settled', { where: { public_id: first.data.order.public_id }, timeoutMs: 1_000 })
   */
  waitFor<Type extends EventType>(type: Type, options?: EventWait<Type>): Promise<EventOf<Type>>
  waitFor(
    predicate: (event: PartnerEvent) => boolean,
    options?: Omit<EventWait<EventType>, 'where'>,
  ): Promise<PartnerEvent>
  /**
   * The order, as soon as it is in that state (or one of them).
   *
   * @throws WaitTimeout with its state; at once, a TypeError for an unknown state.
   * @example await world.waitForOrder(publicId, 'TRANSFER_COMPLETED')
   */
  waitForOrder(publicId: string, status: OrderState | readonly OrderState[], options?: WaitOptions): Promise<Order>
  /**
   * The earliest delivery that matches the filter, with its attempts; by default one that was `delivered`.
   *
   * @example
   * const { attempts } = await world.waitForDelivery({ eventId: event.id })
   * await world.waitForDelivery({ eventId: event.id, where: ({ copy }) => copy === 1 })
   */
  waitForDelivery(wait?: DeliveryWait): Promise<WholeDelivery>
  /**
   * The earliest call in the request log that matches the filter.
   *
   * @example await world.waitForRequest({ endpoint: 'quotes.create', status: 201 })
   */
  waitForRequest(wait?: RequestWait): Promise<LoggedRequest>
}

/** Where one waits. */
type WatchedWorld = Pick<Wait<unknown>, 'client' | 'world' | 'watch'>

export function createWaiting(client: OperatorClient, world: string): Waiting {
  const place = { client, world, watch: createWatch(client, world) }
  return {
    waitFor: (wanted: EventType | ((event: PartnerEvent) => boolean), options: EventWait<EventType> = {}) =>
      waitForEvent(place, wanted, options) as Promise<never>,
    waitForOrder: (publicId, status, options = {}) => waitForOrder(place, publicId, [status].flat(), options),
    async waitForDelivery({ timeoutMs, where = anything, ...filter } = {}) {
      const deliveries = deliveriesHandle(client, world)
      const wanted: DeliveryFilter = { state: 'delivered', ...filter }
      const { delivery_id } = await waitUntil<Delivery>({
        ...place,
        timeoutMs,
        what: `a delivery${inWords(wanted)}`,
        lastSeen: () => deliveriesSoFar(client, world, filter),
        look: async () => (await deliveries.all(wanted)).findLast(where),
      })
      return deliveries.show(delivery_id)
    },
    waitForRequest({ timeoutMs, where = anything, ...filter } = {}) {
      const requests = requestsHandle(client, world)
      return waitUntil<LoggedRequest>({
        ...place,
        timeoutMs,
        what: `a request${inWords(filter)}`,
        lastSeen: () => requestsSoFar(client, world),
        look: async () => (await requests.all(filter)).findLast(where),
      })
    },
  }
}

const anything = () => true

/** What does not exist would be waited for in vain, until the timeout. */
function refuseUnknown(what: string, given: string, known: readonly string[]): void {
  if (known.includes(given)) return
  throw new TypeError(unknownName(what, given, known))
}

async function waitForEvent(
  place: WatchedWorld,
  wanted: EventType | ((event: PartnerEvent) => boolean),
  { where, after, timeoutMs }: EventWait<EventType>,
): Promise<PartnerEvent> {
  if (typeof wanted !== 'function') refuseUnknown('event type', wanted, [...EVENT_TYPES, ...TRANSFER_EVENT_TYPES])
  const afterId = typeof after === 'string' ? after : after?.id
  const isWanted = typeof wanted === 'function' ? wanted : (event: PartnerEvent) => event.type === wanted
  const what = typeof wanted === 'function' ? 'an event that the predicate accepts' : wanted
  return waitUntil<PartnerEvent>({
    ...place,
    timeoutMs,
    what: `${what}${inWords(where ?? {})}${afterId === undefined ? '' : ` after ${afterId}`}`,
    async look() {
      const events = eventsAfter(await place.watch.events(), afterId)
      return events.find((event) => isWanted(event) && hasFacts(event, where))
    },
  })
}

/** The events after the given one; all if none is given. */
function eventsAfter(events: readonly PartnerEvent[], afterId: string | undefined): readonly PartnerEvent[] {
  if (afterId === undefined) return events
  const position = events.findIndex(({ id }) => id === afterId)
  if (position < 0) throw new Error(`this world has written no event with the id ${afterId}`)
  return events.slice(position + 1)
}

function hasFacts(event: PartnerEvent, where: object | undefined): boolean {
  const facts: Record<string, unknown> = { ...factsOf(event) }
  return Object.entries(where ?? {}).every(([name, value]) => facts[name] === value)
}

async function waitForOrder(
  place: WatchedWorld,
  publicId: string,
  wanted: readonly OrderState[],
  { timeoutMs }: WaitOptions,
): Promise<Order> {
  for (const status of wanted) refuseUnknown('order state', status, ORDER_STATES)
  let last: Order | null = null
  return waitUntil<Order>({
    ...place,
    timeoutMs,
    what: `order ${publicId} to be ${wanted.join(' or ')}`,
    lastSeen: () => (last ? `it is ${last.status} and allows ${last.steps.join(', ') || 'no step'}` : 'no such order'),
    async look() {
      last = await place.client.call('orders.show', { w: place.world, public_id: publicId }).catch(unlessUnknown)
      return last && wanted.includes(last.status) ? last : undefined
    },
  })
}

/** An order may be waited for before it is there. */
function unlessUnknown(error: unknown): null {
  if (error instanceof SandboxRefusal && error.status === 404) return null
  throw error
}

function inWords(filter: object): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : ` with ${given.map(([name, value]) => `${name} ${String(value)}`).join(', ')}`
}

const MOST = 5

/** The last deliveries in any state, each with the result of its last attempt, for the message of a wait. */
async function deliveriesSoFar(
  client: OperatorClient,
  world: string,
  { state: _state, ...filter }: DeliveryFilter,
): Promise<string> {
  const handle = deliveriesHandle(client, world)
  const { deliveries } = await handle.list({ ...filter, limit: MOST })
  if (deliveries.length === 0) return 'no such delivery in any state: was a webhook endpoint registered before?'
  const whole = await Promise.all(deliveries.map(({ delivery_id }) => handle.show(delivery_id)))
  const lines = whole.map(({ type, copy, state, attempts }) => {
    const last = attempts.at(-1)
    const outcome = last ? `attempt ${last.number} at ${last.url}: ${last.failure ?? last.status}` : 'no attempt yet'
    return `${type}${copy > 0 ? ` (copy ${copy})` : ''} is ${state}, ${outcome}`
  })
  return `deliveries, newest first: ${lines.join('; ')}`
}

/** The last calls, newest first, for the message of a wait. */
async function requestsSoFar(client: OperatorClient, world: string): Promise<string> {
  const { requests } = await requestsHandle(client, world).list({ limit: MOST })
  const lines = requests.map(({ method, target, status }) => `${method} ${target} ${status}`)
  return lines.length === 0 ? '' : `calls, newest first: ${lines.join('; ')}`
}
