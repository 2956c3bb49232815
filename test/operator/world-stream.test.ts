import { expect, onTestFinished, test } from 'vitest'
import type { LiveMessage } from '../../src/operator/live.ts'
import type { Operator } from '../../src/operator/route.ts'
import { STREAM_KINDS, worldStream } from '../../src/operator/routes/stream.ts'
import type { Environment } from '../../src/sandbox/app/environment.ts'
import { recordEvent } from '../../src/sandbox/events/events.ts'
import { createRedactors } from '../../src/sandbox/worlds/redact.ts'
import { resetWorld } from '../../src/sandbox/worlds/snapshots.ts'
import { castMember, testWorld } from '../support/world.ts'

/** Of the operator only what takes secrets out is asked for where no calls are told. */
const NO_CALLS = { worlds: { redactor: createRedactors(() => []) } } as unknown as Operator
const turn = () => new Promise((resolve) => setImmediate(resolve))

function record(world: Environment, count: number): void {
  const { partnerId } = castMember(world, 'main')
  for (let n = 0; n < count; n++) {
    world.commits.commitNow(() => recordEvent(world, { partnerId, type: 'order.recorded', data: { n } }))
  }
}

/** A listener that takes so many messages and then reads no more until it is told to. */
function listenTo(world: Environment, takes: number) {
  const told: LiveMessage[] = []
  let room = takes
  let onRead = () => {}
  const client = {
    tell: (message: LiveMessage) => void told.push(message),
    keepsUp: () => told.length < room,
    onRead(callback: () => void) {
      onRead = callback
    },
    end() {},
  }
  const stop = worldStream(NO_CALLS, world, { kinds: new Set(STREAM_KINDS), afterSeq: 0 })(client)
  onTestFinished(stop)
  return {
    told,
    read(more: number) {
      room += more
      onRead()
    },
  }
}

test('a listener that reads late is told every event, once and in order, and never more than it can take', async () => {
  const world = testWorld({ inventory: 0 })
  record(world, 500)
  const listener = listenTo(world, 1)
  expect(listener.told).toHaveLength(100)
  for (let round = 0; round < 12; round++) {
    record(world, 50)
    await turn()
    if (round % 3 === 0) listener.read(200)
    expect(listener.told.length).toBeLessThanOrEqual(1 + 200 * (1 + Math.floor(round / 3)) + 100)
  }
  listener.read(1_000)
  await turn()
  expect(listener.told.map(({ data }) => (data as { data: { n: number } }).data.n)).toEqual(
    [500, ...Array.from({ length: 12 }, () => 50)].flatMap((count) => Array.from({ length: count }, (_, n) => n)),
  )
})

test('nobody looking on, nothing is prepared', async () => {
  const world = testWorld({ inventory: 0 })
  expect(world.feed.watchers.size).toBe(0)
  const stop = world.feed.watch(() => {})
  expect(world.feed.watchers.size).toBe(1)
  stop()
  expect(world.feed.watchers.size).toBe(0)
})

test('who looks on and breaks does not break what it looks at', async () => {
  const world = testWorld({ inventory: 0 })
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  const seen: string[] = []
  onTestFinished(
    world.feed.watch(() => {
      throw new Error('a listener with a bug')
    }),
  )
  onTestFinished(world.feed.watch(({ kind }) => void seen.push(kind)))
  record(world, 1)
  await turn()
  expect(seen).toEqual(['events'])
  expect((await warned).message).toBe('a listener with a bug')
})

test('a world that was taken back and lives through the same again tells all of it again', async () => {
  const world = testWorld({ inventory: 0 })
  const listener = listenTo(world, 100)
  for (const again of [0, 1, 2]) {
    record(world, 1)
    await turn()
    expect(listener.told.filter(({ event }) => event === 'event')).toHaveLength(again + 1)
    resetWorld(world)
  }
})
