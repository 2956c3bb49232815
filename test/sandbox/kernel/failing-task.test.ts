import { expect, onTestFinished, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { Scheduler, type TaskSource } from '../../../src/sandbox/kernel/scheduler.ts'
import type { World } from '../../../src/sandbox/kernel/world.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { TEST_NOW_MS, testWorld } from '../../support/world.ts'

/** A type of task read from the rows of a table; what it does to one is up to the test. */
function rowsDue(table: string, act: (world: World, id: string) => void): TaskSource {
  return {
    kind: 'order.step',
    peek({ db }) {
      const row = db.prepare(`SELECT at AS atMs, id FROM ${table} ORDER BY at LIMIT 1`).get()
      return (row as { atMs: number; id: string } | undefined) ?? null
    },
    run(world, { atMs, id }) {
      world.db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id)
      act(world, id)
      return [{ atMs, kind: 'order.step', id, summary: id }]
    },
    count: ({ db }) => (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n,
  }
}

/** A world with two types of tasks: `bad` ones fall due first and do what the test says, `good` ones go well. */
function worldWith(act: (world: World, id: string) => void): Environment {
  const world = testWorld() as { scheduler: Scheduler } & Environment
  onTestFinished(() => void world.db.close())
  for (const table of ['bad', 'good']) {
    world.db.exec(`CREATE TABLE ${table} (at INTEGER NOT NULL, id TEXT NOT NULL) STRICT`)
    for (const n of [1, 2]) {
      world.db.prepare(`INSERT INTO ${table} VALUES (?, ?)`).run(TEST_NOW_MS + n * 1_000, `${table}-${n}`)
    }
  }
  world.scheduler = new Scheduler(world, [rowsDue('bad', act), rowsDue('good', () => {})])
  return world
}

function warnings(): Error[] {
  const told: Error[] = []
  const listen = (warning: Error) => void told.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return told
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a scheduled task that fails is reported once and left alone, undone, and the world goes on', async () => {
  const told = warnings()
  const world = worldWith(() => {
    throw new TypeError('there is a bug')
  })
  const { happened } = await advance(world, { byMs: 10_000 })
  expect(happened.map(({ id }) => id)).toEqual(['good-1', 'good-2'])
  expect(world.commits.commitNow(() => world.scheduler.countByKind())).toEqual({ 'order.step': 2 })
  expect((await advance(world, { until: 'idle' })).happened).toEqual([])
  expect(world.scheduler.peek()).toBeNull()
  await turn()
  expect(told).toHaveLength(1)
  expect(told[0]!.message).toContain('bad-1')
  expect(told[0]!.message).toContain('2026-01-15T12:00:01.000Z')
  expect(told[0]!.message).toContain('there is a bug')
})

test('a disk that is full fails the transaction, and what was due is done when there is room', async () => {
  const told = warnings()
  let isFull = true
  const world = worldWith(() => {
    if (isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  })
  await expect(advance(world, { byMs: 10_000 })).rejects.toThrow('full')
  isFull = false
  const { happened } = await advance(world, { byMs: 10_000 })
  expect(happened.map(({ id }) => id).sort()).toEqual(['bad-1', 'bad-2', 'good-1', 'good-2'])
  await turn()
  expect(told).toEqual([])
})
