import { type Db, statement } from '../../storage/db.ts'
import { countBy } from '../../storage/rows.ts'
import type { Delivery, DeliveryAttempt, DeliveryQuery, LastAttempt, WebhookEndpoint } from './delivery.ts'

const SELECT_ENDPOINT = `SELECT partner_id AS partnerId, url, secret, created_at AS createdAtMs, updated_at AS updatedAtMs
  FROM webhook_endpoints`

export function endpointOf(db: Db, partnerId: string): WebhookEndpoint | null {
  return statement<WebhookEndpoint>(db, `${SELECT_ENDPOINT} WHERE partner_id = ?`).get(partnerId) ?? null
}

export function allEndpoints(db: Db): WebhookEndpoint[] {
  return statement<WebhookEndpoint>(db, `${SELECT_ENDPOINT} ORDER BY partner_id`).all()
}

export function upsertEndpoint(db: Db, endpoint: WebhookEndpoint): void {
  const sql = `INSERT OR REPLACE INTO webhook_endpoints (partner_id, url, secret, created_at, updated_at)
    VALUES (@partnerId, @url, @secret, @createdAtMs, @updatedAtMs)`
  statement(db, sql).run(endpoint)
}

export function insertDelivery(
  db: Db,
  delivery: Omit<Delivery, 'eventType' | 'eventData' | 'attempts' | 'scheduledAttempts' | 'last' | 'traceparent'>,
): void {
  const sql = `INSERT INTO deliveries
      (seq, delivery_id, event_seq, partner_id, body, copy, state, next_attempt_at, created_at)
    VALUES (@seq, @deliveryId, @eventSeq, @partnerId, @body, @copy, @state, @nextAttemptAtMs, @createdAtMs)`
  statement(db, sql).run(delivery)
}

/** Those with this number and later ones carry a trace. */
export function traceDeliveries(db: Db, firstSeq: number, traceparent: string): void {
  statement(db, 'UPDATE deliveries SET traceparent = ? WHERE seq >= ?').run(traceparent, firstSeq)
}

export function updateDelivery(db: Db, { state, attempts, scheduledAttempts, nextAttemptAtMs, seq }: Delivery): void {
  const sql = 'UPDATE deliveries SET state = ?, attempts = ?, scheduled_attempts = ?, next_attempt_at = ? WHERE seq = ?'
  statement(db, sql).run(state, attempts, scheduledAttempts, nextAttemptAtMs, seq)
}

/** When a delivery to a partner that has failed is tried again, the latest of several; null if none is. */
export function latestRetry(db: Db, partnerId: string): number | null {
  const sql = `SELECT max(next_attempt_at) FROM deliveries
    WHERE partner_id = ? AND state = 'pending' AND scheduled_attempts > 0`
  return statement(db, sql).pluck().get(partnerId) as number | null
}

/** All that waits for a partner is due at once. */
export function bringForward(db: Db, partnerId: string, nowMs: number): void {
  const sql = `UPDATE deliveries SET next_attempt_at = @nowMs
    WHERE partner_id = @partnerId AND state = 'pending' AND next_attempt_at > @nowMs`
  statement(db, sql).run({ partnerId, nowMs })
}

/** Those of later events to the same partner wait as long. */
export function putOffLater(db: Db, { partnerId, seq }: Delivery, untilMs: number): void {
  const sql = `UPDATE deliveries SET next_attempt_at = @untilMs
    WHERE partner_id = @partnerId AND state = 'pending' AND next_attempt_at < @untilMs AND seq > @seq`
  statement(db, sql).run({ partnerId, seq, untilMs })
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

function deliveryFrom({ lastCause, lastAtMs, lastProbe, lastStatus, lastFailure, ...row }: DeliveryRow): Delivery {
  const rest = { number: row.attempts, atMs: lastAtMs, probe: lastProbe, status: lastStatus, failure: lastFailure }
  return { ...row, last: lastCause && { cause: lastCause, ...rest } }
}

export function deliveryBySeq(db: Db, seq: number): Delivery | null {
  const row = statement<DeliveryRow>(db, `${SELECT_DELIVERY} WHERE deliveries.seq = ?`).get(seq)
  return row ? deliveryFrom(row) : null
}

export function deliveryById(db: Db, deliveryId: string): Delivery | null {
  const row = statement<DeliveryRow>(db, `${SELECT_DELIVERY} WHERE delivery_id = ?`).get(deliveryId)
  return row ? deliveryFrom(row) : null
}

/** Deliveries that fit every given condition, newest first. */
export function deliveriesWhere(db: Db, filter: DeliveryQuery & { beforeSeq: number; limit: number }): Delivery[] {
  const conditions = ['deliveries.seq < @beforeSeq']
  if (filter.state !== undefined) conditions.push('deliveries.state = @state')
  if (filter.partnerId !== undefined) conditions.push('deliveries.partner_id = @partnerId')
  if (filter.eventSeq !== undefined) conditions.push('deliveries.event_seq = @eventSeq')
  if (filter.type !== undefined) conditions.push('events.type = @type')
  if (filter.q !== undefined) conditions.push("instr(lower(delivery_id || ' ' || events.data), lower(@q)) > 0")
  const sql = `${SELECT_DELIVERY} WHERE ${conditions.join(' AND ')} ORDER BY deliveries.seq DESC LIMIT @limit`
  return statement<DeliveryRow>(db, sql).all(filter).map(deliveryFrom)
}

/** The first deliveries to a partner that are due by now: in the order of their time, or the latest event first. */
export function dueSeqs(db: Db, due: { partnerId: string; nowMs: number; latestFirst: boolean; limit: number }) {
  const sql = `SELECT seq FROM deliveries WHERE partner_id = @partnerId AND state = 'pending' AND next_attempt_at <= @nowMs
    ORDER BY ${due.latestFirst ? 'seq DESC' : 'next_attempt_at, seq'} LIMIT @limit`
  const { partnerId, nowMs, limit } = due
  return statement<number>(db, sql).pluck().all({ partnerId, nowMs, limit })
}

/** The earliest delivery that waits for an attempt, of those due after an instant. */
export function earliestPending(db: Db, afterMs: number): { deliveryId: string; atMs: number } | null {
  const sql = `SELECT delivery_id AS deliveryId, next_attempt_at AS atMs FROM deliveries
    WHERE state = 'pending' AND next_attempt_at > ?
    ORDER BY next_attempt_at, seq LIMIT 1`
  return statement<{ deliveryId: string; atMs: number }>(db, sql).get(afterMs) ?? null
}

export function countPending(db: Db): number {
  return statement<number>(db, "SELECT count(*) FROM deliveries WHERE state = 'pending'").pluck().get() as number
}

export function countDeliveries(db: Db): Record<string, number> {
  return countBy(db, 'deliveries', 'state')
}

export function insertAttempt(db: Db, deliverySeq: number, attempt: DeliveryAttempt): void {
  const sql = `INSERT INTO delivery_attempts
      (delivery_seq, number, cause, at, url, signature, spoilt, probe, status, failure, answer, took_ms)
    VALUES (@deliverySeq, @number, @cause, @atMs, @url, @signature, @spoilt, @probe, @status, @failure, @answer, @tookMs)`
  statement(db, sql).run({ deliverySeq, ...attempt, spoilt: attempt.isSpoilt ? 1 : 0 })
}

export function attemptsOf(db: Db, deliverySeq: number): DeliveryAttempt[] {
  const sql = `SELECT number, cause, at AS atMs, url, signature, spoilt, probe, status, failure, answer, took_ms AS tookMs
    FROM delivery_attempts WHERE delivery_seq = ? ORDER BY number`
  return statement<DeliveryAttempt & { spoilt: number }>(db, sql)
    .all(deliverySeq)
    .map(({ spoilt, ...row }) => ({ ...row, isSpoilt: spoilt === 1 }))
}
