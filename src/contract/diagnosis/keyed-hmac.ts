import { createHmac, createSecretKey, hash } from 'node:crypto'
import type { Algorithm } from './signature-header.ts'

export type Key = string | Uint8Array

/** A key, ready to be used many times. */
export interface KeyedHmac {
  readonly key: Key
  /** Makes lower-case hex of a text. */
  hmac(algorithm: Algorithm, message: Uint8Array | string): string
}

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** Longer ones are rare, and nothing is gained with them. */
const LONGEST_BYTES = 4_096

/** A text of one character a byte is the quickest way to get bytes; Node's types do not know that it is allowed here. */
const BYTE_TEXT = 'latin1' as 'binary'

/**
 * HMAC for tens of thousands of short texts under one key. HMAC-SHA-256 is put together from two hashes over prepared blocks, which
 * takes less than half of the time that an object for each text would; any other hash, and long texts, take the usual way.
 *
 * @example keyedHmac('secret').hmac('sha256', 'text') // as createHmac('sha256', 'secret').update('text').digest('hex')
 */
export function keyedHmac(key: Key): KeyedHmac {
  const object = createSecretKey(Buffer.from(key))
  const block = blockOf(key)
  const inner = Buffer.alloc(BLOCK_BYTES + LONGEST_BYTES)
  inner.set(block.map((byte) => byte ^ 0x36))
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
  outer.set(block.map((byte) => byte ^ 0x5c))

  function hmac(algorithm: Algorithm, message: Uint8Array | string): string {
    // A character takes three bytes at most.
    const isShort = message.length * (typeof message === 'string' ? 3 : 1) <= LONGEST_BYTES
    if (algorithm !== 'sha256' || !isShort) return createHmac(algorithm, object).update(message).digest('hex')
    const end = BLOCK_BYTES + writeTo(inner, message)
    outer.write(hash('sha256', inner.subarray(0, end), BYTE_TEXT), BLOCK_BYTES, 'latin1')
    return hash('sha256', outer, 'hex')
  }

  return { key, hmac }
}

function writeTo(buffer: Buffer, message: Uint8Array | string): number {
  if (typeof message === 'string') return buffer.write(message, BLOCK_BYTES)
  buffer.set(message, BLOCK_BYTES)
  return message.length
}

/** A key as long as a block (RFC 2104): a longer one is hashed first. */
function blockOf(key: Key): Uint8Array {
  const bytes = Buffer.from(key)
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes)
  return block
}
