import { Cookie, CookieJar as Cookies } from 'tough-cookie'
import type { WallClock } from '../../clock/wall-clock.ts'

/** The cookies of one browser. */
export interface CookieJar {
  /** Takes the cookies that an answer from this address sets. */
  store(url: URL, headers: readonly (readonly [string, string])[]): void
  /** The Cookie header for a request to this address; null if there is nothing to send. */
  headerFor(url: URL): string | null
}

/** A page that sets more than this wants something else. */
const MAX_COOKIES = 100

/**
 * Keeps cookies as long as a scenario lasts; what ends only in the future does not end here, since the clocks of targets are moved.
 *
 * @example const jar = createCookieJar(wallClock)
 */
export function createCookieJar(wall: WallClock): CookieJar {
  const jar = new Cookies()
  const taken = new Set<string>()
  return {
    store(url, headers) {
      for (const [name, line] of headers) {
        const cookie = name.toLowerCase() === 'set-cookie' ? Cookie.parse(line) : undefined
        if (!cookie) continue
        const id = [url.hostname, cookie.domain, cookie.path, cookie.key].join(' ')
        if (taken.size >= MAX_COOKIES && !taken.has(id)) continue
        taken.add(id)
        if (cookie.TTL(wall.nowMs()) > 0) Object.assign(cookie, { expires: 'Infinity', maxAge: null })
        jar.setCookieSync(cookie, url.href, { ignoreError: true })
      }
    },
    headerFor: (url) => jar.getCookieStringSync(url.href) || null,
  }
}
