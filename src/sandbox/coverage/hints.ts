import type { GapChoices } from '../../contract/choices.ts'
import { API_ROOT, type Hint } from '../../contract/endpoints/endpoint.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
import { drawMagicListing, LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { CountKind, Tally } from './facts.ts'

/** What rows are made of: what was counted of a server, and how hints name it. */
export interface Evidence {
  /** What it chose at the open points. */
  readonly gaps: GapChoices
  /** A key id that calls may carry; null if there is none. */
  readonly keyId: string | null
  seen(kind: CountKind, id?: string): Tally<CountKind>
  /** A command of this program, for this server. */
  command(words: string): string
  /** A call, signed and sent by a line for the shell; in words where no command can make it. */
  call(call: PastedCall): string
  /** An order of a magic name at its price. */
  orderOf(domain: string, more?: Record<string, unknown>): PastedCall
  /** A whole address, of a path below the API root or of one that begins with `/api`. */
  url(path: string): string
}

type HintWriter = (evidence: Evidence) => string

/** How to make a call of an endpoint that is answered with 2xx: a line to be pasted, or words where only the client knows what to send. */
export function endpointHint(id: EndpointId, { call, command, orderOf }: Evidence): string {
  const hint = acceptedCall(id, orderOf)
  if (!('words' in hint)) return call(hint)
  return `${hint.words}; ${command(hint.see)} lists them`
}

/**
 * A call of an endpoint that is answered with 2xx, or words where only the client knows what to send.
 *
 * @param orderOf an order of a magic name at its price.
 */
export function acceptedCall(
  id: EndpointId,
  orderOf: Evidence['orderOf'],
): PastedCall | Extract<Hint, { words: string }> {
  const { method, path, hint }: Endpoint = ENDPOINTS[id]
  if ('read' in hint) return { method, path: hint.read }
  if ('body' in hint) return { method, path, body: hint.body }
  return 'orderOf' in hint ? orderOf(hint.orderOf) : hint
}

/** What makes the sandbox answer with a code: a line to be pasted and what the client does then, or words. */
type CodeHint = { readonly line: HintWriter; readonly next?: string } | { readonly words: HintWriter }

function reading(path: string): CodeHint {
  return { line: ({ call }) => call({ method: 'GET', path }) }
}

/** A client can get a refusal without a mistake of its own: a fault answers a valid call with the code. */
function refused(code: ErrorCode): CodeHint {
  return {
    line: ({ command }) => command(`fault add --endpoint orders.list --code ${code}`),
    next: 'let the client GET /orders',
  }
}

const ANY_READ: PastedCall = { method: 'GET', path: '/orders' }

export const CODE_HINTS: Record<ErrorCode, CodeHint> = {
  validation_error: reading('/pricing'),
  invalid_signature: { line: ({ call }) => `WRONG=wrong ${call({ ...ANY_READ, secretEnv: 'WRONG' })}` },
  missing_credentials: refused('missing_credentials'),
  forbidden: {
    line: ({ call }) => `PARTNER_SECRET= ${call({ method: 'GET', path: '/settlements', as: 'only-search' })}`,
  },
  not_found: reading('/pricing?domain=nowhere.test'),
  conflict: { line: ({ call }) => call({ method: 'POST', path: '/quotes', body: { domain: 'taken-901.test' } }) },
  price_mismatch: { line: ({ call, orderOf }) => call(orderOf('stalls-905.test', { expected_price: 1 })) },
  quote_expired: {
    words: ({ command }) =>
      `POST /quotes for quote-expired-1.test, then POST /orders with its quote_id; or ${command('clock advance 11m')} in between`,
  },
  rate_limited: reading('/pricing?domain=rate-limited-901.test'),
  internal_error: reading('/pricing?domain=error-901.test'),
  invalid_timestamp: refused('invalid_timestamp'),
  replay_detected: {
    line: ({ command, call, url }) => twice(call(ANY_READ), url(ANY_READ.path), command),
  },
  missing_signature_headers: {
    line: ({ keyId, url }) =>
      keyId === null
        ? `send a call without ${HEADERS.nonce}`
        : `curl -H '${HEADERS.keyId}: ${keyId}' ${url('/orders')}`,
  },
  missing_idempotency_key: {
    line: ({ call, orderOf }) => {
      const { idempotencyKey: _without, ...order } = orderOf('stalls-906.test')
      return call(order)
    },
  },
}

export function codeHint(code: ErrorCode, evidence: Evidence): string {
  const hint = CODE_HINTS[code]
  if ('words' in hint) return hint.words(evidence)
  return hint.next === undefined ? hint.line(evidence) : `${hint.line(evidence)}; then ${hint.next}`
}

/** The same signed line is sent a second time. */
function twice(line: string, url: string, command: Evidence['command']): string {
  const signed = line.replace(/ \| sh$/, '')
  return line === signed
    ? `send a call to ${url} twice with the same nonce; ${command('request list')} shows them`
    : `line=$(${signed}) && eval "$line" && eval "$line"`
}

/** The order that is recorded and whose answer is lost. */
export const LOST_REPLY_HINT: HintWriter = ({ call, orderOf }) =>
  `${call(orderOf('lost-reply-901.test'))}: the order is recorded, but the connection closes without an answer`

/** A call that a command can make, for a hint that can be pasted. */
export interface PastedCall {
  readonly method: string
  /** Below the API root, query included; a whole path where it begins with `/api`. */
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
  /** Name of the credential that signs. */
  readonly as?: string
  /** Name of the environment variable with the secret, instead of the one that the sandbox knows. */
  readonly secretEnv?: string
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

export function signerNamed(world: World, wanted = 'main'): Credential | null {
  return [...world.credentials.values()].find(({ name, revoked }) => name === wanted && !revoked) ?? null
}

export function signingWords(world: World, { keyId }: Credential, call: PastedCall): string {
  const { method, path, body, idempotencyKey, secretEnv } = call
  const words = ['sign', method, urlOf(world, path), '--key-id', keyId]
  if (secretEnv !== undefined) words.push('--secret-env', secretEnv)
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
