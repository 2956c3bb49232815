import { nextSequence } from '../../storage/database.ts'
import { actOnce } from '../inventory/magic-acts.ts'
import type { Listing } from '../inventory/types.ts'
import type { World } from '../kernel/world.ts'
import { insertQuote } from './store.ts'
import type { Quote } from './types.ts'

/**
 * Writes a quote of a domain's current price, which reserves the domain; call it where nobody else's does. The first one
 * of `quote-expired-N.test` is written with its window just over.
 */
export function openQuote(world: World, partnerId: string, listing: Listing): Quote {
  const seq = nextSequence(world.db, 'quotes')
  const windowMs = world.rules.quotes.seconds * 1_000
  const isOver = actOnce(world, listing.domain, 'quote-expired')
  const createdAtMs = world.clock.nowMs() - (isOver ? windowMs + 1 : 0)
  const quote: Quote = {
    seq,
    quoteId: world.chance.id('quote', seq),
    partnerId,
    domain: listing.domain,
    priceCents: listing.priceCents,
    currency: listing.currency,
    createdAtMs,
    expiresAtMs: createdAtMs + windowMs,
    state: isOver ? 'expired' : 'open',
  }
  insertQuote(world.db, quote)
  if (!isOver) world.due.note(expiryInstant(world, quote))
  return quote
}

/** The first millisecond at which a quote is no longer valid: whether that is its very last is open (QUOTE-09). */
export function expiryInstant({ gaps }: World, { expiresAtMs }: Quote): number {
  return gaps['quote-edge'] === 'valid' ? expiresAtMs + 1 : expiresAtMs
}
