import type { World } from '../kernel/world.ts'
import { type MagicKind, magicKind } from './magic.ts'
import * as store from './store.ts'

/**
 * Whether a name is of a kind whose act is still to come: most magic names act once (shapes.md).
 *
 * @param domain a normalised name.
 */
export function willAct(world: World, domain: string, kind: MagicKind): boolean {
  return magicKind(domain) === kind && !store.hasActed(world.db, domain, kind)
}

/** Remembers that a name has acted, in the transaction of the act. */
export function noteAct(world: World, domain: string, kind: MagicKind): void {
  store.insertAct(world.db, { domain, act: kind, atMs: world.clock.nowMs() })
}

/**
 * Whether a name acts now; from then on it does not any more.
 *
 * @example if (actOnce(world, listing.domain, 'price-moves')) raisePrice(world, listing)
 */
export function actOnce(world: World, domain: string, kind: MagicKind): boolean {
  if (!willAct(world, domain, kind)) return false
  noteAct(world, domain, kind)
  return true
}
