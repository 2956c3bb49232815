import { createHash, createHmac, randomUUID } from 'node:crypto'

/** Where the API is, and as whom. */
export interface PartnerAccount {
  url: string
  keyId: string
  secret: string
}

export interface PartnerCall {
  method?: 'GET' | 'POST' | 'PUT'
  /** Behind the API root; a full path starts with /api. */
  path: string
  body?: unknown
  /** One key an order, the same for every attempt at it. */
  idempotencyKey?: string
}

export type PartnerApi = <Json>(call: PartnerCall) => Promise<Json>

/** The service said no, and asking again would not help. */
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
const MOST_ATTEMPTS = 4
const PATIENCE_MS = 10_000

/**
 * A client that signs its calls and is not put off by a bad day of the network: after a lost reply, a 429 or a 5xx it asks
 * again, with a fresh nonce, the same bytes and the same idempotency key.
 *
 * @param pause how to wait; tests give one that does not.
 */
export function createPartnerApi(account: PartnerAccount, pause = sleep): PartnerApi {
  return async <Json>({ method = 'GET', path, body, idempotencyKey }: PartnerCall) => {
    const target = path.startsWith('/api/') ? path : API_ROOT + path
    const bytes = body === undefined ? '' : JSON.stringify(body)
    const isRepeatable = method === 'GET' || idempotencyKey !== undefined
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === MOST_ATTEMPTS
      const answer = await send(account, { method, target, bytes, idempotencyKey }).catch((error: Error) => {
        // Nobody knows whether it was done: only a call that may be made twice is.
        if (isLast || !isRepeatable) throw error
        return null
      })
      if (answer?.ok) return (await answer.json()) as Json
      if (answer && (isLast || !isWorthRetrying(answer.status, isRepeatable))) throw await errorOf(answer)
      await pause(waitMs(answer, attempt))
    }
  }
}

interface Attempt {
  method: string
  target: string
  bytes: string
  idempotencyKey: string | undefined
}

function send(account: PartnerAccount, { method, target, bytes, idempotencyKey }: Attempt): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const nonce = randomUUID()
  const [path = '', query = ''] = target.split('?')
  const bodyHash = createHash('sha256').update(bytes).digest('hex')
  const canonical = [method, path, canonicalQuery(query), timestamp, nonce, bodyHash].join('\n')
  const signature = createHmac('sha256', account.secret).update(canonical).digest('hex')
  return fetch(account.url + target, {
    method,
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: {
      'X-Partner-Key-Id': account.keyId,
      'X-Partner-Timestamp': timestamp,
      'X-Partner-Nonce': nonce,
      'X-Partner-Signature': `v1=${signature}`,
      ...(bytes !== '' && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(bytes !== '' && { body: bytes }),
  })
}

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([key, value]) => `${encode(key)}=${encode(value)}`)
  return pairs.sort().join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** A 429 was refused before anything was done; after a 5xx nobody knows. */
function isWorthRetrying(status: number, isRepeatable: boolean): boolean {
  return status === 429 || (status >= 500 && isRepeatable)
}

function waitMs(answer: Response | null, attempt: number): number {
  return Number(answer?.headers.get('retry-after') ?? 0) * 1_000 || 100 * 2 ** attempt
}

async function errorOf(answer: Response): Promise<PartnerApiError> {
  const { code, message } = (await answer.json()) as { code: string; message: string }
  return new PartnerApiError(answer.status, code, message)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
