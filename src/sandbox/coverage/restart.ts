import type { CountedWorld } from './coverage.ts'
import { type Facts, readFacts, readFactsNow } from './facts.ts'
import { emptyTallies } from './store.ts'

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
