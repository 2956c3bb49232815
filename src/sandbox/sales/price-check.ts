import { ApiError } from '../../contract/errors.ts'
import type { World } from '../kernel/world.ts'
import type { OrderInput } from './orders.ts'

interface Price {
  readonly priceCents: number
  readonly currency: string
}

/**
 * Refuses an order whose partner expects another price than the one that applies: that of its quote, or else the listing's
 * (ORD-03). What a listing that has changed since the quote does to it is open (QUOTE-05); what is charged is always the
 * quote's price.
 *
 * @param quote null where the order names none.
 * @throws ApiError price_mismatch
 */
export function refuseOtherPrice(
  world: World,
  input: OrderInput,
  { quote, listing }: { quote: Price | null; listing: Price },
): void {
  const applies = quote ?? listing
  const fits = (price: Price) => !isRefused(world, input, price)
  const isRight =
    quote && world.gaps['quote-price'] !== 'the quote' ? fitsBesideQuote(world, fits, quote, listing) : fits(applies)
  if (isRight) return
  const unit = world.gaps['expected-price-unit']
  const said = (cents: number, currency: string) => `${unit === 'units' ? cents / 100 : cents} ${currency} ${unit}`
  throw new ApiError(
    'price_mismatch',
    `expected_price is ${said(input.expectedPriceCents, input.currency)}, but the price is ${said(applies.priceCents, applies.currency)}`,
  )
}

function fitsBesideQuote(world: World, fits: (price: Price) => boolean, quote: Price, listing: Price): boolean {
  return world.gaps['quote-price'] === 'both' ? fits(quote) && fits(listing) : fits(quote) || fits(listing)
}

function isRefused(world: World, input: OrderInput, price: Price): boolean {
  const { priceChecked } = world.rules.orders
  const difference = input.expectedPriceCents - comparable(world, price.priceCents)
  if (priceChecked === 'both-ways') return difference !== 0 || input.currency !== price.currency
  return (priceChecked === 'only-below' && difference < 0) || (priceChecked === 'only-above' && difference > 0)
}

/** Whole units cannot say cents, so a price is rounded before it is compared with one in units. */
function comparable(world: World, priceCents: number): number {
  return world.gaps['expected-price-unit'] === 'units' ? Math.round(priceCents / 100) * 100 : priceCents
}
