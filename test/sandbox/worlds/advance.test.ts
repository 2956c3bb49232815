import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LATEST_MS } from '../../../src/clock/instant.ts'
import { ApiError } from '../../../src/contract/errors.ts'
import type { Environment, JumpReceipt } from '../../../src/sandbox/app/environment.ts'
import { keepAnswer, useOfKey } from '../../../src/sandbox/app/idempotency.ts'
import { recordOrder, takeStep } from '../../../src/sandbox/sales/order-steps.ts'
import { issueQuote } from '../../../src/sandbox/sales/quotes.ts'
import type { AuthenticatedCall } from '../../../src/sandbox/wire/call.ts'
import { advance, refuseDuringAdvance, setClock } from '../../../src/sandbox/worlds/advance.ts'
import { openWorld } from '../../../src/sandbox/worlds/open-world.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { castMember, setWall, TEST_NOW_MS, testServerParts, testWorld } from '../../support/world.ts'

const TEN_MINUTES_MS = 600_000
/** A quote is good at ten minutes sharp and expires one millisecond later (QUOTE-09). */
const QUOTE_MS = TEN_MINUTES_MS + 1
const DAY_MS = 86_400_000
const NOTHING_ELSE = { mode: undefined, toMs: undefined, authClock: undefined, authSkewSeconds: undefined }

/** Reserves a domain of its own; `stalls-N.test` is an endless supply of ordinary ones. */
function quote(world: Environment, n: number) {
  return world.commits.commitNow(() => issueQuote(world, castMember(world, 'main'), { domain: `stalls-${n}.test` }))
}

/** Uses an idempotency key, which is forgotten a day later. */
function useKey(world: Environment, key: string): void {
  const known = { world, credential: castMember(world, 'main') }
  const call = {
    ...known,
    rawHeaders: ['Idempotency-Key', key],
    body: new Uint8Array(0),
  } as unknown as AuthenticatedCall
  world.commits.commitNow(() => keepAnswer(world, useOfKey(call), { status: 201, headers: {}, body: '{}' }))
}

function kinds({ happened }: JumpReceipt) {
  return happened.map(({ atMs, kind }) => [atMs - TEST_NOW_MS, kind])
}

async function refusal(attempt: Promise<unknown>): Promise<[string, string]> {
  const error = await attempt.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw new Error(`not refused by the API's words: ${String(error)}`)
  return [error.code, error.message]
}

test('what falls due happens in the order of time, each at its own instant', async () => {
  const world = testWorld()
  useKey(world, 'first')
  quote(world, 1)
  await advance(world, { byMs: 60_000 })
  quote(world, 2)
  const receipt = await advance(world, { byMs: DAY_MS })
  expect(receipt.fromMs).toBe(TEST_NOW_MS + 60_000)
  expect(receipt.toMs).toBe(TEST_NOW_MS + 60_000 + DAY_MS)
  expect(kinds(receipt)).toEqual([
    [QUOTE_MS, 'quote.expired'],
    [QUOTE_MS + 60_000, 'quote.expired'],
    [DAY_MS, 'idempotency.expired'],
  ])
  expect(world.clock.nowMs()).toBe(receipt.toMs)
})

test('a quote is still reserved at ten minutes sharp and expires one millisecond later', async () => {
  const world = testWorld()
  quote(world, 1)
  expect(kinds(await advance(world, { byMs: TEN_MINUTES_MS }))).toEqual([])
  expect(kinds(await advance(world, { byMs: 1 }))).toEqual([[QUOTE_MS, 'quote.expired']])
})

test('until next goes to what is due next and no further; with nothing due it stays', async () => {
  const world = testWorld()
  quote(world, 1)
  useKey(world, 'one')
  expect(kinds(await advance(world, { until: 'next' }))).toEqual([[QUOTE_MS, 'quote.expired']])
  expect(kinds(await advance(world, { until: 'next' }))).toEqual([[DAY_MS, 'idempotency.expired']])
  const idle = await advance(world, { until: 'next' })
  expect(idle).toMatchObject({ fromMs: TEST_NOW_MS + DAY_MS, toMs: TEST_NOW_MS + DAY_MS, happened: [] })
})

test('until idle runs all that waits and stands at the last of it', async () => {
  const world = testWorld()
  for (let n = 1; n <= 30; n++) quote(world, n)
  useKey(world, 'one')
  const receipt = await advance(world, { until: 'idle' }, { things: 1_000, thingsPerTurn: 7 })
  expect(receipt.happened).toHaveLength(31)
  expect(receipt.toMs).toBe(TEST_NOW_MS + DAY_MS)
  expect(world.scheduler.countByKind()).toEqual({})
})

test('more things than one jump may do end it with an error, and the next jump goes on from there', async () => {
  const world = testWorld()
  for (let n = 1; n <= 8; n++) quote(world, n)
  const [code, message] = await refusal(advance(world, { until: 'idle' }, { things: 5, thingsPerTurn: 2 }))
  expect(code).toBe('conflict')
  expect(message).toContain('more than 5 things fell due; the clock was stopped at 2026-01-15T12:10:00.001Z')
  expect((await advance(world, { until: 'idle' }, { things: 5, thingsPerTurn: 2 })).happened).toHaveLength(2)
})

test('exactly as many things as one jump may do are no error', async () => {
  const world = testWorld()
  for (let n = 1; n <= 5; n++) quote(world, n)
  expect((await advance(world, { until: 'idle' }, { things: 5, thingsPerTurn: 2 })).happened).toHaveLength(5)
})

test('a clock does not go back, and ends with the year 9999', async () => {
  const world = testWorld()
  expect(await refusal(advance(world, { toMs: TEST_NOW_MS - 1 }))).toEqual([
    'conflict',
    'a world’s clock moves forward only: it is 2026-01-15T12:00:00.000Z there, later than 2026-01-15T11:59:59.999Z',
  ])
  for (const toMs of [LATEST_MS + 1, Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, 1e308]) {
    expect((await refusal(advance(world, { toMs })))[0]).toBe('validation_error')
  }
  expect((await refusal(advance(world, { byMs: LATEST_MS })))[0]).toBe('validation_error')
  expect(world.clock.nowMs()).toBe(TEST_NOW_MS)
})

test('a second jump is refused while the first is under way, and welcome after it', async () => {
  const world = testWorld()
  for (let n = 1; n <= 6; n++) quote(world, n)
  const first = advance(world, { until: 'idle' }, { things: 100, thingsPerTurn: 2 })
  expect(await refusal(advance(world, { byMs: 1 }))).toEqual([
    'conflict',
    'the clock of this world is being advanced; wait for its receipt, or stop it',
  ])
  expect(await refusal(setClock(world, { ...NOTHING_ELSE, mode: 'running' }, () => null))).toEqual([
    'conflict',
    'the clock of this world is being advanced; wait for its receipt, or stop it',
  ])
  expect((await first).happened).toHaveLength(6)
  expect(() => refuseDuringAdvance(world)).not.toThrow()
})

test('a call that arrives during a jump is served at the instant reached, and what it makes due happens in the jump', async () => {
  const world = testWorld()
  for (let n = 1; n <= 6; n++) quote(world, n)
  const jump = advance(world, { byMs: DAY_MS }, { things: 100, thingsPerTurn: 2 })
  const servedAtMs = await world.commits.perform({ durability: 'power-loss' }, () => {
    issueQuote(world, castMember(world, 'main'), { domain: 'stalls-99.test' })
    return world.clock.nowMs()
  })
  expect(servedAtMs).toBe(TEST_NOW_MS + QUOTE_MS)
  expect(kinds(await jump)).toEqual([
    ...Array.from({ length: 6 }, () => [QUOTE_MS, 'quote.expired']),
    [2 * QUOTE_MS, 'quote.expired'],
  ])
})

test('events that are recorded during a jump stand in its receipt', async () => {
  const world = testWorld()
  for (let n = 1; n <= 4; n++) quote(world, n)
  const caller = castMember(world, 'main')
  const jump = advance(world, { byMs: DAY_MS }, { things: 100, thingsPerTurn: 2 })
  void world.commits.perform({ durability: 'power-loss' }, () => {
    const { priceCents, currency, seq } = issueQuote(world, caller, { domain: 'stalls-98.test' })
    const buyer = { email: 'buyer@example.test' }
    const quoteId = world.chance.id('quote', seq)
    const order = { domain: 'stalls-98.test', expectedPriceCents: priceCents, currency, quoteId, buyer }
    takeStep(world, recordOrder(world, caller, order), 'start-transfer', null)
  })
  const { happened } = await jump
  expect(happened.map(({ kind, summary }) => [kind, summary]).slice(4)).toEqual([
    ['event', `order.recorded for ${caller.partnerId}`],
    ['event', `order.transfer_started for ${caller.partnerId}`],
  ])
})

test('a running clock goes on running after a jump', async () => {
  const wall = setWall()
  const world = testWorld({ wall, frozen: false })
  quote(world, 1)
  const receipt = await advance(world, { byMs: DAY_MS })
  expect([receipt.toMs, world.clock.state.mode]).toEqual([TEST_NOW_MS + DAY_MS, 'running'])
  wall.setMs(TEST_NOW_MS + 5_000)
  expect(world.clock.nowMs()).toBe(TEST_NOW_MS + DAY_MS + 5_000)
})

test('freezing and setting the time gives that very time; running it goes on from there', async () => {
  const wall = setWall()
  const world = testWorld({ wall, frozen: false })
  quote(world, 1)
  await setClock(world, { ...NOTHING_ELSE, mode: 'frozen', toMs: TEST_NOW_MS + DAY_MS }, () => null)
  wall.setMs(TEST_NOW_MS + 9_000)
  expect([world.clock.nowMs(), world.scheduler.countByKind()]).toEqual([TEST_NOW_MS + DAY_MS, {}])
  await setClock(world, { ...NOTHING_ELSE, mode: 'running', toMs: TEST_NOW_MS + 2 * DAY_MS }, () => null)
  wall.setMs(TEST_NOW_MS + 10_000)
  expect(world.clock.nowMs()).toBe(TEST_NOW_MS + 2 * DAY_MS + 1_000)
})

test('clock and settings are found again after a restart', async () => {
  const folder = tempFolder()
  const file = join(folder, 'world.sqlite')
  const world = testWorld({ file })
  quote(world, 1)
  await advance(world, { byMs: DAY_MS })
  await setClock(world, { ...NOTHING_ELSE, authClock: 'world', authSkewSeconds: -400 }, () => null)
  world.db.close()
  const again = openWorld(file, testServerParts(), 'test')
  onTestFinished(() => void again.db.close())
  expect(again.clock.state).toEqual({ mode: 'frozen', atMs: TEST_NOW_MS + DAY_MS })
  expect(again.settings).toMatchObject({ authClock: 'world', authSkewSeconds: -400 })
  expect(again.scheduler.peek()).toBeNull()
})

test('a step of a jump that cannot be committed leaves clock, tables and what is due as they were', async () => {
  const world = testWorld()
  quote(world, 1)
  world.db.exec("CREATE TRIGGER stop BEFORE UPDATE ON quotes BEGIN SELECT raise(ROLLBACK, 'disk full'); END")
  await expect(advance(world, { byMs: DAY_MS })).rejects.toThrow('disk full')
  expect([world.clock.nowMs(), world.scheduler.countByKind()]).toEqual([TEST_NOW_MS, { 'quote.expired': 1 }])
  world.db.exec('DROP TRIGGER stop')
  expect(kinds(await advance(world, { byMs: DAY_MS }))).toEqual([[QUOTE_MS, 'quote.expired']])
})

test('what a refused change undid is due again at once', () => {
  const wall = setWall()
  const world = testWorld({ wall, frozen: false })
  const { seq } = quote(world, 1)
  wall.setMs(TEST_NOW_MS + QUOTE_MS)
  const refused = () =>
    world.commits.commitNow(() => {
      throw new ApiError('conflict', 'refused')
    })
  expect(refused).toThrow('refused')
  world.commits.commitNow(() => undefined)
  expect(world.db.prepare('SELECT state FROM quotes WHERE seq = ?').get(seq)).toEqual({ state: 'expired' })
})
