import { ApiError } from '../../contract/errors.ts'
import type { World } from '../kernel/world.ts'
import { endOfTable, FACT_QUERIES, type FactQuery, factsOf } from './store.ts'
import { both, type Met, NOTHING } from './tally.ts'

/** What the tables show, by the name of what was counted. */
export type Facts = Map<FactId, Met>

export type FactId = string

/** @example factId('events-happened', 'order.settled') // 'events-happened order.settled' */
export function factId(query: FactQuery, a: string | null = null, b: string | null = null): FactId {
  return [query, a, b].filter((part) => part !== null).join(' ')
}

const QUERIES = Object.keys(FACT_QUERIES) as FactQuery[]
const ROWS_PER_SLICE = 5_000

/**
 * Reads slice by slice what the tables show of what happened since an instant of world time, so that a large world can be read
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
      for (const { a, b, ...met } of rows) {
        const id = factId(query, a, b)
        facts.set(id, both(facts.get(id) ?? NOTHING, met))
      }
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
