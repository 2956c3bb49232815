import { recordEvent } from '../../sandbox/events/events.ts'
import type { Credential, World } from '../../sandbox/kernel/world.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { insertOrder, orderByPublicId, orderTimelines } from '../../sandbox/sales/store.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import type { Call } from '../../sandbox/wire/call.ts'
import type { Fields } from './answers.ts'

// Records and events of orders that should not exist.

/** Records an order again, with an event of its own, in a database that has lost its guard against that. */
export function recordAgain(world: World, publicId: string): Order {
  return world.commits.commitNow(() => {
    world.db.exec('DROP INDEX IF EXISTS orders_sell_once')
    const first = orderByPublicId(world.db, publicId) as Order
    const seq = world.db.prepare('SELECT max(seq) + 1 FROM orders').pluck().get() as number
    const second: Order = { ...first, seq, publicId: world.chance.id('order', seq) }
    insertOrder(world.db, second)
    const event = recordOrderAgain(world, second)
    orderTimelines.add(world.db, seq, {
      status: second.status,
      atMs: second.createdAtMs,
      eventSeq: event.seq,
      note: null,
    })
    return second
  })
}

/** Emits the event of an order again. */
export function recordOrderAgain(world: World, order: Order) {
  return recordEvent(world, { partnerId: order.partnerId, type: 'order.recorded', data: { order: orderFacts(order) } })
}

/** Emits an event for an order that does not exist, as far as its body can be read. */
export function tellOfRefused(call: Call): void {
  const world = call.world as World
  const body = readable(call.body)
  if (typeof body['domain'] !== 'string') return
  const order = {
    public_id: world.chance.id('order', -1),
    domain: body['domain'],
    status: 'EXTERNALLY_PAID',
    sale_price_cents: body['expected_price'],
    currency: body['currency'],
  }
  const { partnerId } = call.credential as Credential
  world.commits.commitNow(() => recordEvent(world, { partnerId, type: 'order.recorded', data: { order } }))
}

function readable(body: Uint8Array): Fields {
  try {
    return { ...(JSON.parse(Buffer.from(body).toString('utf8')) as Fields) }
  } catch {
    return {}
  }
}
