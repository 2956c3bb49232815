import type { WallClock } from '../../clock/wall-clock.ts'

/**
 * A jar by hand: the usual libraries end cookies by the clock of this machine and bring a list of public suffixes along; a scenario
 * moves the clock of its target and stays with one service.
 */

/** The cookies of one browser. */
export interface CookieJar {
  /** Takes the cookies that an answer from this address sets. */
  store(url: URL, headers: readonly (readonly [string, string])[]): void
  /** The Cookie header for a request to this address; null if there is nothing to send. */
  headerFor(url: URL): string | null
}

interface Cookie {
  name: string
  value: string
  domain: string
  /** It was set for one host, not for all below a domain. */
  hostOnly: boolean
  path: string
  secure: boolean
}

/** A page that sets more than this wants something else. */
const MAX_COOKIES = 100

/**
 * Keeps cookies as long as a scenario lasts; what ends only in the future does not end here, since the clocks of targets are moved.
 *
 * @example const jar = createCookieJar(wallClock)
 */
export function createCookieJar(wall: WallClock): CookieJar {
  const cookies = new Map<string, Cookie>()
  return {
    store(url, headers) {
      for (const [name, line] of headers) {
        if (name.toLowerCase() !== 'set-cookie') continue
        const parsed = parseCookie(url, line, wall.nowMs())
        if (!parsed) continue
        const key = `${parsed.cookie.domain} ${parsed.cookie.path} ${parsed.cookie.name}`
        if (parsed.over) cookies.delete(key)
        else if (cookies.has(key) || cookies.size < MAX_COOKIES) cookies.set(key, parsed.cookie)
      }
    },
    headerFor(url) {
      const fitting = [...cookies.values()]
        .filter((cookie) => belongs(cookie, url))
        .sort((a, b) => b.path.length - a.path.length)
      return fitting.length === 0 ? null : fitting.map(({ name, value }) => `${name}=${value}`).join('; ')
    },
  }
}

function parseCookie(url: URL, line: string, nowMs: number): { cookie: Cookie; over: boolean } | null {
  const [pair = '', ...rest] = line.split(';')
  const equals = pair.indexOf('=')
  const name = pair.slice(0, equals).trim()
  if (equals < 1 || name === '') return null
  const attributes = new Map(rest.map(attributeOf))
  const wanted = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase()
  // A cookie for another site's domain is not taken.
  if (wanted !== '' && !isWithin(url.hostname, wanted)) return null
  const path = attributes.get('path') ?? ''
  const maxAge = attributes.get('max-age')
  const expires = Date.parse(attributes.get('expires') ?? '')
  return {
    cookie: {
      name,
      value: pair.slice(equals + 1).trim(),
      domain: wanted === '' ? url.hostname : wanted,
      hostOnly: wanted === '',
      path: path.startsWith('/') ? path : folderOf(url.pathname),
      secure: attributes.has('secure'),
    },
    over: maxAge === undefined ? expires <= nowMs : Number(maxAge) <= 0,
  }
}

function attributeOf(text: string): [string, string] {
  const [key = '', ...value] = text.split('=')
  return [key.trim().toLowerCase(), value.join('=').trim()]
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && domain.includes('.'))
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}

function belongs({ domain, hostOnly, path, secure }: Cookie, url: URL): boolean {
  const host = hostOnly ? url.hostname === domain : isWithin(url.hostname, domain)
  const folder = path.endsWith('/') ? path : `${path}/`
  const below = url.pathname === path || url.pathname.startsWith(folder)
  // Browsers take this machine for safe, on any scheme.
  const safe = url.protocol === 'https:' || url.hostname === 'localhost' || /^(127\.|\[::1\])/.test(url.hostname)
  return host && below && (!secure || safe)
}
