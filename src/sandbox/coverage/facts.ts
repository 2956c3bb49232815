import { ApiError } from '../../contract/errors.ts'
import type { World } from '../kernel/world.ts'
import { endOfTable, FACT_QUERIES, type FactQuery, type FoundRow, factsOf } from './store.ts'
import type { Met } from './tallies.ts'

/** What the tables tell, by the name of what was counted. */
export type Facts = Map<FactId, Met>

export type FactId = string

/** @example factId('events-happened', 'order.settled') // 'events-happened order.settled' */
export function factId(query: FactQuery, a: string | null = null, b: string | null = null): FactId {
  return [query, a, b].filter((part) => part !== null).join(' ')
}

const QUERIES = Object.keys(FACT_QUERIES) as FactQuery[]
const ROWS_PER_SLICE = 5_000

/**
 * Reads in stretches what the tables tell of what happened since an instant of world time, so that a large world can be read
 * without holding up the others.
 */
function* factsInSlices(world: World, sinceMs: number): Generator<undefined, Facts> {
  const facts: Facts = new Map()
  const pageKey = world.pageKey()
  for (const query of QUERIES) {
    const end = endOfTable(world.db, FACT_QUERIES[query].table)
    for (let low = 0; low < end; low += ROWS_PER_SLICE) {
      refuseOtherGround(world, pageKey)
      const rows = factsOf(world.db, query, { low, high: low + ROWS_PER_SLICE, sinceMs })
      for (const { a, b, ...met } of rows) addTo(facts, factId(query, a, b), met)
      if (low + ROWS_PER_SLICE < end) yield undefined
    }
  }
  return facts
}

/** A world that was taken elsewhere between two slices has a key of its own, and what was read so far is of another world. */
function refuseOtherGround(world: World, pageKey: Uint8Array): void {
  if (!world.db.open || world.pageKey() !== pageKey)
    throw new ApiError('conflict', 'the world was reset, restored or deleted while its coverage was read')
}

/** At once: for what must not be overtaken by anything. */
export function readFactsNow(world: World, sinceMs: number): Facts {
  const reading = factsInSlices(world, sinceMs)
  let step = reading.next()
  while (!step.done) step = reading.next()
  return step.value
}

/**
 * With turns of the event loop in between.
 *
 * @throws ApiError conflict where the world is reset, restored or deleted meanwhile.
 */
export async function readFacts(world: World, sinceMs: number): Promise<Facts> {
  const reading = factsInSlices(world, sinceMs)
  let step = reading.next()
  while (!step.done) {
    await new Promise((resolve) => setImmediate(resolve))
    step = reading.next()
  }
  return step.value
}

export function addTo<Key>(found: Map<Key, Met>, key: Key, met: Omit<FoundRow, 'a' | 'b'>): void {
  found.set(key, both(found.get(key) ?? NOTHING, met))
}

export const NOTHING: Met = { count: 0, firstMs: 0, lastMs: 0 }

/** Two counts of the same thing as one. */
export function both(one: Met, other: Met): Met {
  if (one.count === 0 || other.count === 0) {
    const { count, firstMs, lastMs } = one.count === 0 ? other : one
    return { count, firstMs, lastMs }
  }
  return {
    count: one.count + other.count,
    firstMs: Math.min(one.firstMs, other.firstMs),
    lastMs: Math.max(one.lastMs, other.lastMs),
  }
}
