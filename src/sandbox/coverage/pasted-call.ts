import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
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
 * A line for the shell that signs a call and sends it; the call in words if the world no longer has such a credential.
 *
 * @param command writes a command of this program.
 */
export function lineOf(world: World, call: PastedCall, command: (words: string) => string): string {
  const { method, path, body, idempotencyKey, as = 'main' } = call
  const content = body === undefined ? [] : [JSON.stringify(body)]
  const signer = [...world.credentials.values()].find(({ name, revoked }) => name === as && !revoked)
  if (!signer) return [method, path, ...content].join(' ')
  const words = ['sign', method, urlOf(world, path), '--key-id', signer.keyId]
  if (body !== undefined) words.push('--body', ...content)
  if (idempotencyKey !== undefined) words.push('--idempotency-key', idempotencyKey)
  return `${command([...words, '--curl'].map(shellQuote).join(' '))} | sh`
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
