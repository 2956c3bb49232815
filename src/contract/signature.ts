import { canonicalStringOf, EMPTY_BODY_SHA256, hasUnsignedBody, type SentParts } from './canonical-string.ts'
import { signedHeaders } from './headers.ts'
import { bodySha256, equalInConstantTime, hmacSha256Hex } from './hmac.ts'

/** A call as it goes over the wire, with what a signature covers. */
export interface SignableCall extends SentParts {
  /** Raw body bytes; leave out or empty for none. */
  body?: Uint8Array
}

/** The credential half that signs. */
export interface SigningKey {
  keyId: string
  /** The secret as text; its UTF-8 bytes are the HMAC key. */
  secret: string
}

/** A signed call: its four headers and the string that was signed. */
export interface SignedCall {
  headers: Record<string, string>
  canonicalString: string
  /** Lower-case hex, without the scheme prefix. */
  signature: string
}

/**
 * Signs a call as the document says and returns the headers to send with it.
 *
 * @throws MalformedQueryError where the target's query is broken.
 * @example
 * const { headers } = signCall({ keyId: 'pk_sandbox_1', secret: 'sk_sandbox_1' },
 *   { method: 'GET', target: '/api/partner/v1/orders?limit=2', timestampSeconds: 1_700_000_000, nonce: randomUUID() })
 */
export function signCall(key: SigningKey, call: SignableCall): SignedCall {
  const digest = hasUnsignedBody(call.method) || !call.body ? EMPTY_BODY_SHA256 : bodySha256(call.body)
  const text = canonicalStringOf(call, digest)
  const signature = hmacSha256Hex(key.secret, text)
  return { canonicalString: text, signature, headers: signedHeaders(key.keyId, call, signature) }
}

/**
 * The signature of a webhook delivery: lower-case hex HMAC-SHA256 of the raw body, without a prefix (HOOK-02).
 *
 * @example signWebhook('whsec_of_the_partner', Buffer.from('{"id":"evt_1"}')) // '9b74…' (64 digits)
 */
export function signWebhook(secret: string, body: Uint8Array): string {
  return hmacSha256Hex(secret, body)
}

/**
 * Whether a delivery's signature header fits its raw body, compared in constant time (document: Events, Delivery 2).
 *
 * @example verifyWebhook(secret, rawBody, request.headers['x-partner-signature'])
 */
export function verifyWebhook(secret: string, body: Uint8Array, signatureHeader: string | undefined): boolean {
  return signatureHeader !== undefined && equalInConstantTime(signatureHeader, signWebhook(secret, body))
}
