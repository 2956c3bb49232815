import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { EventType, TransferEventType } from '../../contract/event-types.ts'
import { isUndone, type OrderState, type OrderStepName, startsIn, stepsFrom } from '../../contract/order-states.ts'
import { nextSequence } from '../../storage/db.ts'
import { recordInHistory } from '../events/events.ts'
import { setListing } from '../inventory/listings.ts'
import { actedAtMs, actOnce, magicKind } from '../inventory/magic.ts'
import type { Offer } from '../inventory/types.ts'
import { refusedStep } from '../kernel/refusal-with-effect.ts'
import { type TaskSource, waitingRows } from '../kernel/scheduler.ts'
import type { Progress } from '../kernel/settings.ts'
import type { Credential, World } from '../kernel/world.ts'
import { bookPayable, bookReversal, bookSale, commissionOf } from '../ledger/ledger.ts'
import { attributedLink } from '../referral/links.ts'
import { findOrder, insertOrder, orderTimelines } from './orders.ts'
import { endReservation, forSale, refuseReserved, refuseTaken, usableQuote } from './quotes.ts'
import type { Buyer, Order, Quote } from './types.ts'

export interface OrderInput {
  domain: string
  expectedPriceCents: number
  currency: string
  buyer: Buyer
  returnUrl?: string | undefined
  cancelUrl?: string | undefined
  quoteId?: string | undefined
  externalPaymentRef?: string | undefined
}

/** Records a sale that the partner collected the money for (document: POST /orders rules). */
export function recordOrder(world: World, caller: Credential, input: OrderInput): Order {
  const quote = input.quoteId === undefined ? null : usableQuote(world, caller, input.quoteId, input.domain)
  const offer = offerToSell(world, caller, input.domain)
  refuseOtherPrice(world, input, { quote, listing: offer })

  endReservation(world, offer.domain, 'used')
  const order: NewOrder = {
    partnerId: caller.partnerId,
    domain: offer.domain,
    status: 'EXTERNALLY_PAID',
    salePriceCents: (quote ?? offer).priceCents,
    currency: input.currency,
    paymentModel: 'partner_collected',
    buyer: input.buyer,
    returnUrl: input.returnUrl ?? null,
    cancelUrl: input.cancelUrl ?? null,
    quoteSeq: quote?.seq ?? null,
    externalPaymentRef: input.externalPaymentRef ?? null,
    linkId: attributedLink(world, caller, offer.domain),
  }
  const recorded = writeOrder(world, order, {
    event: 'order.recorded',
    note: null,
    rateBasisPoints: world.settings.commission.partnerCollectedBasisPoints,
  })
  const reason = reviewReason(world, recorded)
  return reason === null ? recorded : takeStep(world, recorded, 'hold', reason)
}

/** An offer that neither another sale nor another partner's quote keeps from being taken. */
function offerToSell(world: World, seller: Pick<Credential, 'partnerId'>, domain: string): Offer {
  const offer = forSale(world, domain)
  refuseReserved(world, seller, offer)
  refuseTaken(world, seller, offer)
  return offer
}

/** A sale that the service itself collected the money for. */
type HostedSale = Pick<Order, 'partnerId' | 'domain' | 'buyer' | 'returnUrl' | 'cancelUrl' | 'linkId'> & {
  priceCents: number
}

/**
 * Records a sale that was paid on the hosted page, and starts its transfer unless the open point `hosted-order-state` lets it
 * wait as an order does that the partner collected the money for (STATE-09).
 */
export function recordHostedOrder(world: World, sale: HostedSale): Order {
  const { domain, currency } = offerToSell(world, sale, sale.domain)
  endReservation(world, domain, 'used')
  const status = world.gaps['hosted-order-state']
  const { priceCents, ...facts } = sale
  const order: NewOrder = {
    ...facts,
    status,
    salePriceCents: priceCents,
    currency,
    paymentModel: 'hosted_checkout',
    quoteSeq: null,
    externalPaymentRef: null,
  }
  return writeOrder(world, order, {
    event: status === 'EXTERNALLY_PAID' ? 'order.recorded' : 'order.transfer_started',
    note: 'paid on the hosted page',
    rateBasisPoints: world.settings.commission.hostedCheckoutBasisPoints,
  })
}

/** What a sale says of its order; the rest follows from the moment it is recorded. */
type NewOrder = Omit<Order, 'seq' | 'publicId' | 'commissionCents' | 'createdAtMs' | 'updatedAtMs'>

interface FirstEvent {
  event: EventType
  note: string | null
  /** The partner's share at this moment. */
  rateBasisPoints: number
}

/** Writes a new order with its sale in the ledger, its first event and timeline entry, and what follows automatically. */
function writeOrder(world: World, sale: NewOrder, { event, note, rateBasisPoints }: FirstEvent): Order {
  const seq = nextSequence(world.db, 'orders')
  const nowMs = world.clock.nowMs()
  // Member by member, here and below: a spread of so many costs as much as a statement.
  const order: Order = {
    seq,
    publicId: world.chance.id('order', seq),
    partnerId: sale.partnerId,
    domain: sale.domain,
    status: sale.status,
    salePriceCents: sale.salePriceCents,
    currency: sale.currency,
    paymentModel: sale.paymentModel,
    buyer: sale.buyer,
    returnUrl: sale.returnUrl,
    cancelUrl: sale.cancelUrl,
    quoteSeq: sale.quoteSeq,
    externalPaymentRef: sale.externalPaymentRef,
    commissionCents: commissionOf(rateBasisPoints, sale.salePriceCents),
    linkId: sale.linkId,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
  insertOrder(world.db, order, magicKind(order.domain) === 'stalls')
  bookSale(world, {
    orderSeq: seq,
    partnerId: order.partnerId,
    domain: order.domain,
    paymentModel: order.paymentModel,
    currency: order.currency,
    priceCents: order.salePriceCents,
    commissionCents: order.commissionCents,
    rateBasisPoints,
  })
  if (world.gaps['payable-from'] === 'the sale') bookPayable(world, { orderSeq: seq })
  orderTimelines.record(world, order, { event, data: { order: orderFacts(order) }, note })
  return startAutomaticSteps(world, order)
}

interface Price {
  readonly priceCents: number
  readonly currency: string
}

/**
 * An order must expect the price that applies: that of its quote, or else the listing's (ORD-03). What a listing that has
 * changed since the quote does to it is open (QUOTE-05); what is charged is always the quote's price.
 */
function refuseOtherPrice(
  world: World,
  input: OrderInput,
  { quote, listing }: { quote: Quote | null; listing: Price },
): void {
  const unit = world.gaps['expected-price-unit']
  // Whole units cannot say cents, so a price is rounded before it is compared with one in units.
  const fits = ({ priceCents, currency }: Price) =>
    input.currency === currency &&
    input.expectedPriceCents === (unit === 'units' ? Math.round(priceCents / 100) * 100 : priceCents)
  const applies = quote ?? listing
  const compared = quote ? world.gaps['quote-price'] : 'the quote'
  const isRight =
    compared === 'both'
      ? fits(applies) && fits(listing)
      : fits(applies) || (compared === 'the quote or the listing' && fits(listing))
  if (isRight) return
  const said = (cents: number, currency: string) => `${unit === 'units' ? cents / 100 : cents} ${currency} ${unit}`
  const [expected, right] = [said(input.expectedPriceCents, input.currency), said(applies.priceCents, applies.currency)]
  const source = quote ? 'its quote' : `the listing of ${input.domain}`
  throw new ApiError('price_mismatch', `expected_price is ${expected}, but the price is ${right}`, {
    grounds: {
      says: `expected_price is ${expected}, but the price is ${right} by ${source}${sinceWhen(world, input.domain, quote)}`,
      compared: [{ name: 'expected_price', sent: expected, expected: right }],
      ...(!quote && { pricedDomain: input.domain }),
      remedies: [{ says: 'Read the price.', call: { method: 'GET', path: `/pricing?domain=${input.domain}` } }],
    },
  })
}

/** From when on a price holds, where that is known here. */
function sinceWhen(world: World, domain: string, quote: Quote | null): string {
  if (quote) return ` of ${formatInstant(quote.createdAtMs)}`
  const movedAtMs = magicKind(domain) === 'price-moves' ? actedAtMs(world, domain, 'price-moves') : null
  return movedAtMs === null ? '' : `, which rose at ${formatInstant(movedAtMs)} of the world’s time, by its name`
}

/** Why an order is held for manual review as soon as it is recorded: its name, or a rule of the world (STATE-08). */
function reviewReason(world: World, { domain, salePriceCents, currency, buyer }: Order): string | null {
  const { priceAboveCents, buyerCountries } = world.settings.review
  if (magicKind(domain) === 'held') return 'held for manual review by its name'
  if (priceAboveCents !== null && salePriceCents > priceAboveCents) {
    return `held for manual review: its price is above ${priceAboveCents} ${currency} cents`
  }
  if (buyer.country !== undefined && buyerCountries.includes(buyer.country)) {
    return `held for manual review: its buyer is from ${buyer.country}`
  }
  return null
}

/**
 * Takes an order one step further: state, timeline and event together (STATE-01..07).
 *
 * @param note why, in the operator's words; shown in the timeline.
 */
export function takeStep(world: World, order: Order, name: OrderStepName, note: string | null): Order {
  const step = world.rules.steps[name]
  if (!startsIn(name, step.from, world.gaps).includes(order.status)) {
    throw refusedStep(name, order.status, stepsFrom(order.status, world.gaps))
  }
  const moved: Order = { ...order, status: step.to, updatedAtMs: world.clock.nowMs() }
  const sql = 'UPDATE orders SET status = ?, updated_at = ? WHERE seq = ?'
  world.db.statement(sql).run(moved.status, moved.updatedAtMs, moved.seq)
  orderTimelines.record(world, moved, { event: step.event, data: { order: orderFacts(moved) }, note })
  followStep(world, moved)
  if (name === 'clear' && world.gaps['cleared-order'] === 'starts its transfer') {
    return takeStep(world, moved, 'start-transfer', null)
  }
  return startAutomaticSteps(world, moved)
}

/**
 * What follows automatically from the state that an order has reached. A new order must have been booked before.
 *
 * @returns the order as it stands then: the transfer of `fails-N.test` may have ended where it began.
 */
function startAutomaticSteps(world: World, order: Order): Order {
  // Beside the event of the order, if the open point asks for it (EVT-04).
  const type = TRANSFER_EVENTS[order.status]
  if (type && world.gaps['transfer-events'] !== 'none') {
    const { partnerId, publicId, domain, status } = order
    recordInHistory(world, { partnerId, type, data: { transfer: { public_id: publicId, domain, status } } })
  }
  const fails = order.status === 'TRANSFER_IN_PROGRESS' && actOnce(world, order.domain, 'fails')
  return fails ? takeStep(world, order, 'refund', 'the transfer failed by its name') : order
}

/** What a step means for money and inventory, in the transaction of the step. */
function followStep(world: World, { seq: orderSeq, domain, status }: Order): void {
  if (status === 'TRANSFER_COMPLETED') bookPayable(world, { orderSeq })
  if (!isUndone(status)) return
  bookReversal(world, { orderSeq })
  if (world.gaps['refunded-domain'] === 'withdrawn') setListing(world, domain, { listed: false })
}

/** The five fields that every order event carries (ORD-02). */
export function orderFacts(order: Order) {
  return {
    public_id: order.publicId,
    domain: order.domain,
    status: order.status,
    sale_price_cents: order.salePriceCents,
    currency: order.currency,
  }
}

const TRANSFER_EVENTS: Partial<Record<OrderState, TransferEventType>> = {
  TRANSFER_IN_PROGRESS: 'transfer.started',
  TRANSFER_COMPLETED: 'transfer.completed',
}

const NOTE = 'by automatic progress'

/** The automatic step of the orders in a state, and which of the world's settings says after how long. */
interface AutomaticStep {
  readonly from: OrderState
  readonly step: OrderStepName
  readonly after: Extract<keyof Progress, 'startAfterMs' | 'completeAfterMs'>
  /** The index of these orders. Left to itself SQLite would take that of all states, and sort. */
  readonly index: string
}

/** The order that waits longest since its last step is next. `stalls-N.test` is left out. */
function automaticStep({ from, step, after, index }: AutomaticStep): TaskSource {
  return {
    ...waitingRows({
      kind: 'order.step',
      from: `FROM orders INDEXED BY ${index} WHERE status = '${from}' AND stalls = 0`,
      id: 'public_id',
      at: 'updated_at',
      order: 'updated_at, seq',
      after,
    }),
    run(world, { atMs, id }) {
      const order = takeStep(world, findOrder(world, id) as Order, step, NOTE)
      const summary = `${step} of the order for ${order.domain}: ${order.status}`
      return [{ atMs, kind: 'order.step', id, summary }]
    },
  }
}

/** Transfers start some time after the recording of their order, or its clearing. A held order waits for its clearing. */
export const transferStarts = automaticStep({
  from: 'EXTERNALLY_PAID',
  step: 'start-transfer',
  after: 'startAfterMs',
  index: 'orders_to_start',
})

/** Transfers complete some time after their start, those of hosted orders too. A delivered one waits for a settlement run. */
export const transferCompletions = automaticStep({
  from: 'TRANSFER_IN_PROGRESS',
  step: 'complete-transfer',
  after: 'completeAfterMs',
  index: 'orders_to_complete',
})
