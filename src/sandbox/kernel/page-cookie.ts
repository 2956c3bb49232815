import type { World } from './world.ts'

/** What a page lets a browser remember. */
export interface PageCookie {
  name: string
  /** Text that needs no escaping in a cookie. */
  value: string
  /** Where the browser sends it back: this path and what is below it. */
  path: string
  /** How long the browser keeps it; left out until it is closed. */
  maxAgeSeconds?: number
}

/** A whole Set-Cookie value that neither scripts nor forms of other sites can use. */
export function setCookie(world: World, { name, value, path, maxAgeSeconds }: PageCookie): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  const secure = world.publicUrl().startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}${age}; HttpOnly; SameSite=Lax${secure}`
}

const SEPARATOR = '~'

/** The tokens that a cookie holds, as far as it may hold any; none of them is believed yet. */
export function tokensOf(cookies: ReadonlyMap<string, string>, name: string, atMost: number): string[] {
  return (cookies.get(name) ?? '').split(SEPARATOR).slice(0, atMost)
}

/** A cookie's value of tokens, latest first; the oldest beyond the limit are forgotten. */
export function tokensValue(tokens: readonly string[], atMost: number): string {
  return tokens.slice(0, atMost).join(SEPARATOR)
}
