import { formatInstant } from '../../clock/instant.ts'
import { DEFAULT_GAPS } from '../../contract/choices.ts'
import { paredData } from '../../contract/pared-facts.ts'
import { inStates, stateNames } from '../../contract/wire-names.ts'
import { type Db, nextSequence } from '../../storage/db.ts'
import { conditionsOf, countBy } from '../../storage/rows.ts'
import { type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { PartnerEvent, World } from '../kernel/world.ts'
import type { Delivery, DeliveryAttempt, DeliveryQuery, LastAttempt } from './delivery.ts'
import { endpointOf } from './endpoints.ts'

/**
 * Puts an event into the outbox, within its own transaction, where its partner has an endpoint. Without one nothing is to be
 * delivered; the history has the event all the same (HOOK-05, EVT-03).
 */
export function putInOutbox(world: World, event: PartnerEvent): void {
  const { partnerId } = event
  if (!endpointOf(world.db, partnerId)) return
  const { duplicate, drop, delayMs } = world.settings.delivery
  const dueMs = Math.max(event.createdAtMs + delayMs, heldUpUntilMs(world, partnerId))
  const body = bodyOf(world, event)
  const sql = `INSERT INTO deliveries
      (seq, delivery_id, event_seq, partner_id, body, copy, state, next_attempt_at, created_at)
    VALUES (@seq, @deliveryId, @eventSeq, @partnerId, @body, @copy, @state, @nextAttemptAtMs, @createdAtMs)`
  for (let copy = 0; copy <= duplicate; copy++) {
    const seq = nextSequence(world.db, 'deliveries')
    world.db.statement(sql).run({
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

export const nextDeliverySeq = ({ db }: World): number => nextSequence(db, 'deliveries')

/**
 * What a call has put into the outbox carries its trace to the receiver, unchanged: the sandbox reports no span of its own, so the
 * deliveries belong below the caller's.
 *
 * @param firstSeq of the first delivery of the call.
 */
export function carryTrace({ db }: World, traceparent: string, firstSeq: number): void {
  db.statement('UPDATE deliveries SET traceparent = ? WHERE seq >= ?').run(traceparent, firstSeq)
}

/** A delivery that has failed and is tried again holds up those of later events where order is kept (HOOK-09). */
function heldUpUntilMs({ db, gaps }: World, partnerId: string): number {
  if (gaps['delivery-order'] !== 'yes') return 0
  const sql = `SELECT max(next_attempt_at) FROM deliveries
    WHERE partner_id = ? AND state = 'pending' AND scheduled_attempts > 0`
  return (db.statement<number | null>(sql).pluck().get(partnerId) as number | null) ?? 0
}

/** The envelope (HOOK-03). The payload is the history's own text, so both say the same, under the names chosen for states. */
function bodyOf({ gaps }: World, { id, type, createdAtMs, partnerId, data: told }: PartnerEvent): string {
  const states = stateNames(gaps)
  const isSpoken = states.size > 0 || gaps['case-event'] !== DEFAULT_GAPS['case-event']
  const data = isSpoken ? JSON.stringify(inStates(paredData(JSON.parse(told), gaps), states)) : told
  const head = JSON.stringify({ id, type, created_at: formatInstant(createdAtMs), partner_id: partnerId })
  return `${head.slice(0, -1)},"data":${data}}`
}

const SELECT_DELIVERY = `SELECT deliveries.seq, delivery_id AS deliveryId, event_seq AS eventSeq,
    events.type AS eventType, events.data AS eventData, deliveries.partner_id AS partnerId, body, copy, state, attempts,
    scheduled_attempts AS scheduledAttempts, next_attempt_at AS nextAttemptAtMs, deliveries.created_at AS createdAtMs, traceparent,
    last.cause AS lastCause, last.at AS lastAtMs, last.probe AS lastProbe, last.status AS lastStatus, last.failure AS lastFailure
  FROM deliveries JOIN events ON events.seq = deliveries.event_seq
    LEFT JOIN delivery_attempts AS last ON last.delivery_seq = deliveries.seq AND last.number = deliveries.attempts`

/** Without a last attempt if none was made. */
interface DeliveryRow extends Omit<Delivery, 'last'> {
  lastCause: LastAttempt['cause'] | null
  lastAtMs: number
  lastProbe: LastAttempt['probe']
  lastStatus: number | null
  lastFailure: string | null
}

/** The deliveries that meet a condition of SQL; an order and a limit may follow it. */
function deliveriesWhere(db: Db, condition: string, parameters: unknown): Delivery[] {
  const rows = db.statement<DeliveryRow>(`${SELECT_DELIVERY} WHERE ${condition}`).all(parameters)
  return rows.map(({ lastCause, lastAtMs, lastProbe, lastStatus, lastFailure, ...row }) => {
    const rest = { number: row.attempts, atMs: lastAtMs, probe: lastProbe, status: lastStatus, failure: lastFailure }
    return { ...row, last: lastCause && { cause: lastCause, ...rest } }
  })
}

export function deliveryBySeq(db: Db, seq: number): Delivery | null {
  return deliveriesWhere(db, 'deliveries.seq = ?', seq)[0] ?? null
}

export function findDelivery({ db }: World, deliveryId: string): Delivery | null {
  return deliveriesWhere(db, 'delivery_id = ?', deliveryId)[0] ?? null
}

const fitting = conditionsOf<DeliveryQuery & { beforeSeq: number }>(
  'deliveries.seq < @beforeSeq',
  'deliveries.state = @state',
  'deliveries.partner_id = @partnerId',
  'deliveries.event_seq = @eventSeq',
  'events.type = @type',
  "instr(lower(delivery_id || ' ' || events.data), lower(@q)) > 0",
)

/**
 * A page of the delivery log, newest first.
 *
 * @throws ApiError validation_error for a cursor that is not a delivery of this world.
 */
export function listDeliveries(world: World, { cursor, limit, ...filter }: DeliveryQuery & Paging): Page<Delivery> {
  return readPage(
    { cursor, limit },
    (deliveryId) => findDelivery(world, deliveryId),
    (page) => {
      const wanted = { ...filter, ...page }
      return deliveriesWhere(world.db, `${fitting(wanted)} ORDER BY deliveries.seq DESC LIMIT @limit`, wanted)
    },
  )
}

export function deliveriesByState({ db }: World): Record<string, number> {
  return countBy(db, 'deliveries', 'state')
}

export function deliveryAttempts({ db }: World, { seq }: Delivery): DeliveryAttempt[] {
  const sql = `SELECT number, cause, at AS atMs, url, signature, spoilt, probe, status, failure, answer, took_ms AS tookMs
    FROM delivery_attempts WHERE delivery_seq = ? ORDER BY number`
  const rows = db.statement<DeliveryAttempt & { spoilt: number }>(sql).all(seq)
  return rows.map(({ spoilt, ...row }) => ({ ...row, isSpoilt: spoilt === 1 }))
}
