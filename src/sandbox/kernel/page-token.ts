import { createHmac, timingSafeEqual } from 'node:crypto'
import type { World } from './world.ts'

/**
 * What a token opens. The word is part of what is signed, so that a token of one kind is none of another: the buyer's
 * checkout page, the progress of a brokerage case, and the visit that a tracking link began.
 */
type TokenPurpose = 'checkout' | 'case' | 'visit'

/** What a token says, once it is believed. */
export interface PageToken {
  id: string
  /** World time after which the token opens nothing; null for as long as the world lasts. */
  expiresAtMs: number | null
}

/**
 * A token for the address of a page: readable facts and an HMAC over them under the world's page key, which no seed
 * gives away and a reset replaces. A proxy cannot read the facts, so the label of a shard stands before them.
 */
export function pageToken(world: World, purpose: TokenPurpose, { id, expiresAtMs }: PageToken): string {
  const facts = [purpose, world.name, id, expiresAtMs ?? ''].join(' ')
  const digest = createHmac('sha256', world.pageKey()).update(facts).digest('base64url')
  const token = `${Buffer.from(facts).toString('base64url')}.${digest}`
  return world.shard === null ? token : `${world.shard}.${token}`
}

/**
 * What a token says about itself, unverified: none of it may be trusted.
 *
 * @returns null where it does not even look like one of this purpose.
 */
export function unverifiedToken(purpose: TokenPurpose, token: string): PageToken | null {
  const [claimed, , id = '', expires = ''] = factsOf(token)
  return claimed === purpose ? { id, expiresAtMs: expires === '' ? null : Number(expires) } : null
}

/** The world that a token says it is of; to be believed only once {@link vouchedToken} has checked the token there. */
export function claimedWorld(token: string): string {
  return factsOf(token)[1] ?? ''
}

/**
 * Reads a token of any age, so that a page can distinguish an old link from a false one. Any altered character is
 * found, those of base64 that carry no bits included, because the whole text is made again and compared in constant time.
 *
 * @returns null for a token that is not one of this world and purpose.
 */
export function vouchedToken(world: World, purpose: TokenPurpose, token: string): PageToken | null {
  const claimed = unverifiedToken(purpose, token)
  if (!claimed) return null
  const correct = Buffer.from(pageToken(world, purpose, claimed))
  const given = Buffer.from(token)
  return correct.length === given.length && timingSafeEqual(correct, given) ? claimed : null
}

function factsOf(token: string): string[] {
  const [facts = ''] = token.split('.').slice(-2)
  return Buffer.from(facts, 'base64url').toString('utf8').split(' ')
}

/** What a page lets a browser remember. */
interface PageCookie {
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
