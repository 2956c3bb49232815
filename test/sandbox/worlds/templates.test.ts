import { expect, test } from 'vitest'
import { templateInBatches, templateOf } from '../../../src/sandbox/worlds/templates.ts'
import { openBytes, openDatabase } from '../../../src/storage/db.ts'
import { dump } from '../../support/dump.ts'
import { seedInventory } from '../../support/seed-inventory.ts'
import { TEST_NOW_MS } from '../../support/world.ts'

test('a copy of a template is what drawing again would give', () => {
  const options = { seed: 'template', count: 300, nowMs: TEST_NOW_MS }
  const drawn = openDatabase(null)
  drawn.transaction(() => seedInventory(drawn, options))()
  const [first, copy] = [openBytes(templateOf(options)), openBytes(templateOf(options))]
  expect(dump(first)).toEqual(dump(drawn))
  expect(dump(copy)).toEqual(dump(drawn))
})

test('a world of long ago has a template of its own, since nothing in it was registered later', () => {
  const options = { seed: 'template', count: 20 }
  const now = openBytes(templateOf({ ...options, nowMs: TEST_NOW_MS }))
  const then = openBytes(templateOf({ ...options, nowMs: Date.UTC(1999, 0, 1) }))
  const latest = 'SELECT max(registered_at) FROM listings'
  expect(then.prepare(latest).pluck().get()).toBeLessThan(Date.UTC(1999, 0, 1))
  expect(now.prepare(latest).pluck().get()).toBeGreaterThan(Date.UTC(1999, 0, 1))
  expect(dump(openBytes(templateOf({ ...options, nowMs: TEST_NOW_MS + 86_400_000 })))).toEqual(dump(now))
})

test('a large inventory is drawn in batches, and gives the same', async () => {
  const options = { seed: 'in batches', count: 12_000, nowMs: TEST_NOW_MS }
  let turns = 0
  let isDrawing = true
  const drawing = templateInBatches(options, () => undefined).finally(() => {
    isDrawing = false
  })
  while (isDrawing) {
    turns += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  const batched = openBytes(await drawing)
  expect(turns).toBeGreaterThan(100)
  const drawn = openDatabase(null)
  drawn.transaction(() => seedInventory(drawn, options))()
  expect(dump(batched)).toEqual(dump(drawn))
})

test('drawing ends when its caller has gone', async () => {
  const options = { seed: 'gone', count: 3_000, nowMs: TEST_NOW_MS }
  const gone = () => {
    throw new Error('gone')
  }
  await expect(templateInBatches(options, gone)).rejects.toThrow('gone')
})
