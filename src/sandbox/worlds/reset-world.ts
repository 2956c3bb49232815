import { WorldClock } from '../../clock/world-clock.ts'
import { copyRows, type Db } from '../../storage/database.ts'
import { carryNonces } from '../app/authenticate/nonces.ts'
import type { InventoryOptions } from '../inventory/generate.ts'
import type { Environment } from './environment.ts'
import { moveTo } from './open-world.ts'
import { loadFacts, newPageKey, saveFacts, startOfClock } from './world-facts.ts'

// What outlives a reset: credentials and nonces. All other tables are empty then, but for the inventory and the facts.

/** The inventory that a reset brings back, for templates.ts. */
export function inventoryAtStart(world: Environment): InventoryOptions {
  const { seed, start } = loadFacts(world.db)
  return { seed, count: world.settings.inventory, nowMs: start.clockMs ?? world.wall.nowMs() }
}

/**
 * Takes a world back to its seed: inventory, prices and clock as at the start, no orders, no events.
 *
 * @param drawn its inventory at the start.
 * @param noncesSinceMs what was used before has been carried into it already.
 */
export function resetWorld(world: Environment, drawn: Db, noncesSinceMs?: number): void {
  const facts = loadFacts(world.db)
  const clock = startOfClock(facts.start, world.wall)
  const nowMs = new WorldClock(world.wall, clock).nowMs()
  const { settings } = world
  const progress = { ...settings.progress, sinceMs: nowMs }
  const { snapshotMs: _snapshotMs, ...kept } = facts
  const next = { ...kept, settings: { ...settings, progress }, clock, pageKey: newPageKey() }
  world.commits.drain()
  copyRows(world.db, drawn, (table) => table === 'credentials')
  drawn.transaction(() => {
    carryNonces(world.db, drawn, sameId, noncesSinceMs)
    saveFacts(drawn, next)
  })()
  moveTo(world, drawn, next)
}

/** Credentials keep their row numbers. */
export const sameId = (credential: number): number => credential
