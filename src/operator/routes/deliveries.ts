import { EVENT_TYPES } from '../../contract/event-types.ts'
import { object, oneOf, optional, text } from '../../contract/schema.ts'
import { deliveryAttempts, findDelivery, listDeliveries } from '../../sandbox/webhooks/deliveries.ts'
import { DELIVERY_STATES, type Delivery, type DeliveryAttempt } from '../../sandbox/webhooks/delivery.ts'
import { PROBE_KINDS, probeVerdict } from '../../sandbox/webhooks/probe.ts'
import { nextCursor, pagingOf, pagingQuery } from '../../sandbox/wire/list-query.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { presentDelivery, presentWholeDelivery } from '../present-delivery.ts'
import { Problem } from '../problem.ts'
import { ok, worldRoute } from '../route.ts'

const list = worldRoute('GET', '/deliveries', {
  summary:
    'The webhook deliveries to all partners, newest first: `deliveries`, each with its `last_attempt` and when the next is due; `next_cursor`.',
  query: object({
    state: optional(oneOf(DELIVERY_STATES)),
    partner_id: optional(text({ maxLength: 64 })),
    event_id: optional(text({ maxLength: 64 })),
    type: optional(oneOf(EVENT_TYPES)),
    ...pagingQuery,
  }),
  handle({ world, query }) {
    const page = listDeliveries(world, {
      state: query.state,
      partnerId: query.partner_id,
      eventId: query.event_id,
      type: query.type,
      ...pagingOf(query),
    })
    return ok({
      deliveries: page.rows.map(presentDelivery),
      next_cursor: nextCursor(page, ({ deliveryId }) => deliveryId),
    })
  },
})

const show = worldRoute('GET', '/deliveries/{delivery_id}', {
  summary: 'One delivery with the exact `body` it sends and all its `attempts`.',
  handle: ({ world, params }) => ok(whole(world, requireDelivery(world, params['delivery_id']))),
})

const redeliver = worldRoute('POST', '/deliveries/{delivery_id}/redeliver', {
  summary: 'Makes one attempt at once and waits for it. The delivery with its `attempts`.',
  async handle({ operator, world, params }) {
    const delivery = requireDelivery(world, params['delivery_id'])
    await world.deliverer.attemptNow(delivery)
    // The world may have been reset or deleted while the receiver took its time.
    if (operator.worlds.find(world.name) !== world) throw new Problem(409, 'the world was deleted meanwhile')
    return ok(whole(world, requireDelivery(world, delivery.deliveryId)))
  },
})

const probe = worldRoute('POST', '/deliveries/{delivery_id}/probe', {
  summary:
    'Sends it tampered with, once for each kind of `tampering` (all where none is named): what came of each in `probes`, and the delivery.',
  body: object({ tampering: optional(oneOf(PROBE_KINDS)) }),
  async handle({ operator, world, params, body }) {
    const delivery = requireDelivery(world, params['delivery_id'])
    for (const kind of body.tampering ? [body.tampering] : PROBE_KINDS) await world.deliverer.attemptNow(delivery, kind)
    if (operator.worlds.find(world.name) !== world) throw new Problem(409, 'the world was deleted meanwhile')
    const after = requireDelivery(world, delivery.deliveryId)
    const made = deliveryAttempts(world, after).filter(({ number }) => number > delivery.attempts)
    return ok({ probes: made.flatMap(presentProbe), ...(whole(world, after) as object) })
  },
})

/** Only a 4xx says that a receiver looked and refused; anything but that and a 2xx leaves it open. */
function presentProbe({ probe: tampering, status, failure }: DeliveryAttempt) {
  if (tampering === null) return []
  const verdict = probeVerdict(status)
  return [{ tampering, verdict, status, failure: verdict === 'unclear' ? failure : null }]
}

function requireDelivery(world: Environment, deliveryId = ''): Delivery {
  const delivery = findDelivery(world, deliveryId)
  if (!delivery) throw new Problem(404, 'there is no such delivery in this world')
  return delivery
}

function whole(world: Environment, delivery: Delivery) {
  return presentWholeDelivery(delivery, deliveryAttempts(world, delivery))
}

export const deliveryRoutes = [list, show, redeliver, probe]
