import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { drawMagicListing, LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import type { World } from '../kernel/world.ts'

/** A call that a command can make, for a hint that can be pasted. */
export interface PastedCall {
  readonly method: string
  /** Below the API root, query included; a whole path where it begins with `/api`. */
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
  /** Name of the credential that signs. */
  readonly as?: string
}

/** @example urlOf(world, '/orders') // 'http://127.0.0.1:4600/api/partner/v1/orders' */
export function urlOf(world: World, path: string): string {
  return world.publicUrl() + (path.startsWith('/api') ? path : API_ROOT + path)
}

/**
 * The words behind `partner-sandbox` that sign a call and print it as a line for the shell; the call itself where the world has no such
 * credential any more.
 *
 * @example signWords(world, { method: 'GET', path: '/orders' }) // "sign GET http://… --key-id pk_sandbox_… --curl"
 */
export function signWords(
  world: World,
  { method, path, body, idempotencyKey, as = 'main' }: PastedCall,
): string | null {
  const signer = [...world.credentials.values()].find(({ name, revoked }) => name === as && !revoked)
  if (!signer) return null
  const words = ['sign', method, urlOf(world, path), '--key-id', signer.keyId]
  if (body !== undefined) words.push('--body', JSON.stringify(body))
  if (idempotencyKey !== undefined) words.push('--idempotency-key', idempotencyKey)
  return [...words, '--curl'].map(shellQuote).join(' ')
}

const SAFE_WORD = /^[\w\-.,/:=@%+]+$/

function shellQuote(word: string): string {
  return SAFE_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A call in words, for where no command can make it. */
export function callWords({ method, path, body }: PastedCall): string {
  return `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`
}

/** An order of a magic name at its price, as the world draws it. */
export function orderOf(world: World, domain: string, more: Record<string, unknown> = {}): PastedCall {
  const { priceCents } = drawMagicListing(world.chance.seed, domain, world.clock.nowMs())
  const body = {
    domain,
    expected_price: priceCents,
    currency: LISTING_CURRENCY,
    buyer: { email: 'buyer@example.test' },
    ...more,
  }
  return { method: 'POST', path: '/orders', body, idempotencyKey: `order-of-${domain}` }
}
