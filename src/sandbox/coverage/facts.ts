import { ApiError } from '../../contract/errors.ts'
import { nextSequence } from '../../storage/database.ts'
import type { World } from '../kernel/world.ts'
import { FACT_QUERIES, type FactQuery, factsOf } from './store.ts'
import { type Met, NOTHING, together } from './tally.ts'

/** What the tables show, by the name of what was counted. */
export type Facts = Map<string, Met>

/** @example factId('events-happened', 'order.settled') // 'events-happened order.settled' */
export function factId(query: FactQuery, ...about: (string | null)[]): string {
  return [query, ...about].filter((part) => part !== null).join(' ')
}

const QUERIES = Object.keys(FACT_QUERIES) as FactQuery[]
const ROWS_PER_SLICE = 5_000

/** At once: for what must not be overtaken by anything. */
export function readFactsNow(world: World, sinceMs: number): Facts {
  const facts: Facts = new Map()
  for (const _pause of readInSlices(world, sinceMs, facts));
  return facts
}

/**
 * With turns of the event loop in between.
 *
 * @throws ApiError conflict if the world is reset, restored or deleted meanwhile.
 */
export async function readFacts(world: World, sinceMs: number): Promise<Facts> {
  const facts: Facts = new Map()
  for (const _pause of readInSlices(world, sinceMs, facts)) await new Promise((resolve) => setImmediate(resolve))
  return facts
}

/**
 * Reads what the tables show of what happened since an instant of world time. It pauses between slices of a large table, so that
 * other worlds are served meanwhile.
 */
function* readInSlices(world: World, sinceMs: number, facts: Facts): Generator<void> {
  const pageKey = world.pageKey()
  for (const query of QUERIES) {
    const end = nextSequence(world.db, FACT_QUERIES[query].table)
    for (let low = 0; low < end; low += ROWS_PER_SLICE) {
      refuseOtherGround(world, pageKey)
      for (const { a, b, ...met } of factsOf(world.db, query, { low, high: low + ROWS_PER_SLICE, sinceMs })) {
        const id = factId(query, a, b)
        facts.set(id, together(facts.get(id) ?? NOTHING, met))
      }
      if (low + ROWS_PER_SLICE < end) yield
    }
  }
}

/** A world that was reset or restored between two slices has another key, and what was read so far is of the world before. */
function refuseOtherGround(world: World, pageKey: Uint8Array): void {
  if (!world.db.open || world.pageKey() !== pageKey)
    throw new ApiError('conflict', 'the world was reset, restored or deleted while its coverage was read')
}
