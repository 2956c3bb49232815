import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Problem } from '../../src/operator/problems.ts'
import { moneyHandlers } from '../../src/operator/routes/money.ts'
import { findListing } from '../../src/sandbox/inventory/listings.ts'
import { recordOrder, takeStep } from '../../src/sandbox/sales/order-steps.ts'
import { findSettlementRun } from '../../src/sandbox/settlement/settlement-runs.ts'
import { castMember, testWorld } from '../support/world.ts'

/** More than one batch settles. */
const ORDERS = 30

test('a disk that is full after the first batch of a settlement run: the answer names the run, which goes on by itself', async () => {
  const world = testWorld()
  onTestFinished(() => void world.db.close())
  const seller = castMember(world, 'main')
  world.commits.commitNow(() => {
    for (let n = 1; n <= ORDERS; n++) {
      const domain = `stalls-${n}.test`
      const expectedPriceCents = findListing(world, domain)?.priceCents ?? 0
      const buyer = { email: 'ada@example.test' }
      const order = recordOrder(world, seller, { domain, expectedPriceCents, currency: 'USD', buyer })
      takeStep(world, takeStep(world, order, 'start-transfer', null), 'complete-transfer', null)
    }
  })
  world.db.function('full', () => {
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
  })
  world.db.exec(`CREATE TEMP TRIGGER second_batch BEFORE UPDATE ON settlement_runs WHEN OLD.done_to > 0
    BEGIN SELECT full(); END`)

  const handle = moneyHandlers['settlementRuns.create'] as (input: object) => Promise<unknown>
  const error = (await handle({ world }).catch((thrown: unknown) => thrown)) as Problem
  const run = () => findSettlementRun(world, runId, { limit: 1 })
  const runId = /settlement run (\S+) has begun/.exec(error.message)?.[1] ?? ''
  expect([error.status, error.message]).toEqual([
    507,
    `the settlement run ${runId} has begun, but a later batch could not be written: the disk is full (SQLITE_FULL). It goes on by itself once the disk can be written; do not start another`,
  ])
  expect([error.code, error.members]).toEqual(['run_interrupted', { run_id: runId }])
  expect([run()?.isComplete, run()?.settledCount]).toEqual([false, 25])

  world.db.exec('DROP TRIGGER second_batch')
  await world.scheduler.catchUp()
  expect([run()?.isComplete, run()?.settledCount]).toEqual([true, ORDERS])
})
