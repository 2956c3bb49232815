import { hash, randomBytes } from 'node:crypto'
import { ID_PREFIXES, type IdKind } from '../../contract/ids.ts'
import { IdPermutation, PERMUTATION_KEY_BYTES } from './id-permutation.ts'

/**
 * Everything synthetic is a function of (seed, kind, key), so that calls running side by side do not shift each
 * other's values and the same calls in the same order give the same ids.
 */
export class Chance {
  readonly seed: string
  readonly #permutations = new Map<IdKind, IdPermutation>()
  readonly #keys = new Map<string, Buffer>()

  constructor(seed: string) {
    this.seed = seed
  }

  /** 32 bytes that depend on the seed, the kind and the key and on nothing else. */
  bytes(kind: string, key: string | number): Buffer {
    return hash('sha256', `${this.seed}\0${kind}\0${key}`, 'buffer')
  }

  /** A key for one purpose. */
  key(purpose: string): Buffer {
    let found = this.#keys.get(purpose)
    if (!found) {
      found = this.bytes('key', purpose)
      this.#keys.set(purpose, found)
    }
    return found
  }

  /** The id of the n-th thing of a kind: 80 opaque bits after the document's prefix. */
  id(kind: IdKind, n: number): string {
    return ID_PREFIXES[kind] + this.#permutationOf(kind).write(n)
  }

  /** The number of the thing that has an id, if there is one; null for every text that {@link id} never gives. */
  numberOf(kind: IdKind, id: string): number | null {
    const prefix = ID_PREFIXES[kind]
    return id.startsWith(prefix) ? this.#permutationOf(kind).read(id.slice(prefix.length)) : null
  }

  #permutationOf(kind: IdKind): IdPermutation {
    let found = this.#permutations.get(kind)
    if (!found) {
      found = new IdPermutation(this.#longKey(`id.${kind}`, PERMUTATION_KEY_BYTES))
      this.#permutations.set(kind, found)
    }
    return found
  }

  #longKey(kind: string, bytes: number): Buffer {
    const parts = Array.from({ length: Math.ceil(bytes / 32) }, (_, part) => this.bytes(kind, part))
    return Buffer.concat(parts, bytes)
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
