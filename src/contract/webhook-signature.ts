import { hmacSha256Hex } from './hmac.ts'
import { equalInConstantTime } from './signature.ts'

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
