import { parseDuration } from '../../clock/duration.ts'
import { formatInstant } from '../../clock/instant.ts'
import { DEFAULT_GAPS, type GapChoices } from '../../contract/choices.ts'
import { paredData } from '../../contract/pared-facts.ts'
import { inStates, stateNames } from '../../contract/wire-names.ts'
import { nextSequence } from '../../storage/db.ts'
import { type Page, type Paging, pageOf, startOf } from '../kernel/paging.ts'
import type { PartnerEvent, World } from '../kernel/world.ts'
import type { Delivery, DeliveryAttempt, DeliveryQuery, NewAttempt } from './delivery.ts'
import {
  attemptsOf,
  countDeliveries,
  deliveriesWhere,
  deliveryById,
  deliveryBySeq,
  endpointOf,
  insertAttempt,
  insertDelivery,
  latestRetry,
  putOffLater,
  traceDeliveries,
  updateDelivery,
} from './store.ts'

/**
 * Puts an event into the outbox, within its own transaction, where its partner has an endpoint. Without one nothing is to be
 * delivered; the history has the event all the same (HOOK-05, EVT-03).
 */
export function putInOutbox(world: World, event: PartnerEvent): void {
  const { partnerId } = event
  if (!endpointOf(world.db, partnerId)) return
  const { duplicate, drop, delayMs } = world.settings.delivery
  const heldUpUntilMs = holdsUp(world) ? latestRetry(world.db, partnerId) : null
  const dueMs = Math.max(event.createdAtMs + delayMs, heldUpUntilMs ?? 0)
  const body = bodyOf(world, event)
  for (let copy = 0; copy <= duplicate; copy++) {
    const seq = nextSequence(world.db, 'deliveries')
    insertDelivery(world.db, {
      seq,
      deliveryId: world.chance.id('delivery', seq),
      eventSeq: event.seq,
      partnerId,
      body,
      copy,
      state: drop ? 'dropped' : 'pending',
      nextAttemptAtMs: drop ? null : dueMs,
      createdAtMs: event.createdAtMs,
    })
  }
}

/**
 * Does the work of a call. What it puts into the outbox carries the call's trace to the receiver, unchanged: the sandbox reports no
 * span of its own, so the deliveries belong below the caller's.
 *
 * @param traceparent null if the call has no trace.
 */
export function carryingTrace<Result>({ db }: World, traceparent: string | null, work: () => Result): Result {
  if (traceparent === null) return work()
  const firstSeq = nextSequence(db, 'deliveries')
  const result = work()
  traceDeliveries(db, firstSeq, traceparent)
  return result
}

/** The envelope (HOOK-03). The payload is the history's own text, so both say the same, under the names chosen for states. */
function bodyOf({ gaps }: World, { id, type, createdAtMs, partnerId, data: told }: PartnerEvent): string {
  const states = stateNames(gaps)
  const isSpoken = states.size > 0 || gaps['case-event'] !== DEFAULT_GAPS['case-event']
  const data = isSpoken ? JSON.stringify(inStates(paredData(JSON.parse(told), gaps), states)) : told
  const head = JSON.stringify({ id, type, created_at: formatInstant(createdAtMs), partner_id: partnerId })
  return `${head.slice(0, -1)},"data":${data}}`
}

/**
 * Writes down how an attempt ended, and when the next one is due. An operator's attempt that fails changes nothing but the log.
 */
export function recordAttempt(world: World, seq: number, attempt: NewAttempt): Delivery {
  const delivery = deliveryBySeq(world.db, seq) as Delivery
  const last = { ...attempt, number: delivery.attempts + 1 }
  insertAttempt(world.db, seq, last)
  const next = { ...delivery, ...standingAfter(world, delivery, attempt), attempts: last.number, last }
  updateDelivery(world.db, next)
  if (next.nextAttemptAtMs !== null && holdsUp(world)) putOffLater(world.db, next, next.nextAttemptAtMs)
  return next
}

/** Whether a failing delivery holds up those of later events (HOOK-09). */
function holdsUp({ gaps }: World): boolean {
  return gaps['delivery-order'] === 'yes'
}

function standingAfter({ gaps }: World, delivery: Delivery, attempt: NewAttempt): Partial<Delivery> {
  if (attempt.probe !== null) return {}
  const scheduledAttempts = delivery.scheduledAttempts + (attempt.cause === 'schedule' ? 1 : 0)
  if (attempt.failure === null) return { scheduledAttempts, state: 'delivered', nextAttemptAtMs: null }
  if (attempt.cause === 'operator') return {}
  const nextAttemptAtMs = retryAtMs(gaps['retry-schedule'], scheduledAttempts, attempt.atMs)
  return { scheduledAttempts, nextAttemptAtMs, state: nextAttemptAtMs === null ? 'failed' : 'pending' }
}

/**
 * When the attempt after a failed one is due, in world time; null after the last one (HOOK-07).
 *
 * @param attempts of the schedule made so far, the failed one included.
 * @param atMs instant of the failed one.
 */
function retryAtMs(schedule: GapChoices['retry-schedule'], attempts: number, atMs: number): number | null {
  const delay = schedule === 'never' ? undefined : schedule.split(' ')[attempts - 1]
  return delay === undefined ? null : atMs + (parseDuration(delay) as number)
}

/**
 * A page of the delivery log, newest first.
 *
 * @throws ApiError validation_error for a cursor that is not a delivery of this world.
 */
export function listDeliveries(world: World, { cursor, limit, ...filter }: DeliveryQuery & Paging): Page<Delivery> {
  const beforeSeq = startOf(cursor, (deliveryId) => deliveryById(world.db, deliveryId)?.seq ?? null)
  return pageOf(deliveriesWhere(world.db, { ...filter, beforeSeq, limit: limit + 1 }), limit)
}

/** How many deliveries are in each state. */
export function deliveriesByState(world: World): Record<string, number> {
  return countDeliveries(world.db)
}

export function findDelivery(world: World, deliveryId: string): Delivery | null {
  return deliveryById(world.db, deliveryId)
}

/** Every attempt of a delivery, first one first. */
export function deliveryAttempts(world: World, delivery: Delivery): DeliveryAttempt[] {
  return attemptsOf(world.db, delivery.seq)
}
