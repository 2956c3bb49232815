import { createHmac } from 'node:crypto'
import { hmacKeyOf, hmacSha256Hex } from '../hmac.ts'
import type { Algorithm } from './signature-header.ts'

export type Key = string | Uint8Array

/** A key, ready to be used many times. */
export interface KeyedHmac {
  readonly key: Key
  /** Makes lower-case hex of a text. */
  hmac(algorithm: Algorithm, message: Uint8Array | string): string
}

/**
 * HMAC for tens of thousands of short texts under one key.
 *
 * @example keyedHmac('secret').hmac('sha256', 'text') // as createHmac('sha256', 'secret').update('text').digest('hex')
 */
export function keyedHmac(key: Key): KeyedHmac {
  const object = hmacKeyOf(key)
  return {
    key,
    hmac: (algorithm, message) =>
      algorithm === 'sha256'
        ? hmacSha256Hex(object, message)
        : createHmac(algorithm, object).update(message).digest('hex'),
  }
}
