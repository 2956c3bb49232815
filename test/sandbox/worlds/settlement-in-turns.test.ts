import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atOnce, type Steps } from '../../../src/contract/steps.ts'
import { lastEventSeq } from '../../../src/sandbox/events/events.ts'
import { findListing } from '../../../src/sandbox/inventory/listings.ts'
import { randomKeys } from '../../../src/sandbox/kernel/credentials.ts'
import { takeStep } from '../../../src/sandbox/sales/order-steps.ts'
import { ordersByState } from '../../../src/sandbox/sales/orders.ts'
import { recordOrder } from '../../../src/sandbox/sales/record-order.ts'
import { runSettlement } from '../../../src/sandbox/settlement/settlement-runs.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import type { Environment } from '../../../src/sandbox/worlds/environment.ts'
import { endWorld, openWorld } from '../../../src/sandbox/worlds/open-world.ts'
import { setProgress } from '../../../src/sandbox/worlds/settings.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { castMember, setWall, testSurroundings, testWorld } from '../../support/world.ts'

const ORDERS = 60
const DAY_MS = 86_400_000

/** Each look at the machine's time finds it a millisecond later, so that every few steps make a slice. */
function tickingWall() {
  let ticks = 0
  return { ...setWall(), monotonicMs: () => ++ticks }
}

function worldToSettle(options: Parameters<typeof testWorld>[0] = {}): Environment {
  const world = testWorld({ inventory: 0, wall: tickingWall(), ...options })
  world.commits.commitNow(() => {
    for (let n = 1; n <= ORDERS; n++) deliver(world, `live-site-${n}.test`)
  })
  return world
}

function deliver(world: Environment, domain: string): void {
  const expectedPriceCents = findListing(world, domain)?.priceCents as number
  const input = { domain, expectedPriceCents, currency: 'USD', buyer: { email: 'buyer@example.test' } }
  const started = takeStep(world, recordOrder(world, castMember(world, 'main'), input), 'start-transfer', null)
  takeStep(world, started, 'complete-transfer', null)
}

/** How many orders a call of the world sees as settled. */
function settledByCall(world: Environment): Promise<number> {
  return new Promise((resolve, reject) => {
    let seen = 0
    world.commits.submit({
      durability: 'process-death',
      run: () => {
        seen = settled(world)
      },
      settled: (failure) => (failure === undefined ? resolve(seen) : reject(failure)),
    })
  })
}

function settled(world: Environment): number {
  return ordersByState(world)['SETTLED'] ?? 0
}

/** How many turns of the event loop others have until some work ends. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve))
  return turns
}

test('others have many turns during a settlement run, and a call of its own world waits for all of it', async () => {
  const world = worldToSettle()
  const run = world.commits.commitInTurns(() => runSettlement(world))
  await Promise.resolve()
  expect(world.commits.isOpen()).toBe(true)
  const call = settledByCall(world)
  let answered = false
  void call.then(() => {
    answered = true
  })
  const turns = await turnsUntil(run.then(() => expect(answered).toBe(false)))
  expect(turns).toBeGreaterThan(10)
  expect(await call).toBe(ORDERS)
})

test('who looks at the database during a run, outside of the queue, finds the run at its end', async () => {
  const world = worldToSettle()
  const run = world.commits.commitInTurns(() => runSettlement(world))
  await Promise.resolve()
  expect(world.commits.isOpen()).toBe(true)
  expect(settled(world)).toBe(ORDERS)
  expect(world.commits.isOpen()).toBe(false)
  expect((await run).settled).toHaveLength(ORDERS)
})

test('a run in turns gives what a run at once gives', async () => {
  const inTurns = worldToSettle()
  const whole = worldToSettle()
  const one = await inTurns.commits.commitInTurns(() => runSettlement(inTurns))
  const other = whole.commits.commitNow(() => atOnce(runSettlement(whole)))
  expect(one).toEqual(other)
  expect(lastEventSeq(inTurns)).toBe(lastEventSeq(whole))
})

test('a run that fails half-way leaves nothing behind, and can be made again', async () => {
  const world = worldToSettle()
  const eventSeq = lastEventSeq(world)
  await expect(world.commits.commitInTurns(() => broken(runSettlement(world), ORDERS / 2))).rejects.toThrow('half-way')
  expect(world.commits.isOpen()).toBe(false)
  expect(settled(world)).toBe(0)
  expect(lastEventSeq(world)).toBe(eventSeq)
  const again = await world.commits.commitInTurns(() => runSettlement(world))
  const other = worldToSettle()
  expect(again).toEqual(other.commits.commitNow(() => atOnce(runSettlement(other))))
})

function* broken<Result>(steps: Steps<Result>, at: number): Steps<Result> {
  for (let done = 0; ; done++) {
    const step = steps.next()
    if (step.done) return step.value
    if (done === at) throw new Error('half-way')
    yield
  }
}

test('two runs at once come one after the other', async () => {
  const world = worldToSettle()
  const runs = [
    world.commits.commitInTurns(() => runSettlement(world)),
    world.commits.commitInTurns(() => runSettlement(world)),
  ]
  const counts = (await Promise.all(runs)).map((run) => run.settled.length)
  expect(counts).toEqual([ORDERS, 0])
})

test('a process that dies during a run leaves its file as if there had been none; after the answer all of it is there', async () => {
  const folder = tempFolder()
  const file = join(folder, 'test.sqlite')
  const world = worldToSettle({ file })
  const run = world.commits.commitInTurns(() => runSettlement(world))
  await Promise.resolve()
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
  expect(world.commits.isOpen()).toBe(true)
  expect(settledAfterDeath(file, join(folder, 'during.sqlite'))).toBe(0)
  await run
  expect(settledAfterDeath(file, join(folder, 'after.sqlite'))).toBe(ORDERS)
  endWorld(world)
})

/** What is found in a file as the system holds it now, its log included. */
function settledAfterDeath(file: string, copy: string): number {
  copyFileSync(file, copy)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  const usual = {
    options: { seed: 'test', inventory: 0, clockMs: null, frozen: true, rateLimit: null },
    keys: randomKeys,
  }
  const found = openWorld(copy, testSurroundings(), 'test', usual)
  expect(found.problem).toBeNull()
  const count = settled(found)
  endWorld(found)
  return count
}

test('the settlement run of a jump goes in turns, and a call meanwhile sees nothing or all of it', async () => {
  const world = worldToSettle()
  setProgress(world, { startAfterMs: null, completeAfterMs: null, settleEveryMs: DAY_MS })
  const jump = advance(world, { byMs: 2 * DAY_MS })
  const calls: Promise<number>[] = []
  let held = 0
  const watch = async () => {
    for (let n = 0; n < 200; n++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (world.commits.isOpen()) held++
      calls.push(settledByCall(world))
    }
  }
  await Promise.all([jump, watch()])
  expect(held).toBeGreaterThan(10)
  expect([...new Set(await Promise.all(calls))].filter((count) => count !== 0 && count !== ORDERS)).toEqual([])
  expect(settled(world)).toBe(ORDERS)
})

test('a settlement run that is due as the clock ticks goes in turns before the call that comes after it', async () => {
  const wall = tickingWall()
  const world = worldToSettle({ wall, frozen: false, clockMs: null })
  setProgress(world, { startAfterMs: null, completeAfterMs: null, settleEveryMs: DAY_MS })
  wall.setMs(wall.nowMs() + DAY_MS)
  const call = settledByCall(world)
  expect(await turnsUntil(call)).toBeGreaterThan(10)
  expect(await call).toBe(ORDERS)
})
