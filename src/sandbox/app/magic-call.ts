import { actOnce, type MagicKind, magicKind } from '../inventory/magic.ts'
import { normaliseDomain } from '../kernel/domain-name.ts'
import type { World } from '../kernel/world.ts'

/** The kinds of magic names that act on calls, whatever the calls want. */
export type CallAct = Extract<MagicKind, 'slow' | 'rate-limited' | 'error' | 'lost-reply'>

/**
 * Beside plain spellings whatever may be one in disguise: an escape of JSON, a letter that is mapped to another. Without the
 * flag u, under which the range would take in s and k, being case variants of letters in it.
 */
const MAY_ACT = /slow-|rate-limited-|error-|lost-reply-|[\\\u0080-\uffff]/i

/**
 * Whether a text may name a domain that acts on calls: a quick look that spares all other calls the careful one. It may
 * say yes for nothing, and never no to such a name.
 *
 * @param text a name in any spelling, or a whole body.
 */
export function mayAct(text: string): boolean {
  return MAY_ACT.test(text)
}

/**
 * What the name in a call does to it now; from then on it does that no more.
 *
 * @param named the name as the call has it.
 * @returns null where it does nothing. `lost-reply` does something to an order only, and once that is recorded: see
 *   {@link losesReply}.
 */
export function actOnCall(world: World, named: string): Exclude<CallAct, 'lost-reply'> | null {
  const domain = normaliseDomain(named)
  const kind = domain === null ? null : magicKind(domain)
  if (domain === null || (kind !== 'slow' && kind !== 'rate-limited' && kind !== 'error')) return null
  return actOnce(world, domain, kind) ? kind : null
}

/** Whether the answer to an order that was recorded is lost; call it in the transaction of its work. */
export function losesReply(world: World, named: string): boolean {
  const domain = normaliseDomain(named)
  return domain !== null && actOnce(world, domain, 'lost-reply')
}
