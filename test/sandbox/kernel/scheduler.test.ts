import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { findListing } from '../../../src/sandbox/inventory/listings.ts'
import { Scheduler, type TaskSource } from '../../../src/sandbox/kernel/scheduler.ts'
import type { Progress } from '../../../src/sandbox/kernel/settings.ts'
import { recordOrder } from '../../../src/sandbox/sales/order-steps.ts'
import { issueQuote } from '../../../src/sandbox/sales/quotes.ts'
import { listStatements } from '../../../src/sandbox/settlement/statements.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { setProgress } from '../../../src/sandbox/worlds/world-facts.ts'
import { castMember, setWall, TEST_NOW_MS, testWorld } from '../../support/world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const WEEK_MS = 7 * 24 * HOUR_MS

/** A world whose clock runs, on a machine that can be put to sleep. */
function runningWorld(progress: Partial<Progress>) {
  const wall = setWall()
  const settings = { startAfterMs: null, completeAfterMs: null, settleEveryMs: null, ...progress }
  return { wall, world: testWorld({ wall, clockMs: null, frozen: false, progress: settings }) }
}

function sell(world: Environment, domain: string): void {
  const expectedPriceCents = findListing(world, domain)?.priceCents as number
  const input = { domain, expectedPriceCents, currency: 'USD', buyer: { email: 'buyer@example.test' } }
  world.commits.commitNow(() => recordOrder(world, castMember(world, 'main'), input))
}

/** Periods of the main partner, oldest first, in minutes from the start of the world, with the orders in them. */
function periodsOf(world: Environment) {
  const { rows } = listStatements(world, castMember(world, 'main'), { limit: 100 })
  const minutes = (ms: number) => (ms - TEST_NOW_MS) / MINUTE_MS
  return rows.toReversed().map((row) => [minutes(row.periodStartMs), minutes(row.periodEndMs), row.publicIds.length])
}

test('a world that was asleep makes up for settlement runs that would have found nothing by one', async () => {
  const { world, wall } = runningWorld({ settleEveryMs: MINUTE_MS })
  wall.setMs(TEST_NOW_MS + WEEK_MS + 30_000)
  await world.scheduler.catchUp()
  const minutes = WEEK_MS / MINUTE_MS
  expect(periodsOf(world)).toEqual([[0, minutes, 0]])
  expect(world.scheduler.peek()?.atMs).toBe(TEST_NOW_MS + WEEK_MS + MINUTE_MS)
})

test('what happened while it was asleep is settled when it would have been, and the periods tile', async () => {
  const { world, wall } = runningWorld({
    startAfterMs: 90_000,
    completeAfterMs: 10 * MINUTE_MS,
    settleEveryMs: MINUTE_MS,
  })
  sell(world, 'deal-closes-1.test')
  wall.setMs(TEST_NOW_MS + WEEK_MS)
  await world.scheduler.catchUp()
  // Recorded at 0, started at 1.5, completed at 11.5.
  const periods = [
    [0, 1, 0],
    [1, 2, 0],
    [2, 11, 0],
    [11, 12, 1],
    [12, WEEK_MS / MINUTE_MS, 0],
  ]
  expect(periodsOf(world)).toEqual(periods)
})

test('a jump of the clock makes every run', async () => {
  const world = testWorld({ progress: { startAfterMs: null, completeAfterMs: null, settleEveryMs: HOUR_MS } })
  await advance(world, { byMs: 10 * HOUR_MS })
  expect(periodsOf(world)).toHaveLength(10)
})

test('much that is overdue takes several turns, and a call that comes meanwhile sees none of it', async () => {
  const { world, wall } = runningWorld({})
  let ticks = 0
  // Each task takes a millisecond, of the ten of a turn.
  wall.monotonicMs = () => ticks++
  const count = 60
  world.commits.commitNow(() => {
    for (let n = 1; n <= count; n++) issueQuote(world, castMember(world, 'main'), { domain: `stalls-${n}.test` })
  })
  const openQuotes = () => world.db.prepare("SELECT count(*) FROM quotes WHERE state = 'open'").pluck().get()
  wall.setMs(TEST_NOW_MS + HOUR_MS)
  const turns: unknown[] = []
  let served = false
  const turn = () => {
    turns.push(openQuotes())
    if (!served) setImmediate(turn)
  }
  setImmediate(turn)
  const seen = await world.commits.perform({ durability: 'process-death' }, openQuotes)
  served = true
  expect(seen).toBe(0)
  expect(turns.filter((open) => open !== 0 && open !== count)).toEqual([50, 40, 30, 20, 10])
})

test('what was due in a transaction that failed is done in the next', async () => {
  const { world, wall } = runningWorld({})
  world.commits.commitNow(() => issueQuote(world, castMember(world, 'main'), { domain: 'stalls-1.test' }))
  wall.setMs(TEST_NOW_MS + HOUR_MS)
  const failing = () => {
    throw new Error('no')
  }
  expect(() => world.commits.commitNow(failing)).toThrow('no')
  await world.scheduler.catchUp()
  expect(world.db.prepare('SELECT state FROM quotes').pluck().all()).toEqual(['expired'])
})

test('a setting that could not be committed changes nothing about what comes next', async () => {
  const { world, wall } = runningWorld({ settleEveryMs: MINUTE_MS })
  const { db } = world
  const statement = db.statement.bind(db)
  db.statement = (sql) => {
    if (sql === 'COMMIT') throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' })
    return statement(sql)
  }
  expect(() => setProgress(world, { startAfterMs: null, completeAfterMs: null, settleEveryMs: null })).toThrow('full')
  db.statement = statement
  wall.setMs(TEST_NOW_MS + 2 * MINUTE_MS + 1)
  await world.scheduler.catchUp()
  expect(periodsOf(world)).toEqual([[0, 2, 0]])
})

test('a task that fails is warned about with its own error, even if its instant is none', async () => {
  const { world } = runningWorld({})
  const failing: TaskSource = {
    kind: 'quote.expired',
    peek: () => ({ atMs: Number.NEGATIVE_INFINITY, id: 'task-1' }),
    count: () => 1,
    run() {
      throw new Error('the real reason')
    },
  }
  const scheduler = new Scheduler(world, [failing])
  onTestFinished(() => scheduler.end())
  const warned = once(process, 'warning')
  world.commits.commitNow(() => scheduler.runNext(0))
  expect(String((await warned)[0])).toContain('task-1 of -Infinity failed (Error: the real reason)')
})
