import { createWorldClock } from '../../clock/world-clock.ts'
import { copyRows, type Db } from '../../storage/database.ts'
import type { InventoryOptions } from '../inventory/generate.ts'
import type { Environment } from './environment.ts'
import { moveTo } from './open-world.ts'
import { loadFacts, newPageKey, saveFacts, startOfClock, type WorldFacts } from './world-facts.ts'

/** Everything a reset empties; credentials and used nonces outlive it. Children before parents. */
const EMPTIED_BY_RESET: readonly string[] = [
  'delivery_attempts',
  'deliveries',
  'webhook_endpoints',
  'ledger_entries',
  'sales',
  'settlement_statements',
  'settlement_runs',
  'payouts',
  'payout_runs',
  'brokerage_timeline',
  'brokerage_cases',
  'refunds',
  'checkout_sessions',
  'order_timeline',
  'orders',
  'clicks',
  'links',
  'quotes',
  'events',
  'idempotency_keys',
  'magic_acts',
  'fault_draws',
  'faults',
  'coverage_tallies',
]

/** The inventory that a reset brings back, for templates.ts. */
export function inventoryAtStart(world: Environment): InventoryOptions {
  const { seed, start } = loadFacts(world.db) as WorldFacts
  return { seed, count: world.settings.inventory, nowMs: start.clockMs ?? world.wall.nowMs() }
}

/**
 * Takes a world back to its seed: inventory, prices and clock as at the start, no orders, no events.
 *
 * @param drawn its inventory at the start.
 */
export function resetWorld(world: Environment, drawn: Db): void {
  const facts = loadFacts(world.db) as WorldFacts
  const clock = startOfClock(facts.start, world.wall)
  const nowMs = createWorldClock(world.wall, clock).nowMs()
  const { settings } = world
  const progress = { ...settings.progress, sinceMs: nowMs }
  const { snapshotMs: _snapshotMs, ...kept } = facts
  const next = { ...kept, settings: { ...settings, progress }, clock, pageKey: newPageKey() }
  world.commits.drain()
  copyRows(world.db, drawn, (table) => !EMPTIED_BY_RESET.includes(table) && !isOfInventory(table) && table !== 'meta')
  saveFacts(drawn, next)
  moveTo(world, drawn, next)
}

function isOfInventory(table: string): boolean {
  return table === 'listings' || table.startsWith('listing_index')
}
