import { setCookie, tokensOf, tokensValue } from '../kernel/page-cookie.ts'
import { pageToken } from '../kernel/page-token.ts'
import type { World } from '../kernel/world.ts'
import { shopUrl } from '../referral/links.ts'
import type { Link } from '../referral/types.ts'
import { isOver, sessionOfToken } from './sessions.ts'
import type { CheckoutSession } from './types.ts'

/** A browser remembers so many checkouts of a shop; the one begun longest ago is forgotten first. */
const REMEMBERED = 5

/**
 * The checkouts that a browser has begun in the shop of a link and that can still be paid, latest first. Whoever presses
 * Buy again is led to the one there is, so that pressing it often does not look like many buyers.
 *
 * @example begunCheckouts(world, link, request.cookies).find((session) => session.domain === domain)
 */
export function begunCheckouts(world: World, link: Link, cookies: ReadonlyMap<string, string>): CheckoutSession[] {
  return tokensOf(cookies, cookieName(link), REMEMBERED).flatMap((token) => {
    const session = sessionOfToken(world, token)
    if (session === 'unknown' || session === 'over' || session.linkId !== link.linkId) return []
    return session.state === 'open' && !isOver(world, session) ? [session] : []
  })
}

/** The cookie by which a browser remembers them, in this shop only. */
export function begunCookie(world: World, link: Link, begun: readonly CheckoutSession[]): string {
  const tokens = begun.map(({ sessionId, expiresAtMs }) => pageToken(world, 'checkout', { id: sessionId, expiresAtMs }))
  const path = new URL(shopUrl(world, link)).pathname
  return setCookie(world, { name: cookieName(link), value: tokensValue(tokens, REMEMBERED), path })
}

function cookieName(link: Link): string {
  return `checkouts_${link.linkId}`
}
