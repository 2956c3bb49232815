import type { EndpointId } from '../contract/endpoints.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { AnswerOf, BodyOf } from '../operator-api/operations.ts'
import type { CaseFacts } from '../operator-api/rows/cases.ts'
import type { CheckoutOutcome } from '../operator-api/rows/checkouts.ts'
import type { ClockFacts, Receipt } from '../operator-api/rows/clock.ts'
import type { DeliveryProfile, Probe, ProbedDelivery, RegisteredEndpoint } from '../operator-api/rows/deliveries.ts'
import type { Listing } from '../operator-api/rows/domains.ts'
import type { PartnerEvent, TransferFacts } from '../operator-api/rows/events.ts'
import type { Fault } from '../operator-api/rows/faults.ts'
import type { Buyer, OrderFacts } from '../operator-api/rows/orders.ts'
import { type FilterOf, type Methods, methodsOf, pagedMethodsOf, type Whole } from './methods.ts'

/** How far a clock is to go: by a duration, to an instant, or until the next task (`next`) or until no task is left (`idle`). */
export type HowFar = string | { by: string } | { to: string | Date } | { until: 'next' | 'idle' }

/** `now` is a later instant, for clocks only go forward: tasks that become due until then run. `authClock` judges the timestamps of calls. */
export type ClockSetting = CamelCased<BodyOf<'clock.set'>>

/** The clock of a world. The five minutes for signatures use the machine's clock, so a jump never breaks signing. */
export interface ClockHandle {
  /** The world's time. */
  now(): Promise<Date>
  show(): Promise<ClockFacts>
  /**
   * Jumps, and returns when all tasks that became due on the way have run, webhooks included.
   *
   * @throws SandboxRefusal if another jump is in progress, or the instant has passed.
   * @example
   * const { happened } = await world.clock.advance('10m30s')
   * await world.clock.advance({ until: 'idle' })
   */
  advance(howFar: HowFar): Promise<Receipt>
  /** Stops the jump in progress; returns the receipt so far. */
  stop(): Promise<Receipt>
  /** Freezes time: scheduled tasks wait for a jump. */
  freeze(): Promise<ClockFacts>
  /** Lets time run. */
  run(): Promise<ClockFacts>
  /** @example await world.clock.set({ mode: 'frozen', now: '2027-01-01T00:00:00Z' }) */
  set(setting: ClockSetting): Promise<ClockFacts>
}

export function clockHandle(client: OperatorClient, w: string): ClockHandle {
  const { show, set, advance, stop } = methodsOf(client, w, 'clock')
  return {
    now: async () => new Date((await show()).now),
    show,
    set,
    stop,
    // A number without a unit is refused as the duration that it was meant to be.
    advance: (howFar) => advance(typeof howFar === 'object' ? howFar : { by: String(howFar) }),
    freeze: () => set({ mode: 'frozen' }),
    run: () => set({ mode: 'running' }),
  }
}

export type ListingChanges = CamelCased<BodyOf<'domains.set'>>

/** A name under `.test` and its price, at least. */
export type NewListing = CamelCased<BodyOf<'domains.create'>>

/**
 * The inventory of a world.
 *
 * @example
 * await world.domains.create({ domain: 'mine.test', priceCents: 65_000 })
 * await world.domains.set('mine.test', { priceCents: 70_000 }) // an order at the old price is a price_mismatch now
 */
export interface DomainsHandle extends Methods<'domains', 'create'>, Whole<'domains.list'> {
  create(listing: NewListing): Promise<Listing>
  /**
   * Adds as many as a CSV text has, or none of them: `domain,price_cents` and the other names in its first line.
   *
   * @returns how many.
   * @example await world.domains.import('domain,price_cents\none.test,1000\ntwo.test,2000\n')
   */
  import(csv: string): Promise<number>
}

export function domainsHandle(client: OperatorClient, w: string): DomainsHandle {
  const methods = pagedMethodsOf(client, w, 'domains')
  return {
    ...methods,
    create: (listing) => methods.create(listing) as Promise<Listing>,
    async import(csv) {
      const content = { type: 'text/csv', bytes: Buffer.from(csv) }
      return ((await client.send('domains.create', { w }, content)) as { added: number }).added
    },
  }
}

export interface StepDetails {
  /** Shown in the timeline. */
  reason?: string
}

export interface CaseStepDetails extends StepDetails {
  /** With `closeDeal`: the price of the deal. */
  priceCents?: number
}

export type OrderFilter = FilterOf<'orders.list'>
export type CaseFilter = FilterOf<'cases.list'>
export type CheckoutFilter = FilterOf<'checkout.list'>

/**
 * The orders of all partners of a world, and every step that the service's staff can take.
 *
 * @example
 * await world.orders.startTransfer(publicId)
 * const { steps } = await world.orders.completeTransfer(publicId, { reason: 'pushed by registrar' })
 */
export type OrdersHandle = Methods<'orders'> & Whole<'orders.list'>

/**
 * The brokerage cases of all partners of a world.
 *
 * @example await world.cases.closeDeal(caseId, { priceCents: 420_000 })
 */
export type CasesHandle = Methods<'cases'> & Whole<'cases.list'>

/** The hosted checkout sessions of a world, and the actions of a buyer or the bank. */
export interface CheckoutHandle extends Methods<'checkout', 'pay'>, Whole<'checkout.list'> {
  /** @example const { outcome, public_id } = await world.checkout.pay(sessionId, { email: 'ada@example.test' }) */
  pay(sessionId: string, buyer?: Partial<Buyer>): Promise<CheckoutOutcome>
}

export function checkoutHandle(client: OperatorClient, w: string): CheckoutHandle {
  const methods = pagedMethodsOf(client, w, 'checkout')
  return {
    ...methods,
    pay: (sessionId, buyer) => methods.pay(sessionId, { buyer } as Parameters<typeof methods.pay>[1]),
  }
}

/** Which calls fail; an omitted member matches every call. */
export interface FaultMatch {
  endpoint?: EndpointId
  /** Name or key id. */
  credential?: string
  domain?: string
  publicId?: string
}

/** How they fail. */
export type FaultEffect =
  /** Refuses with this code, and with its default status or another legal one. */
  | { code: ErrorCode; status?: number; message?: string /** Seconds, with a 429. */; retryAfter?: number }
  /** Refuses; the status must belong to a single code. */
  | { status: number; message?: string; retryAfter?: number }
  | { delayMs: number }
  /** Closes the connection without an answer, before or after the work is done. */
  | { drop: 'before-commit' | 'after-commit' }
  /** Answers bytes that are not valid HTTP; `true` cuts the answer in half. */
  | { garbage: true | 'truncated' | 'not-json' | 'empty' | 'html' }

export interface NewFault {
  match?: FaultMatch
  effect: FaultEffect
  /** How often; 1 by default, null for every call. */
  times?: number | null
  /** From 0 to 1: the share of matching calls that fail. Drawn from `seed`, so it is repeatable. */
  probability?: number
  seed?: string
}

/**
 * Makes calls fail on purpose.
 *
 * @example
 * await world.faults.add({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' } })
 * await world.faults.add({ effect: { status: 429, retryAfter: 1 }, times: 2 })
 */
export interface FaultsHandle extends Methods<'faults', 'add' | 'list'> {
  add(fault: NewFault): Promise<Fault>
  list(): Promise<Fault[]>
}

export function faultsHandle(client: OperatorClient, w: string): FaultsHandle {
  const methods = methodsOf(client, w, 'faults')
  return {
    ...methods,
    add: (fault) => methods.add({ match: {}, ...fault }),
    list: async () => (await methods.list()).faults,
  }
}

export type EventFilter = FilterOf<'events.list'>

/**
 * The events of all partners, oldest first.
 *
 * @example const types = (await world.events.all()).map(({ type }) => type)
 */
export type EventsHandle = Methods<'events'> & Whole<'events.list'>

export type DeliveryFilter = FilterOf<'deliveries.list'>

/** How webhooks fail on purpose; what is left out works normally. `delay` is a duration of the world's time, e.g. `10s`. */
export type DeliveryProfileSetting = CamelCased<BodyOf<'deliveryProfile.set'>>

/** The webhook deliveries of a world, newest first. */
export interface DeliveriesHandle extends Methods<'deliveries', 'probe'>, Whole<'deliveries.list'> {
  /**
   * Sends a tampered delivery, to see whether the receiver verifies signatures. Any answer but a 4xx means that it
   * accepted a forgery.
   *
   * @param tampering one kind; all kinds by default.
   * @example expect((await world.deliveries.probe(id)).probes.every(({ verdict }) => verdict === 'refused')).toBe(true)
   */
  probe(deliveryId: string, tampering?: Probe['tampering']): Promise<ProbedDelivery>
  /**
   * Sets how webhooks fail from now on, or, without an argument, returns the current setting.
   *
   * @example await world.deliveries.profile({ duplicate: 1 }) // each one twice
   */
  profile(setting?: DeliveryProfileSetting): Promise<DeliveryProfile>
  /**
   * Where each partner has registered its webhooks, without the secrets.
   *
   * @example expect((await world.deliveries.endpoints()).map(({ url }) => url)).toEqual([receiver.url])
   */
  endpoints(): Promise<RegisteredEndpoint[]>
}

/** `status` is a status, or a class such as `4xx`. */
export type RequestFilter = Omit<FilterOf<'requests.list'>, 'status'> & { status?: number | string }

/** The request log of a world, newest first. A call's id is the `X-Request-Id` of its answer. */
export interface RequestsHandle extends Methods<'requests', 'list' | 'find'>, Whole<'requests.list', RequestFilter> {
  list(filter?: RequestFilter & { limit?: number; cursor?: number | string }): Promise<AnswerOf<'requests.list'>>
}

export function deliveriesHandle(client: OperatorClient, w: string): DeliveriesHandle {
  const methods = pagedMethodsOf(client, w, 'deliveries')
  return {
    ...methods,
    probe: (deliveryId, tampering) => methods.probe(deliveryId, tampering === undefined ? {} : { tampering }),
    profile: (setting) =>
      setting ? client.call('deliveryProfile.set', { w }, setting) : client.call('deliveryProfile.show', { w }),
    endpoints: async () => (await client.call('webhookEndpoints.list', { w })).webhook_endpoints,
  }
}

export function requestsHandle(client: OperatorClient, w: string): RequestsHandle {
  const { list, show, all } = pagedMethodsOf(client, w, 'requests') as RequestsHandle
  return { list, show, all }
}

/** What an event is about. */
export function factsOf({ data }: PartnerEvent): OrderFacts | CaseFacts | TransferFacts {
  if ('order' in data) return data.order
  return 'case' in data ? data.case : data.transfer
}
