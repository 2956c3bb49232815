import { signedHeaders } from './partner-signing.ts'

/** A credential of the API, and where the API is. The secret stays on this machine. */
export interface PartnerAccount {
  url: string
  keyId: string
  secret: string
}

export interface PartnerCall {
  method?: 'GET' | 'POST' | 'PUT'
  /** Path behind the API root, with its query already percent-encoded; a full path starts with /api. */
  path: string
  body?: unknown
  /** For POST /orders: one key an order, the same for every retry of it. */
  idempotencyKey?: string
}

/** An answer that is no success, with the code that the API gives for it. */
export class PartnerApiError extends Error {
  override name = 'PartnerApiError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(`${status} ${code}: ${message}`)
    this.status = status
    this.code = code
  }
}

const API_ROOT = '/api/partner/v1'
const MOST_ATTEMPTS = 5

// biome-ignore lint/suspicious/noExplicitAny: a partner's own code would name the fields it reads
export type Json = any

/** A function that makes signed calls: `const call = partnerApi(account); await call({ path: '/orders' })`. */
export function partnerApi(account: PartnerAccount): (call: PartnerCall) => Promise<Json> {
  return async ({ method = 'GET', path, body, idempotencyKey }) => {
    const target = path.startsWith('/api/') ? path : API_ROOT + path
    // The bytes that are signed are the bytes that are sent, in every attempt.
    const bytes = body === undefined ? '' : JSON.stringify(body)
    for (let attempt = 1; ; attempt++) {
      const answer = await send(account, { method, target, bytes, idempotencyKey })
      const json = (await answer.json()) as Json
      if (answer.ok) return json
      if (attempt === MOST_ATTEMPTS || !isWorthRetrying(answer.status)) {
        throw new PartnerApiError(answer.status, json.code, json.message)
      }
      await pause(Number(answer.headers.get('retry-after') ?? 0) * 1_000 || 100 * 2 ** attempt)
    }
  }
}

interface Signable {
  method: string
  target: string
  bytes: string
  idempotencyKey: string | undefined
}

/** One attempt. Each has a nonce and a timestamp of its own; the idempotency key and the bytes stay. */
function send(account: PartnerAccount, { method, target, bytes, idempotencyKey }: Signable): Promise<Response> {
  return fetch(account.url + target, {
    method,
    headers: {
      ...signedHeaders(account.keyId, account.secret, { method, target, body: bytes }),
      ...(bytes !== '' && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(bytes !== '' && { body: bytes }),
  })
}

function isWorthRetrying(status: number): boolean {
  return status === 429 || status >= 500
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
