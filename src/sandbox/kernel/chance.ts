import { createHmac, hash, randomBytes } from 'node:crypto'
import { ID_PREFIXES, type IdKind } from '../../contract/ids.ts'

/** 32 bytes that depend on the seed, the kind and the key and on nothing else. */
export function seededBytes(seed: string, kind: string, key: string | number): Buffer {
  return hash('sha256', `${seed}\0${kind}\0${key}`, 'buffer')
}

/**
 * Everything synthetic is a function of (seed, kind, key), so that calls running side by side do not shift each
 * other's values and the same calls in the same order give the same ids.
 */
export class Chance {
  readonly seed: string
  readonly #permutations: Readonly<Record<IdKind, IdPermutation>>

  constructor(seed: string) {
    this.seed = seed
    const kinds = Object.keys(ID_PREFIXES) as IdKind[]
    const permutations = kinds.map((kind) => [kind, new IdPermutation(seed, kind)])
    this.#permutations = Object.fromEntries(permutations) as Record<IdKind, IdPermutation>
  }

  /** The id of the n-th thing of a kind: 80 opaque bits after the document's prefix. */
  id(kind: IdKind, n: number): string {
    return ID_PREFIXES[kind] + this.#permutations[kind].write(n)
  }

  /** The number of the thing that has an id, if there is one; null for every text that {@link id} never gives. */
  numberOf(kind: IdKind, id: string): number | null {
    const prefix = ID_PREFIXES[kind]
    return id.startsWith(prefix) ? this.#permutations[kind].read(id.slice(prefix.length)) : null
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

const WORD_BITS = 20
const WORD = (1 << WORD_BITS) - 1
const WORD_LETTERS = 4
const WORDS = 4
const ROUNDS = 8
const KEYS_A_ROUND = 3

/** Four words of 20 bits; the first two are the left half of a Feistel network, the others the right one. */
type Block = [number, number, number, number]

/**
 * Writes whole numbers as 16 opaque letters and reads them back: a keyed permutation of 80 bits, so no two numbers are written
 * alike, and a row whose number is written so needs no index to be found again. It keeps no secret that is worth one: who knows the key
 * may know the numbers.
 */
class IdPermutation {
  readonly #keys: Int32Array

  constructor(seed: string, kind: IdKind) {
    const key = Buffer.concat([0, 1, 2].map((part) => seededBytes(seed, `id.${kind}`, part)))
    this.#keys = Int32Array.from({ length: ROUNDS * KEYS_A_ROUND }, (_, at) => key.readInt32LE(at * 4))
  }

  /** @param n a whole number; no safe one reaches into the first word. */
  write(n: number): string {
    const block: Block = [0, Math.floor(n / 2 ** (2 * WORD_BITS)), Math.floor(n / 2 ** WORD_BITS) & WORD, n & WORD]
    for (let round = 0; round < ROUNDS; round++) this.#turn(block, round)
    let text = ''
    for (const word of block) {
      const [first, second] = [ALPHABET[word >> 15] as string, ALPHABET[(word >> 10) & 31] as string]
      text += first + second + ALPHABET[(word >> 5) & 31] + ALPHABET[word & 31]
    }
    return text
  }

  /** The number that was written so; null for every text that this permutation writes for no row number. */
  read(text: string): number | null {
    if (text.length !== WORDS * WORD_LETTERS) return null
    const words = [wordAt(text, 0), wordAt(text, 1), wordAt(text, 2), wordAt(text, 3)] as const
    if (words.includes(-1)) return null
    // The network runs backwards with its halves exchanged.
    const block: Block = [words[2], words[3], words[0], words[1]]
    for (let round = ROUNDS - 1; round >= 0; round--) this.#turn(block, round)
    const n = block[2] * 2 ** 60 + block[3] * 2 ** 40 + block[0] * 2 ** WORD_BITS + block[1]
    return Number.isSafeInteger(n) ? n : null
  }

  /** One round: the left half is mixed with what the right one comes to under the keys of the round, then they change places. */
  #turn(block: Block, round: number): void {
    const keys = this.#keys
    const [left, right, high, low] = block
    const at = round * KEYS_A_ROUND
    const first = mixed(mixed(high ^ (keys[at] as number)) ^ low ^ (keys[at + 1] as number))
    const second = mixed(first ^ (keys[at + 2] as number))
    block[0] = high
    block[1] = low
    block[2] = left ^ (first & WORD)
    block[3] = right ^ (second & WORD)
  }
}

/** The finishing step of MurmurHash3: each bit of the result depends on each bit of the number. */
function mixed(bits: number): number {
  let mix = bits
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return mix ^ (mix >>> 16)
}

/** The word at a place of a text; -1 where a letter is none of ours. */
function wordAt(text: string, place: number): number {
  let word = 0
  for (let at = place * WORD_LETTERS; at < (place + 1) * WORD_LETTERS; at++) {
    const value = ALPHABET.indexOf(text[at] as string)
    if (value === -1) return -1
    word = (word << 5) | value
  }
  return word
}

/** A row of values that depends on what it was made from and on nothing else. */
export interface Dice {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number
  of<Value>(list: readonly Value[]): Value
}

/** Two 32-bit numbers from a seed; making them is the dear part, so it is done once for a whole inventory. */
interface SeedKey {
  readonly first: number
  readonly second: number
}

/** @example const key = seedKey('sandbox', 'inventory') */
export function seedKey(seed: string, purpose: string): SeedKey {
  const bytes = createHmac('sha256', seed).update(purpose).digest()
  return { first: bytes.readUInt32LE(0), second: bytes.readUInt32LE(4) }
}

/** The dice of the n-th thing. Quick rather than secret: what comes out is test data. */
export function createDice(key: SeedKey, n: number, attempt: number): Dice {
  let state = mixed(key.first ^ mixed(n ^ mixed(key.second + attempt)))
  const next = () => {
    state = (state + 0x9e3779b9) | 0
    return mixed(state) >>> 0
  }
  return {
    below: (limit) => Math.floor((next() / 2 ** 32) * limit),
    of: <Value>(list: readonly Value[]) => list[Math.floor((next() / 2 ** 32) * list.length)] as Value,
  }
}
