import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { EMPTY_BODY_SHA256 } from './canonical-string.ts'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** Longer texts are rare, and nothing is gained with them. */
const LONGEST_BYTES = 4_096

/** A text of one character a byte is the quickest way to get bytes; Node's types do not know that it is allowed here. */
const BYTE_TEXT = 'latin1' as 'binary'

/** What is hashed in front of a text, and in front of the hash of that (RFC 2104). */
interface Pads {
  readonly inner: Uint8Array
  readonly outer: Buffer
}

const padsOfKeys = new WeakMap<KeyObject, Pads>()
/** Used by one hash at a time. */
const room = Buffer.alloc(BLOCK_BYTES + LONGEST_BYTES)

/**
 * Lower-case hex HMAC-SHA256 of a text (document: Canonical string, Signature). Under a key object, which is used many times,
 * it is put together from two hashes over prepared blocks: that takes two thirds of the time of an object for each text.
 *
 * @example hmacSha256Hex('sk_sandbox_x', 'GET\n/...') // '5f1c…' (64 digits)
 */
export function hmacSha256Hex(secret: string | KeyObject, message: string | Uint8Array): string {
  // A character takes three bytes at most.
  const isShort = message.length * (typeof message === 'string' ? 3 : 1) <= LONGEST_BYTES
  if (typeof secret === 'string' || !isShort) return createHmac('sha256', secret).update(message).digest('hex')
  const { inner, outer } = padsOf(secret)
  room.set(inner)
  const bytes = typeof message === 'string' ? room.write(message, BLOCK_BYTES) : message.length
  if (typeof message !== 'string') room.set(message, BLOCK_BYTES)
  outer.write(hash('sha256', room.subarray(0, BLOCK_BYTES + bytes), BYTE_TEXT), BLOCK_BYTES, 'latin1')
  return hash('sha256', outer, 'hex')
}

/** Lower-case hex SHA-256 of the bytes as sent (CANON-09). */
export function bodySha256(body: Uint8Array): string {
  return body.length === 0 ? EMPTY_BODY_SHA256 : hash('sha256', body, 'hex')
}

/** Compares two texts in a time that does not depend on where they differ; unequal lengths are simply unequal. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8')
  const right = Buffer.from(b, 'utf8')
  return left.length === right.length && timingSafeEqual(left, right)
}

/** A key that is to be used many times. */
export function hmacKeyOf(secret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(secret))
}

function padsOf(key: KeyObject): Pads {
  const known = padsOfKeys.get(key)
  if (known) return known
  const block = blockOf(key.export())
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
  outer.set(block.map((byte) => byte ^ 0x5c))
  const pads = { inner: block.map((byte) => byte ^ 0x36), outer }
  padsOfKeys.set(key, pads)
  return pads
}

/** A key as long as a block: a longer one is hashed first. */
function blockOf(bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes)
  return block
}
