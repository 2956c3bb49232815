import type { EventType } from '../../contract/event-types.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Delivery, DeliveryAttempt, DeliveryFilter, LastAttempt, WebhookEndpoint } from './delivery.ts'

interface EndpointRow {
  partner_id: string
  url: string
  secret: string
  created_at: number
  updated_at: number
}

export function endpointOf(db: Db, partnerId: string): WebhookEndpoint | null {
  const row = statement(db, 'SELECT * FROM webhook_endpoints WHERE partner_id = ?').get(partnerId)
  return row ? endpointFrom(row as EndpointRow) : null
}

export function allEndpoints(db: Db): WebhookEndpoint[] {
  const rows = statement(db, 'SELECT * FROM webhook_endpoints ORDER BY partner_id').all()
  return (rows as EndpointRow[]).map(endpointFrom)
}

export function upsertEndpoint(db: Db, endpoint: WebhookEndpoint): void {
  statement(
    db,
    `INSERT OR REPLACE INTO webhook_endpoints (partner_id, url, secret, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(endpoint.partnerId, endpoint.url, endpoint.secret, endpoint.createdAtMs, endpoint.updatedAtMs)
}

function endpointFrom(row: EndpointRow): WebhookEndpoint {
  return {
    partnerId: row.partner_id,
    url: row.url,
    secret: row.secret,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

interface DeliveryRow {
  seq: number
  delivery_id: string
  event_seq: number
  event_id: string
  event_type: EventType
  partner_id: string
  body: string
  copy: number
  state: Delivery['state']
  attempts: number
  scheduled_attempts: number
  next_attempt_at: number | null
  created_at: number
  last_cause: LastAttempt['cause'] | null
  last_at: number | null
  last_probe: LastAttempt['probe']
  last_status: number | null
  last_failure: string | null
}

const SELECT_DELIVERY = `SELECT deliveries.*, events.id AS event_id, events.type AS event_type, last.cause AS last_cause,
    last.at AS last_at, last.probe AS last_probe, last.status AS last_status, last.failure AS last_failure
  FROM deliveries JOIN events ON events.seq = deliveries.event_seq
    LEFT JOIN delivery_attempts AS last ON last.delivery_seq = deliveries.seq AND last.number = deliveries.attempts`

export function insertDelivery(
  db: Db,
  delivery: Omit<Delivery, 'eventId' | 'eventType' | 'attempts' | 'scheduledAttempts' | 'last'>,
): void {
  statement(
    db,
    `INSERT INTO deliveries (seq, delivery_id, event_seq, partner_id, body, copy, state, next_attempt_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    delivery.seq,
    delivery.deliveryId,
    delivery.eventSeq,
    delivery.partnerId,
    delivery.body,
    delivery.copy,
    delivery.state,
    delivery.nextAttemptAtMs,
    delivery.createdAtMs,
  )
}

export function updateDelivery(db: Db, delivery: Delivery): void {
  statement(
    db,
    'UPDATE deliveries SET state = ?, attempts = ?, scheduled_attempts = ?, next_attempt_at = ? WHERE seq = ?',
  ).run(delivery.state, delivery.attempts, delivery.scheduledAttempts, delivery.nextAttemptAtMs, delivery.seq)
}

/** When a delivery to a partner that has failed is tried again, the latest of several; null where none is. */
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

export function deliveryBySeq(db: Db, seq: number): Delivery | null {
  return deliveryFrom(statement(db, `${SELECT_DELIVERY} WHERE deliveries.seq = ?`).get(seq))
}

export function deliveryById(db: Db, deliveryId: string): Delivery | null {
  return deliveryFrom(statement(db, `${SELECT_DELIVERY} WHERE delivery_id = ?`).get(deliveryId))
}

/** Deliveries that fit every given condition, newest first. */
export function deliveriesWhere(db: Db, filter: DeliveryFilter & { beforeSeq: number; limit: number }): Delivery[] {
  const conditions = ['deliveries.seq < @beforeSeq']
  if (filter.state !== undefined) conditions.push('deliveries.state = @state')
  if (filter.partnerId !== undefined) conditions.push('deliveries.partner_id = @partnerId')
  if (filter.eventId !== undefined) conditions.push('events.id = @eventId')
  if (filter.type !== undefined) conditions.push('events.type = @type')
  const sql = `${SELECT_DELIVERY} WHERE ${conditions.join(' AND ')} ORDER BY deliveries.seq DESC LIMIT @limit`
  return statement(db, sql)
    .all(filter)
    .map((row) => deliveryFrom(row) as Delivery)
}

/** The first deliveries to a partner that are due by now: in the order of their time, or the latest event first. */
export function dueSeqs(db: Db, due: { partnerId: string; nowMs: number; latestFirst: boolean; limit: number }) {
  const order = due.latestFirst ? 'seq DESC' : 'next_attempt_at, seq'
  const rows = statement(
    db,
    `SELECT seq FROM deliveries WHERE partner_id = ? AND state = 'pending' AND next_attempt_at <= ?
     ORDER BY ${order} LIMIT ?`,
  ).all(due.partnerId, due.nowMs, due.limit)
  return (rows as { seq: number }[]).map(({ seq }) => seq)
}

/** The earliest delivery that waits for an attempt, of those due after an instant. */
export function earliestPending(db: Db, afterMs: number): { deliveryId: string; atMs: number } | null {
  const row = statement(
    db,
    `SELECT delivery_id AS deliveryId, next_attempt_at AS atMs FROM deliveries
     WHERE state = 'pending' AND next_attempt_at > ?
     ORDER BY next_attempt_at, seq LIMIT 1`,
  ).get(afterMs)
  return (row as { deliveryId: string; atMs: number } | undefined) ?? null
}

export function countPending(db: Db): number {
  return (statement(db, "SELECT count(*) AS n FROM deliveries WHERE state = 'pending'").get() as { n: number }).n
}

function deliveryFrom(found: unknown): Delivery | null {
  const row = found as DeliveryRow | undefined
  if (!row) return null
  return {
    seq: row.seq,
    deliveryId: row.delivery_id,
    eventSeq: row.event_seq,
    eventId: row.event_id,
    eventType: row.event_type,
    partnerId: row.partner_id,
    body: row.body,
    copy: row.copy,
    state: row.state,
    attempts: row.attempts,
    scheduledAttempts: row.scheduled_attempts,
    nextAttemptAtMs: row.next_attempt_at,
    last: lastAttemptFrom(row),
    createdAtMs: row.created_at,
  }
}

function lastAttemptFrom(row: DeliveryRow): LastAttempt | null {
  const { attempts: number, last_cause: cause, last_at: atMs } = row
  if (cause === null || atMs === null) return null
  return { number, cause, atMs, probe: row.last_probe, status: row.last_status, failure: row.last_failure }
}

export function insertAttempt(db: Db, deliverySeq: number, attempt: DeliveryAttempt): void {
  statement(
    db,
    `INSERT INTO delivery_attempts (delivery_seq, number, cause, at, url, signature, spoilt, probe, status, failure, answer, took_ms)
     VALUES (@deliverySeq, @number, @cause, @atMs, @url, @signature, @spoilt, @probe, @status, @failure, @answer, @tookMs)`,
  ).run({ deliverySeq, ...attempt, spoilt: attempt.isSpoilt ? 1 : 0 })
}

export function attemptsOf(db: Db, deliverySeq: number): DeliveryAttempt[] {
  const rows = statement(
    db,
    `SELECT number, cause, at AS atMs, url, signature, spoilt, probe, status, failure, answer, took_ms AS tookMs
     FROM delivery_attempts WHERE delivery_seq = ? ORDER BY number`,
  ).all(deliverySeq)
  return (rows as (DeliveryAttempt & { spoilt: number })[]).map(({ spoilt, ...row }) => ({
    ...row,
    isSpoilt: spoilt === 1,
  }))
}
