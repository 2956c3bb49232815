import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
import { drawMagicListing, LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import type { Credential, World } from '../kernel/world.ts'

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
  const { method, path, body, as = 'main' } = call
  const signer = signerNamed(world, as)
  if (!signer) return [method, path, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' ')
  return `${command(`${signingWords(world, signer, call)} --curl`)} | sh`
}

/** The credential of a name that can sign; null if there is none any more. */
export function signerNamed(world: World, wanted = 'main'): Credential | null {
  return [...world.credentials.values()].find(({ name, revoked }) => name === wanted && !revoked) ?? null
}

/** The words of the command that signs a call. */
export function signingWords(world: World, { keyId }: Credential, call: PastedCall): string {
  const { method, path, body, idempotencyKey } = call
  const words = ['sign', method, urlOf(world, path), '--key-id', keyId]
  if (body !== undefined) words.push('--body', JSON.stringify(body))
  if (idempotencyKey !== undefined) words.push('--idempotency-key', idempotencyKey)
  return words.map(shellQuote).join(' ')
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
