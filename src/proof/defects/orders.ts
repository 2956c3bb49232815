import { recordEvent } from '../../sandbox/events/events.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { Credential, World } from '../../sandbox/kernel/world.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder, insertOrder, orderTimelines } from '../../sandbox/sales/orders.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import type { Call } from '../../sandbox/wire/call.ts'
import { created } from '../../sandbox/wire/route.ts'
import { actingWhere, domainIn, type Fields, readable, refusingAs } from './answers.ts'
import { type Defect, defect, found, perWorld, type Tampered } from './defect.ts'
import {
  type AnyInput,
  altering,
  asPartner,
  findingSome,
  type Handling,
  handling,
  isOfThirtyDays,
  lacking,
  readAgain,
} from './routes.ts'

/** Mistakes of recording an order and of reading one. */
export const orderDefects: readonly Defect[] = [
  defect('order-price-as-text', ['ORD-01'], {
    summary: 'The sale price of a recorded order is a text.',
    ...altering('orders.create', (body) => ({ sale_price_cents: String(body['sale_price_cents']) })),
  }),
  defect('order-without-currency', ['ORD-01'], {
    summary: 'A recorded order has no currency.',
    ...lacking('orders.create', 'currency'),
  }),
  defect('order-is-always-new', ['ORD-01'], {
    summary: 'The details of an order give the time of the call as the time of the order.',
    ...altering('orders.detail', (_, { world }) => ({ created_at: new Date(world.clock.nowMs()).toISOString() })),
  }),
  defect('detail-of-a-domain-sold-again-shows-the-first-order', ['ORD-01'], {
    summary: 'Order detail shows the status of the first order of its domain.',
    ...altering('orders.detail', ({ domain }, { world }) => ({
      status: found(world, 'SELECT status FROM orders WHERE domain = ? ORDER BY seq', domain),
    })),
  }),
  defect('same-payment-reference-returns-the-first-order', ['ORD-01'], {
    summary: 'An order with the payment reference of an earlier one is answered with that one and not recorded.',
    ...handling('orders.create', (input, correct) => {
      const { world, caller, body } = input
      const sql = 'SELECT public_id FROM orders WHERE external_payment_ref = ? AND partner_id = ?'
      const known = findOrder(world, String(found(world, sql, body['external_payment_ref'] ?? '', caller.partnerId)))
      return known === null ? correct(input) : created(orderFacts(known))
    }),
  }),
  defect('order-read-again-lacks-currency-and-timeline', ['ORD-01', 'ORD-09'], {
    summary: 'An order that was read before is shown from a cache, which keeps neither its currency nor its timeline.',
    ...readAgain('orders.detail', { currency: null, timeline: [] }),
  }),
  defect('price-never-checked', ['ORD-03', 'INV-09'], {
    summary: 'The expected price is not compared with anything.',
    ...handling(
      'orders.create',
      forgiving(() => true),
    ),
  }),
  defect('listing-price-is-compared-without-its-cents', ['ORD-03'], {
    summary: 'An order that expects the listing price without its odd cents is accepted.',
    ...handling(
      'orders.create',
      forgiving((difference, priceCents) => difference === -(priceCents % 100)),
    ),
  }),
  defect('refused-orders-are-told', ['ORD-03', 'ORD-04', 'QUOTE-03', 'QUOTE-04', 'QUOTE-10', 'IDEM-01', 'IDEM-03'], {
    summary: 'A refused order emits order.recorded all the same.',
    ...actingWhere(
      (answer, call) => call.endpoint === 'orders.create' && answer.status >= 400 && call.refusedBy === null,
      tellOfRefused,
    ),
  }),
  defect('not-found-is-400', ['ORD-05', 'ORD-10', 'INV-06', 'INV-08'], {
    summary: 'What is not found is refused with not_found and status 400.',
    ...refusingAs('not_found', 400),
  }),
  defect('timeline-never-grows', ['ORD-09', 'STATE-06'], {
    summary: 'The timeline of an order shows its recording only.',
    ...altering('orders.detail', (body) => ({ timeline: (body['timeline'] as unknown[]).slice(0, 1) })),
  }),
  defect('timeline-missing', ['ORD-09'], {
    summary: 'Order detail has no timeline.',
    ...lacking('orders.detail', 'timeline'),
  }),
  defect('order-is-read-for-thirty-days', ['ORD-09'], {
    summary: 'An order of more than thirty days ago is in the list, and is not found by its id.',
    ...findingSome('orders.detail', ({ created_at: at }, input) => isOfThirtyDays(at, input)),
  }),
  defect('settled-orders-forget-their-recording', ['ORD-09'], {
    summary: 'The timeline of a settled order begins with its transfer.',
    ...altering('orders.detail', ({ status, timeline }) =>
      status === 'SETTLED' ? { timeline: (timeline as unknown[]).slice(1) } : {},
    ),
  }),
  defect('order-of-another-is-readable-now-and-then', ['ORD-10'], {
    summary: 'Every tenth time that it is asked for, another partner’s order is shown.',
    ...showingEveryTenthTime(),
  }),
  defect('transfer-loses-the-references', ['ORD-11'], {
    summary: 'An order that makes a step is stored again without its quote and its payment reference.',
    ...altering('orders.detail', ({ status }) =>
      status === 'EXTERNALLY_PAID' ? {} : { quote_id: null, external_payment_ref: null },
    ),
  }),
  defect('payment-reference-is-kept-as-a-number', ['ORD-11'], {
    summary: 'An external_payment_ref of digits is kept as a number.',
    ...altering('orders.detail', ({ external_payment_ref: ref }) => ({
      external_payment_ref: /^\d+$/.test(String(ref)) ? String(Number(ref)) : ref,
    })),
  }),
  defect('payment-references-are-unique', ['ORD-11'], {
    summary: 'An order loses its payment reference to a later one of the same partner.',
    ...altering('orders.detail', ({ external_payment_ref: ref, public_id: id }, { world, caller }) => {
      const later = 'SELECT 1 FROM orders WHERE external_payment_ref = ? AND partner_id = ? AND seq > ?'
      const isTaken = found(world, later, ref, caller.partnerId, findOrder(world, String(id))?.seq) !== undefined
      return isTaken ? { external_payment_ref: null } : {}
    }),
  }),
  defect('references-beyond-ascii-are-mangled', ['ORD-11'], {
    summary: 'A payment reference has a question mark in the place of each letter beyond ASCII.',
    ...altering('orders.detail', ({ external_payment_ref: ref }) =>
      typeof ref === 'string' ? { external_payment_ref: ref.replace(/[^ -~]/g, '?') } : {},
    ),
  }),
  defect('order-detail-price-differs', ['INV-09', 'QUOTE-02'], {
    summary: 'Order detail shows a sale price of one cent more than was agreed.',
    ...altering('orders.detail', (body) => ({ sale_price_cents: Number(body['sale_price_cents']) + 1 })),
  }),
  defect('orders-of-refused-callers-are-told', ['AUTH-04', 'SCOPE-02'], {
    summary: 'An order of a caller who is refused emits order.recorded all the same.',
    ...actingWhere(
      (_, { endpoint, credential, refusedBy }) =>
        endpoint === 'orders.create' && credential !== null && (refusedBy === 'signature' || refusedBy === 'scope'),
      tellOfRefused,
    ),
  }),
  defect('timeline-sorted-by-name', ['STATE-06'], {
    summary: 'The timeline of an order is sorted by the names of its states.',
    ...altering('orders.detail', ({ timeline }) => ({ timeline: (timeline as Fields[]).toSorted(byStatus) })),
  }),
]

function byStatus(one: Fields, other: Fields): number {
  return String(one['status']) < String(other['status']) ? -1 : 1
}

type IsForgiven = (difference: number, priceCents: number) => boolean

/** Has an order recorded at the price of the listing where the difference is forgiven. */
export function forgiving(isForgiven: IsForgiven): Handling {
  return (input, correct) => {
    const { world, body } = input
    const listing = findListing(world, domainIn(body))
    if (!listing || !isForgiven(Number(body['expected_price']) - listing.priceCents, listing.priceCents))
      return correct(input)
    return correct({ ...input, body: { ...body, expected_price: listing.priceCents, currency: listing.currency } })
  }
}

/** The partner whose order a path names. */
function ownerOf({ world, params }: AnyInput): string | undefined {
  return findOrder(world, params['public_id'] ?? '')?.partnerId
}

// Records and events of orders that should not exist.

/** Records an order again, with an event of its own, in a database that has lost its guard against that. */
export function recordAgain(world: World, publicId: string): Order {
  return world.commits.commitNow(() => {
    world.db.exec('DROP INDEX IF EXISTS orders_sell_once')
    const first = findOrder(world, publicId) as Order
    const seq = Number(found(world, 'SELECT max(seq) + 1 FROM orders'))
    const second: Order = { ...first, seq, publicId: world.chance.id('order', seq) }
    insertOrder(world.db, second)
    const event = { event: 'order.recorded', data: { order: orderFacts(second) }, note: null } as const
    orderTimelines.record(world, { ...second, updatedAtMs: second.createdAtMs }, event)
    return second
  })
}

/** Emits an event for an order that does not exist, as far as its body can be read. */
function tellOfRefused(call: Call): void {
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

/** A server that shows an order of another partner each tenth time that it should refuse that. */
function showingEveryTenthTime(): Tampered {
  const refusals = perWorld(() => new Map<unknown, number>())
  return handling('orders.detail', (input, correct) => {
    try {
      return correct(input)
    } catch (error) {
      const partner = ownerOf(input)
      if (partner === undefined) throw error
      const counts = refusals(input.world)
      const count = (counts.get(input.params['public_id']) ?? 0) + 1
      counts.set(input.params['public_id'], count)
      if (count % 10 !== 0) throw error
      return correct(asPartner(input, partner))
    }
  })
}
