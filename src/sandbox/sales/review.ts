import { magicKind } from '../inventory/magic.ts'
import type { World } from '../kernel/world.ts'
import type { Order } from './types.ts'

/**
 * Why an order is held for manual review as soon as it is recorded: its name, or a rule of the world (STATE-08).
 *
 * @returns null for one that goes on its way.
 */
export function reviewReason(world: World, { domain, salePriceCents, currency, buyer }: Order): string | null {
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
