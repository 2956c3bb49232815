import { nextSequence } from '../../storage/database.ts'
import { takeStep } from '../sales/order-steps.ts'
import { type Order, ordersAwaitingSettlement } from '../sales/orders.ts'
import type { World } from '../world.ts'
import { insertRun } from './store.ts'

/** One closing of the period, over all partners. */
export interface SettlementRun {
  seq: number
  runId: string
  ranAtMs: number
  settled: Order[]
}

/**
 * Closes the period: every partner-collected order that has been delivered becomes SETTLED, with its event (STATE-03).
 * A run that finds nothing is a run all the same.
 */
export function runSettlement(world: World): SettlementRun {
  const settled = ordersAwaitingSettlement(world).map((order) => takeStep(world, order, 'settle', null))
  const seq = nextSequence(world.db, 'settlement_runs')
  const run = { seq, runId: world.chance.id('settlementRun', seq), ranAtMs: world.clock.nowMs(), settled }
  insertRun(world.db, run)
  return run
}
