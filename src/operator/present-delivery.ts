import { formatInstant } from '../clock/instant.ts'
import type { Delivery, DeliveryAttempt, LastAttempt } from '../sandbox/webhooks/delivery.ts'

/** One line of the delivery log. */
export function presentDelivery(delivery: Delivery) {
  const { nextAttemptAtMs } = delivery
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    type: delivery.eventType,
    partner_id: delivery.partnerId,
    copy: delivery.copy,
    state: delivery.state,
    attempt_count: delivery.attempts,
    last_attempt: delivery.last && presentLast(delivery.last),
    next_attempt_at: nextAttemptAtMs === null ? null : formatInstant(nextAttemptAtMs),
    created_at: formatInstant(delivery.createdAtMs),
  }
}

/** How it went, for a line of a list; what was sent and answered is told with the whole delivery. */
function presentLast({ number, cause, atMs, probe, status, failure }: LastAttempt) {
  return { number, at: formatInstant(atMs), cause, probe, status, failure }
}

/** A delivery with the exact text it sends and all that came of it. */
export function presentWholeDelivery(delivery: Delivery, attempts: readonly DeliveryAttempt[]) {
  return { ...presentDelivery(delivery), body: delivery.body, attempts: attempts.map(presentAttempt) }
}

function presentAttempt(attempt: DeliveryAttempt) {
  return {
    number: attempt.number,
    cause: attempt.cause,
    at: formatInstant(attempt.atMs),
    url: attempt.url,
    signature: attempt.signature,
    signature_spoilt: attempt.isSpoilt,
    probe: attempt.probe,
    status: attempt.status,
    failure: attempt.failure,
    answer: attempt.answer,
    took_ms: Math.round(attempt.tookMs * 1_000) / 1_000,
  }
}
