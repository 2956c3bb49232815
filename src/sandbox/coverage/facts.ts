import { ApiError } from '../../contract/errors.ts'
import { nextSequence } from '../../storage/database.ts'
import type { World } from '../kernel/world.ts'
import type { CountedWorld } from './coverage.ts'
import { emptyTallies, FACT_QUERIES, type FactQuery, factsOf } from './store.ts'
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
function readFactsNow(world: World, sinceMs: number): Facts {
  const facts: Facts = new Map()
  for (const _pause of readInSlices(world, sinceMs, facts));
  return facts
}

/**
 * With turns of the event loop in between.
 *
 * @throws ApiError conflict if the world is reset, restored or deleted meanwhile.
 */
async function readFacts(world: World, sinceMs: number): Promise<Facts> {
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

/**
 * Forgets what clients have exercised so far. The tables keep their rows, so this stores which of them belong to this
 * very instant of the world's clock, which may stand still.
 */
export function restartCoverage(world: CountedWorld): void {
  const { tallies } = world.coverage
  const nowMs = world.clock.nowMs()
  const before = readFactsNow(world, nowMs)
  world.commits.commitNow(() => {
    emptyTallies(world.db)
    world.coverage.forget()
    tallies.add('start', 'counting', nowMs)
    for (const [id, { count, lastMs }] of before) tallies.add('baseline', id, lastMs, count)
    tallies.save()
  })
}

/** When counting began again, in world time; null if it goes back to the start of the world. */
export function countedSinceMs(world: CountedWorld): number | null {
  return world.coverage.tallies.all('start')[0]?.firstMs ?? null
}

/** What the tables show of the time since counting began. */
export async function factsSinceStart(world: CountedWorld): Promise<Facts> {
  const facts = await readFacts(world, countedSinceMs(world) ?? Number.MIN_SAFE_INTEGER)
  for (const { id, count } of world.coverage.tallies.all('baseline')) {
    const found = facts.get(id)
    if (found) facts.set(id, { ...found, count: Math.max(0, found.count - count) })
  }
  return facts
}
