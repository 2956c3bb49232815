import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { EventType } from '../../contract/event-types.ts'
import { nextSequence } from '../../storage/db.ts'
import { actedAtMs, magicKind } from '../inventory/magic.ts'
import type { Listing } from '../inventory/types.ts'
import type { Credential, World } from '../kernel/world.ts'
import { bookPayable, bookSale, commissionOf } from '../ledger/ledger.ts'
import { attributedLink } from '../referral/links.ts'
import { orderFacts, startAutomaticSteps, takeStep } from './order-steps.ts'
import { insertOrder, orderTimelines } from './orders.ts'
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
  const listing = listingToSell(world, caller, input.domain)
  refuseOtherPrice(world, input, { quote, listing })

  endReservation(world, listing.domain, 'used')
  const order: NewOrder = {
    partnerId: caller.partnerId,
    domain: listing.domain,
    status: 'EXTERNALLY_PAID',
    salePriceCents: (quote ?? listing).priceCents,
    currency: input.currency,
    paymentModel: 'partner_collected',
    buyer: input.buyer,
    returnUrl: input.returnUrl ?? null,
    cancelUrl: input.cancelUrl ?? null,
    quoteSeq: quote?.seq ?? null,
    externalPaymentRef: input.externalPaymentRef ?? null,
    linkId: attributedLink(world, caller, listing.domain),
  }
  const recorded = writeOrder(world, order, {
    event: 'order.recorded',
    note: null,
    rateBasisPoints: world.settings.commission.partnerCollectedBasisPoints,
  })
  const reason = reviewReason(world, recorded)
  return reason === null ? recorded : takeStep(world, recorded, 'hold', reason)
}

/** A listing that neither another sale nor another partner's quote keeps from being sold. */
function listingToSell(world: World, seller: Pick<Credential, 'partnerId'>, domain: string): Listing {
  const listing = forSale(world, domain)
  refuseReserved(world, seller, listing.domain)
  refuseTaken(world, seller, listing)
  return listing
}

/** A sale that the service itself collected the money for. */
type HostedSale = Pick<Order, 'partnerId' | 'domain' | 'buyer' | 'returnUrl' | 'cancelUrl' | 'linkId'> & {
  /** What the buyer agreed to. */
  priceCents: number
}

/**
 * Records a sale that was paid on the hosted page, and starts its transfer unless the open point `hosted-order-state` lets it
 * wait as an order does that the partner collected the money for (STATE-09).
 */
export function recordHostedOrder(world: World, sale: HostedSale): Order {
  const listing = listingToSell(world, sale, sale.domain)
  endReservation(world, listing.domain, 'used')
  const status = world.gaps['hosted-order-state']
  const { priceCents, ...facts } = sale
  const order: NewOrder = {
    ...facts,
    status,
    salePriceCents: priceCents,
    currency: listing.currency,
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

/** The event and the timeline note with which an order begins. */
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
  orderTimelines.begin(world, order, { event, data: { order: orderFacts(order) }, note })
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
