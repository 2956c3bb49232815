import { createWorldClock } from '../clock/world-clock.ts'
import { copyRows } from '../storage/replace-database.ts'
import { moveTo } from './open-world.ts'
import { freshDatabase, prepareInventory } from './templates.ts'
import type { World } from './world.ts'
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

/** Has what a reset needs drawn in turns of the event loop, where there is much of it. */
export async function prepareReset(world: World): Promise<void> {
  const { seed, start } = loadFacts(world.db) as WorldFacts
  await prepareInventory({ seed, count: world.settings.inventory, nowMs: start.clockMs ?? world.wall.nowMs() })
}

/** Takes a world back to its seed: inventory, prices and clock as at the start, no orders, no events. */
export function resetWorld(world: World): void {
  const facts = loadFacts(world.db) as WorldFacts
  const clock = startOfClock(facts.start, world.wall)
  const nowMs = createWorldClock(world.wall, clock).nowMs()
  const { settings } = world
  const progress = { ...settings.progress, sinceMs: nowMs }
  const { snapshotMs: _snapshotMs, ...kept } = facts
  const next = { ...kept, settings: { ...settings, progress }, clock, pageKey: newPageKey() }
  world.commits.drain()
  const db = freshDatabase({ seed: facts.seed, count: settings.inventory, nowMs })
  copyRows(world.db, db, (table) => !EMPTIED_BY_RESET.includes(table) && !isOfInventory(table) && table !== 'meta')
  saveFacts(db, next)
  moveTo(world, db, next)
}

function isOfInventory(table: string): boolean {
  return table === 'listings' || table.startsWith('listing_index')
}
