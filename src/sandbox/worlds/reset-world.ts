import { WorldClock } from '../../clock/world-clock.ts'
import { copyRows, type Db } from '../../storage/database.ts'
import type { InventoryOptions } from '../inventory/generate.ts'
import type { Environment } from './environment.ts'
import { moveTo } from './open-world.ts'
import { loadFacts, newPageKey, saveFacts, startOfClock } from './world-facts.ts'

/** What outlives a reset; all other tables are empty then, but for the inventory and the facts. */
const KEPT_BY_RESET = ['credentials', 'nonces', 'nonce_generations']

/** The inventory that a reset brings back, for templates.ts. */
export function inventoryAtStart(world: Environment): InventoryOptions {
  const { seed, start } = loadFacts(world.db)
  return { seed, count: world.settings.inventory, nowMs: start.clockMs ?? world.wall.nowMs() }
}

/**
 * Takes a world back to its seed: inventory, prices and clock as at the start, no orders, no events.
 *
 * @param drawn its inventory at the start.
 */
export function resetWorld(world: Environment, drawn: Db): void {
  const facts = loadFacts(world.db)
  const clock = startOfClock(facts.start, world.wall)
  const nowMs = new WorldClock(world.wall, clock).nowMs()
  const { settings } = world
  const progress = { ...settings.progress, sinceMs: nowMs }
  const { snapshotMs: _snapshotMs, ...kept } = facts
  const next = { ...kept, settings: { ...settings, progress }, clock, pageKey: newPageKey() }
  world.commits.drain()
  copyRows(world.db, drawn, (table) => KEPT_BY_RESET.includes(table))
  saveFacts(drawn, next)
  moveTo(world, drawn, next)
}
