import { formatDuration } from '../../clock/duration.ts'
import { formatInstant } from '../../clock/instant.ts'
import { SETTING_LIMITS } from '../../contract/limits.ts'
import { fromWire } from '../../operator-api/camel-case.ts'
import type { Delivery as DeliveryFacts } from '../../operator-api/rows/deliveries.ts'
import type { PartnerEvent } from '../../operator-api/rows/events.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import { findEvent } from '../../sandbox/events/events.ts'
import { PLAIN_DELIVERY } from '../../sandbox/kernel/settings.ts'
import { deliveryAttempts, findDelivery, listDeliveries } from '../../sandbox/webhooks/deliveries.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  type LastAttempt,
  PROBE_KINDS,
  probeVerdict,
  type WebhookEndpoint,
} from '../../sandbox/webhooks/delivery.ts'
import { allEndpoints } from '../../sandbox/webhooks/endpoints.ts'
import { pagingOf } from '../../sandbox/wire/list-query.ts'
import { setSettings } from '../../sandbox/worlds/world-facts.ts'
import { problem, required } from '../problems.ts'
import { type HandlersOf, type Operator, ok, okPage } from '../route.ts'
import { durationOf } from './settings.ts'

export const deliveryHandlers: HandlersOf<'deliveries' | 'webhookEndpoints' | 'deliveryProfile'> = {
  'deliveries.list'({ world, query }) {
    const page = listDeliveries(world, {
      state: query.state,
      partnerId: query.partner_id,
      eventSeq: query.event_id === undefined ? undefined : (findEvent(world, query.event_id)?.seq ?? NO_EVENT),
      type: query.type,
      q: query.q,
      ...pagingOf(query),
    })
    return okPage(
      'deliveries',
      page,
      (delivery) => presentDelivery(world, delivery),
      ({ deliveryId }) => deliveryId,
    )
  },
  'deliveries.show': ({ world, params }) => ok(whole(world, requireDelivery(world, params.delivery_id))),
  async 'deliveries.redeliver'({ operator, world, params }) {
    const delivery = requireDelivery(world, params.delivery_id)
    await world.deliverer.attemptNow(delivery)
    refuseIfGone(operator, world)
    return ok(whole(world, requireDelivery(world, delivery.deliveryId)))
  },
  async 'deliveries.probe'({ operator, world, params, body }) {
    const delivery = requireDelivery(world, params.delivery_id)
    for (const kind of body.tampering ? [body.tampering] : PROBE_KINDS) await world.deliverer.attemptNow(delivery, kind)
    refuseIfGone(operator, world)
    const after = requireDelivery(world, delivery.deliveryId)
    const made = deliveryAttempts(world, after).filter(({ number }) => number > delivery.attempts)
    return ok({ probes: made.flatMap(presentProbe), ...whole(world, after) })
  },
  'webhookEndpoints.list': ({ world }) => ok({ webhook_endpoints: allEndpoints(world.db).map(presentEndpoint) }),
  'deliveryProfile.show': ({ world }) => ok(presentProfile(world)),
  'deliveryProfile.set'({ world, body: { delay, ...rest } }) {
    setSettings(world, { delivery: { ...PLAIN_DELIVERY, ...fromWire(rest), delayMs: delayOf(delay) } })
    return ok(presentProfile(world))
  },
}

/** The secret is the partner's own, and not shown. */
function presentEndpoint({ partnerId, url, createdAtMs, updatedAtMs }: WebhookEndpoint) {
  return {
    partner_id: partnerId,
    url,
    created_at: formatInstant(createdAtMs),
    updated_at: formatInstant(updatedAtMs),
  }
}

/** No event has this number. */
const NO_EVENT = 0

/** The world may have been reset or deleted while the receiver took its time. */
function refuseIfGone({ worlds }: Operator, world: Environment): void {
  if (worlds.find(world.name) !== world) throw problem('world-deleted-meanwhile')
}

/** Only a 4xx says that a receiver looked and refused; anything but that and a 2xx leaves it open. */
function presentProbe({ probe: tampering, status, failure }: DeliveryAttempt) {
  if (tampering === null) return []
  const verdict = probeVerdict(status)
  return [{ tampering, verdict, status, failure: verdict === 'unclear' ? failure : null }]
}

function requireDelivery(world: Environment, deliveryId: string): Delivery {
  return required(findDelivery(world, deliveryId), 'no-delivery')
}

function delayOf(written: string | null | undefined): number {
  const delayMs = durationOf('delay', written) ?? 0
  if (delayMs > SETTING_LIMITS.deliveryDelayMs) throw problem('delay-too-long')
  return delayMs
}

function presentProfile({ settings: { delivery } }: Environment) {
  return {
    duplicate: delivery.duplicate,
    reorder: delivery.reorder,
    delay: delivery.delayMs === 0 ? null : formatDuration(delivery.delayMs),
    drop: delivery.drop,
    wrong_secret: delivery.wrongSecret,
    before_response: delivery.beforeResponse,
  }
}

/** One line of the delivery log. */
export function presentDelivery({ chance }: Environment, delivery: Delivery) {
  const { nextAttemptAtMs } = delivery
  return {
    delivery_id: delivery.deliveryId,
    event_id: chance.id('event', delivery.eventSeq),
    type: delivery.eventType,
    ...subjectOf(delivery),
    partner_id: delivery.partnerId,
    copy: delivery.copy,
    state: delivery.state,
    attempt_count: delivery.attempts,
    last_attempt: delivery.last && presentLast(delivery.last),
    next_attempt_at: nextAttemptAtMs === null ? null : formatInstant(nextAttemptAtMs),
    created_at: formatInstant(delivery.createdAtMs),
  }
}

function subjectOf({ eventData }: Delivery): Pick<DeliveryFacts, 'about' | 'domain'> {
  const data: PartnerEvent['data'] = JSON.parse(eventData)
  if ('case' in data) return { about: data.case.case_id, domain: data.case.domain }
  const { public_id: about, domain } = 'order' in data ? data.order : data.transfer
  return { about, domain }
}

/** How it went, for a line of a list; what was sent and answered is in the whole delivery. */
function presentLast({ number, cause, atMs, probe, status, failure }: LastAttempt) {
  return { number, at: formatInstant(atMs), cause, probe, status, failure }
}

/** A delivery with the exact text it sends and all that came of it. */
function whole(world: Environment, delivery: Delivery) {
  const attempts = deliveryAttempts(world, delivery).map(presentAttempt)
  return { ...presentDelivery(world, delivery), body: delivery.body, traceparent: delivery.traceparent, attempts }
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
