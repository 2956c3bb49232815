import { noteAct, willAct } from '../inventory/magic-acts.ts'
import type { Listing } from '../inventory/types.ts'
import { LastingRefusal } from '../kernel/refusal-with-effect.ts'
import type { Credential, World } from '../kernel/world.ts'
import { openQuote } from './open-quote.ts'
import { openQuoteOf } from './store.ts'

/**
 * Another partner is quicker for `taken-N.test`, once: its quote is a real one, which ends after its ten minutes.
 *
 * @throws LastingRefusal the same as for any name that is reserved; it leaves the other partner's quote.
 */
export function refuseTaken(world: World, caller: Pick<Credential, 'partnerId'>, listing: Listing): void {
  const { domain } = listing
  if (!world.rules.quotes.reserves || !willAct(world, domain, 'taken') || openQuoteOf(world.db, domain)) return
  throw new LastingRefusal(world.gaps['reserved-refusal'], reservedByAnother(domain), () => {
    noteAct(world, domain, 'taken')
    openQuote(world, anotherPartner(world, caller), listing)
  })
}

export function reservedByAnother(domain: string): string {
  return `${domain} is reserved by another partner's quote`
}

/** One of the two partners of every cast. */
function anotherPartner(world: World, caller: Pick<Credential, 'partnerId'>): string {
  const [main, other] = [world.chance.id('partner', 1), world.chance.id('partner', 2)]
  return caller.partnerId === other ? main : other
}
