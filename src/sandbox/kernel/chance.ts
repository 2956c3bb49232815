import { hash, randomBytes } from 'node:crypto'
import { ID_PREFIXES, type IdKind } from '../../contract/ids.ts'

/**
 * Everything synthetic is a function of (seed, kind, key), so that calls running side by side do not shift each
 * other's values and the same calls in the same order give the same ids.
 */
export class Chance {
  readonly seed: string

  constructor(seed: string) {
    this.seed = seed
  }

  /** 32 bytes that depend on the seed, the kind and the key and on nothing else. */
  bytes(kind: string, key: string | number): Buffer {
    return hash('sha256', `${this.seed}\0${kind}\0${key}`, 'buffer')
  }

  /** The id of the n-th thing of a kind: 80 opaque bits behind the document's prefix. */
  id(kind: IdKind, n: number): string {
    return ID_PREFIXES[kind] + base32(this.bytes(`id.${kind}`, n).subarray(0, 10))
  }
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Crockford's base 32 in lower case: no letters that are mistaken for digits. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(held >> bits) & 31]
    }
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text
}

/** An opaque part that no seed gives away, for credentials that leave the machine. */
export function randomOpaque(): string {
  return base32(randomBytes(20))
}
