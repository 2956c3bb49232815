import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'

/** What of a call its signature covers, beside timestamp and nonce. */
export interface SignableCall {
  method: string
  /** Path and query exactly as they will be requested. */
  target: string
  body: Uint8Array | string
}

/** The string that a signature covers: six lines, joined by line feeds, with none at the end. */
export function canonicalString({ method, target, body }: SignableCall, timestamp: string, nonce: string): string {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = mark < 0 ? '' : target.slice(mark + 1)
  const hash = createHash('sha256').update(body).digest('hex')
  return [method, path, canonicalQuery(query), timestamp, nonce, hash].join('\n')
}

/** Pairs sorted by key, then by value, each part encoded as a URI component and ! ' ( ) * as well. */
export function canonicalQuery(query: string): string {
  // A question mark at the front would be taken for the one before the query.
  const pairs = [...new URLSearchParams(`?${query}`)]
  pairs.sort(([keyA, valueA], [keyB, valueB]) => compare(keyA, keyB) || compare(valueA, valueB))
  return pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
}

/** By bytes, which is by code point: a plain comparison of strings goes by UTF-16 units. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  })
}

/** Lower-case hex. */
export function sign(message: Uint8Array | string, secret: Uint8Array | string): string {
  return createHmac('sha256', secret).update(message).digest('hex')
}

/** The four headers of one attempt: each has a nonce and a timestamp of its own. */
export function signedHeaders(keyId: string, secret: string, call: SignableCall): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const nonce = randomUUID()
  return {
    'X-Partner-Key-Id': keyId,
    'X-Partner-Timestamp': timestamp,
    'X-Partner-Nonce': nonce,
    'X-Partner-Signature': `v1=${sign(canonicalString(call, timestamp, nonce), secret)}`,
  }
}

/** The header of a delivery is the bare lower-case hex HMAC of the raw body: no prefix, unlike in calls. */
export function isSignedWebhook(raw: Uint8Array, signature: string, secret: Uint8Array | string): boolean {
  const expected = Buffer.from(sign(raw, secret))
  const given = Buffer.from(signature)
  return expected.length === given.length && timingSafeEqual(expected, given)
}
