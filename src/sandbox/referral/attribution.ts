import type { World } from '../world.ts'
import { lastClickedFor, linkById } from './store.ts'

const DAY_MS = 24 * 3_600 * 1_000

/** How long after a visit a purchase still counts as following it, in world time (LINK-03). */
export const ATTRIBUTION_WINDOW_MS = 30 * DAY_MS

/**
 * The link that a purchase is attributed to (LINK-03).
 *
 * A visit that is known (from the buyer's browser, or because the partner named the link) decides. A sale that the
 * partner recorded by a call comes without the buyer's browser, so nobody can know which generic link led to it; then the
 * partner's own links for exactly this domain are asked, and the one followed last within the window is taken.
 *
 * @param domain a normalised name.
 * @param visitedLinkId the link of the visit; null where it is known that there was none; left out where nothing can be known.
 * @returns null for a purchase that nobody referred.
 * @example attributedLink(world, order.partnerId, order.domain) // a partner-collected sale
 * @example attributedLink(world, session.partnerId, session.domain, session.linkId ?? visitedLink(...)) // a hosted one
 */
export function attributedLink(
  world: World,
  partnerId: string,
  domain: string,
  visitedLinkId?: string | null,
): string | null {
  if (!world.rules.referral.attributes) return null
  if (visitedLinkId === undefined) {
    return lastClickedFor(world.db, partnerId, domain, world.clock.nowMs() - ATTRIBUTION_WINDOW_MS)
  }
  if (visitedLinkId === null) return null
  return linkById(world.db, visitedLinkId)?.partnerId === partnerId ? visitedLinkId : null
}
