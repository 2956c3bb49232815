import { createHmac } from 'node:crypto'

/** A row of values that depends on what it was made from and on nothing else. */
export interface Dice {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number
  /** One of a list. */
  of<Value>(list: readonly Value[]): Value
}

/** Two 32-bit numbers from a seed; making them is the dear part, so it is done once for a whole inventory. */
export interface SeedKey {
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

/** MurmurHash3's finalizer: every bit of the input changes half of the output's. */
function mixed(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
