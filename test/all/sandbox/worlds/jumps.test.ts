import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Environment } from '../../../../src/sandbox/app/environment.ts'
import type { Happening } from '../../../../src/sandbox/kernel/scheduler.ts'
import { registerEndpoint } from '../../../../src/sandbox/webhooks/endpoints.ts'
import { advance } from '../../../../src/sandbox/worlds/advance.ts'
import { anyDeeds, type Deed, doOne, everythingIn } from '../../../support/lived-history.ts'
import { size } from '../../../support/size.ts'
import { castMember, setWall, TEST_NOW_MS, testWorld } from '../../../support/world.ts'

const DAY_MS = 86_400_000
/** Longer than all retries of a delivery, all sessions and all waits together. */
const LONG_MS = 40 * DAY_MS

/** A receiver that refuses each event as often as its id says: some never, some until the last attempt. */
const seen = new Map<string, number>()
let receiver: Server
let url: string

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { id } = JSON.parse(text) as { id: string }
      const n = (seen.get(id) ?? 0) + 1
      seen.set(id, n)
      response.writeHead(n > refusals(id) ? 200 : 503).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})

afterAll(() => {
  receiver.close()
  receiver.closeAllConnections()
})

function refusals(id: string): number {
  const sum = [...id].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return Math.max(0, (sum % 12) - 3)
}

type Move = (world: Environment, byMs: number) => Promise<Happening[]>

/** Plays a history in a fresh world; whatever lies between two deeds, and long after the last, is moved over by `move`. */
async function lived(deeds: readonly Deed[], move: Move): Promise<{ everything: unknown; happened: Happening[] }> {
  seen.clear()
  const world = testWorld({ inventory: 0 })
  world.commits.commitNow(() => registerEndpoint(world, castMember(world, 'main'), { url, secret: 'a-webhook-secret' }))
  const happened: Happening[] = []
  for (const { afterMs, doing } of deeds) {
    if (afterMs > 0) happened.push(...(await move(world, afterMs)))
    doOne(world, doing)
  }
  happened.push(...(await move(world, LONG_MS)))
  const everything = everythingIn(world)
  expect(stillWaiting(world)).toBe(0)
  world.scheduler.end()
  world.deliverer.end()
  world.db.close()
  return { everything, happened: happened.sort(byTime) }
}

/** What must have come to its end by now, whatever the progress. */
function stillWaiting({ db }: Environment): unknown {
  return db
    .prepare(
      `SELECT (SELECT count(*) FROM quotes WHERE state = 'open') + (SELECT count(*) FROM idempotency_keys)
       + (SELECT count(*) FROM checkout_sessions WHERE state IN ('open', 'paying'))
       + (SELECT count(*) FROM deliveries WHERE state = 'pending')`,
    )
    .pluck()
    .get()
}

/** Attempts of one instant end as they like. */
function byTime(a: Happening, b: Happening): number {
  return a.atMs - b.atMs || (a.kind === 'delivery.attempt' && b.kind === a.kind ? a.id.localeCompare(b.id) : 0)
}

const atOnce: Move = async (world, byMs) => (await advance(world, { byMs })).happened

/** @param splits where it stops on the way, as parts of it. */
function inPieces(splits: readonly number[], thingsPerTurn: number): Move {
  return async (world, byMs) => {
    const fromMs = world.clock.nowMs()
    const happened: Happening[] = []
    for (const part of [...splits, 1].sort((a, b) => a - b)) {
      const toMs = fromMs + Math.floor(byMs * part)
      const receipt = await advance(world, { toMs }, { thingsPerTurn })
      happened.push(...receipt.happened)
    }
    return happened
  }
}

const fromNextToNext: Move = async (world, byMs) => {
  const endMs = world.clock.nowMs() + byMs
  // What is due now is before whatever is next.
  const happened = (await advance(world, { toMs: world.clock.nowMs() })).happened
  while ((world.scheduler.peek()?.atMs ?? Number.POSITIVE_INFINITY) <= endMs) {
    happened.push(...(await advance(world, { until: 'next' })).happened)
  }
  return [...happened, ...(await advance(world, { toMs: endMs })).happened]
}

/** Where it would go too far it goes at once. */
const firstUntilIdle: Move = async (world, byMs) => {
  if (byMs < LONG_MS) return atOnce(world, byMs)
  const endMs = world.clock.nowMs() + byMs
  const idle = await advance(world, { until: 'idle' })
  expect(idle.toMs).toBeLessThanOrEqual(endMs)
  return [...idle.happened, ...(await advance(world, { toMs: endMs })).happened]
}

const splits = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })
const perTurn = fc.integer({ min: 1, max: 4 })

test('one long jump equals many small ones, over everything that a world holds', async () => {
  await fc.assert(
    fc.asyncProperty(anyDeeds({ settles: true }), splits, perTurn, async (deeds, parts, thingsPerTurn) => {
      const whole = await lived(deeds, atOnce)
      expect(await lived(deeds, inPieces(parts, thingsPerTurn))).toEqual(whole)
    }),
    { numRuns: size(20, 100) },
  )
}, 120_000)

test('going from what is due next to what is due next equals one jump', async () => {
  await fc.assert(
    fc.asyncProperty(anyDeeds({ settles: true }), async (deeds) => {
      expect(await lived(deeds, fromNextToNext)).toEqual(await lived(deeds, atOnce))
    }),
    { numRuns: size(3, 10) },
  )
}, 120_000)

test('until nothing is due, and then on, equals one jump', async () => {
  await fc.assert(
    fc.asyncProperty(anyDeeds({ settles: true }), async (deeds) => {
      expect(await lived(deeds, firstUntilIdle)).toEqual(await lived(deeds, atOnce))
    }),
    { numRuns: size(3, 10) },
  )
}, 120_000)

/** A clock that ticks: the machine's time is set, as after a sleep, and the world catches up of its own accord. */
async function ticked(deeds: readonly Deed[], hops: readonly number[]): Promise<unknown> {
  const wall = setWall()
  const world = testWorld({ inventory: 0, wall, frozen: false })
  onTestFinished(() => {
    world.scheduler.end()
    world.deliverer.end()
  })
  for (const { afterMs, doing } of [...deeds, { afterMs: LONG_MS, doing: null }]) {
    const fromMs = wall.nowMs()
    for (const part of [...hops, 1].sort((a, b) => a - b)) {
      wall.setMs(fromMs + Math.floor(afterMs * part))
      await world.scheduler.catchUp()
    }
    if (doing) doOne(world, doing)
  }
  return everythingIn(world)
}

async function jumped(deeds: readonly Deed[]): Promise<unknown> {
  const world = testWorld({ inventory: 0 })
  for (const { afterMs, doing } of deeds) {
    if (afterMs > 0) await advance(world, { byMs: afterMs })
    doOne(world, doing)
  }
  await advance(world, { byMs: LONG_MS })
  return everythingIn(world)
}

test('a running world that catches up by itself comes to where a jump comes', async () => {
  await fc.assert(
    fc.asyncProperty(anyDeeds({ settles: false }), splits, async (deeds, hops) => {
      expect(await ticked(deeds, hops)).toEqual(await jumped(deeds))
    }),
    { numRuns: size(5, 25) },
  )
}, 120_000)

test('a receipt shows attempts and automatic steps between each other, in the order of their time', async () => {
  seen.clear()
  const world = testWorld({ inventory: 0, progress: { startAfterMs: 60_000, completeAfterMs: 3_600_000 } })
  onTestFinished(() => world.deliverer.end())
  const refusing = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(503).end())
  })
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void refusing.close())
  const refusingUrl = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/`
  world.commits.commitNow(() =>
    registerEndpoint(world, castMember(world, 'main'), { url: refusingUrl, secret: 'a-webhook-secret' }),
  )
  doOne(world, { what: 'order', domain: 'live-site-1.test', partner: 'main' })
  const { happened, counts } = await advance(world, { byMs: 3_700_000 })
  const seconds = happened.map(({ atMs, kind }) => [(atMs - TEST_NOW_MS) / 1_000, kind])
  expect(seconds).toEqual([
    [10, 'delivery.attempt'],
    [60, 'order.step'],
    [60, 'event'],
    [60, 'delivery.attempt'],
    [70, 'delivery.attempt'],
    [70, 'delivery.attempt'],
    [130, 'delivery.attempt'],
    [370, 'delivery.attempt'],
    [430, 'delivery.attempt'],
    [2_170, 'delivery.attempt'],
    [2_230, 'delivery.attempt'],
    [3_660, 'order.step'],
    [3_660, 'event'],
    [3_660, 'delivery.attempt'],
    [3_670, 'delivery.attempt'],
  ])
  expect(counts).toEqual({ 'order.step': 2, event: 2, 'delivery.attempt': 11 })
})
