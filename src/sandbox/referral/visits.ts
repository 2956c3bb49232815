import { pageToken, setCookie, tokensOf, tokensValue, vouchedToken } from '../kernel/page-token.ts'
import type { World } from '../kernel/world.ts'
import { ATTRIBUTION_WINDOW_MS, countClick, findLink, type Link } from './links.ts'

/** Following a link again so soon is the same visit, in world time. */
const SAME_VISIT_MS = 30 * 60 * 1_000

/** A browser remembers so many links of a world; the one followed longest ago is forgotten first. */
const REMEMBERED = 10

/** The longest that browsers keep a cookie. World time decides when a visit is over, and it may stand still. */
const COOKIE_SECONDS = 400 * 24 * 3_600

/** That a visitor followed a link, as the browser carries it: signed, so that it cannot be forged. */
interface Visit {
  linkId: string
  /** World time of the click that was counted. */
  atMs: number
  token: string
}

/** The cookie of a world: several worlds live under one host, and each has visits of its own. */
export function visitCookieName(world: World): string {
  return `visits_${world.name}`
}

/**
 * Counts a click on a link, unless the browser shows that this is still the same visit (LINK-03).
 *
 * @returns the cookie to set; null if the browser has it.
 */
export function follow(world: World, link: Link, cookies: ReadonlyMap<string, string>): string | null {
  const visits = visitsIn(world, cookies)
  const nowMs = world.clock.nowMs()
  const isSameVisit = visits.some(({ linkId, atMs }) => linkId === link.linkId && nowMs - atMs < SAME_VISIT_MS)
  if (!isSameVisit) countClick(world, link)
  if (isSameVisit && visits[0]?.linkId === link.linkId) return null
  const others = visits.filter(({ linkId }) => linkId !== link.linkId)
  const own = visits.find(({ linkId }) => linkId === link.linkId)
  const begun = { id: link.linkId, expiresAtMs: nowMs + ATTRIBUTION_WINDOW_MS }
  const token = isSameVisit && own ? own.token : pageToken(world, 'visit', begun)
  const value = tokensValue([token, ...others.map((visit) => visit.token)], REMEMBERED)
  return setCookie(world, { name: visitCookieName(world), value, path: '/', maxAgeSeconds: COOKIE_SECONDS })
}

/** The link of a partner that a browser followed last, within the attribution window. */
export function visitedLink(world: World, partnerId: string, cookies: ReadonlyMap<string, string>): string | null {
  const last = visitsIn(world, cookies).find(({ linkId }) => findLink(world, linkId)?.partnerId === partnerId)
  return last?.linkId ?? null
}

/** What a browser remembers, latest first. What is altered, made up or too old is not there. */
function visitsIn(world: World, cookies: ReadonlyMap<string, string>): Visit[] {
  return tokensOf(cookies, visitCookieName(world), REMEMBERED).flatMap((token) => {
    const read = vouchedToken(world, 'visit', token)
    if (read?.expiresAtMs == null || world.clock.nowMs() > read.expiresAtMs) return []
    return [{ linkId: read.id, atMs: read.expiresAtMs - ATTRIBUTION_WINDOW_MS, token }]
  })
}
