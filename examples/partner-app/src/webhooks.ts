import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether the header is the lower-case hex HMAC-SHA256 of the raw bytes: no prefix here, unlike in calls. */
export function isSigned(raw: Buffer, header: string | undefined, secret: string): boolean {
  const valid = Buffer.from(createHmac('sha256', secret).update(raw).digest('hex'))
  const given = Buffer.from(header ?? '')
  return valid.length === given.length && timingSafeEqual(valid, given)
}
