import type { Credential, World } from '../kernel/world.ts'
import { lastFollowed, lastFollowedFor, linkById, wasAnyFollowed } from './store.ts'

const DAY_MS = 24 * 3_600 * 1_000

/** How long after a visit a purchase still counts as following it, in world time (LINK-03). */
export const ATTRIBUTION_WINDOW_MS = 30 * DAY_MS

/** Whose sale it is, and whether what sold it is linked to an affiliate account. */
export type Seller = Pick<Credential, 'partnerId' | 'affiliate'>

/**
 * The link that a purchase is attributed to (LINK-03): one of the partner that made the sale, and none if it sold through a
 * credential without an affiliate account. Without a known visit it has to be guessed from what was followed within the window:
 * a link about the very domain is the better guess.
 *
 * @param visitedLinkId null if there was no visit; left out if nothing is known of one.
 */
export function attributedLink(
  world: World,
  { partnerId, affiliate }: Seller,
  domain: string,
  visitedLinkId?: string | null,
): string | null {
  if (!affiliate || !world.rules.referral.attributes) return null
  if (visitedLinkId === null) return null
  if (visitedLinkId !== undefined) {
    return linkById(world.db, visitedLinkId)?.partnerId === partnerId ? visitedLinkId : null
  }
  if (!wasAnyFollowed(world.db)) return null
  const sinceMs = world.clock.nowMs() - ATTRIBUTION_WINDOW_MS
  return lastFollowedFor(world.db, { partnerId, domain, sinceMs }) ?? lastFollowed(world.db, { partnerId, sinceMs })
}
