import { expect, test } from 'vitest'
import { seedInventory } from '../../../src/sandbox/inventory/generate.ts'
import { freshDatabase, freshDatabaseInTurns } from '../../../src/sandbox/worlds/templates.ts'
import { openDatabase } from '../../../src/storage/database.ts'
import { dump } from '../../support/dump.ts'
import { TEST_NOW_MS } from '../../support/world.ts'

test('a copy of a template is what drawing anew would give', () => {
  const options = { seed: 'template', count: 300, nowMs: TEST_NOW_MS }
  const drawn = openDatabase(null)
  drawn.transaction(() => seedInventory(drawn, options))()
  const [first, copy] = [freshDatabase(options, null), freshDatabase(options, null)]
  expect(dump(first)).toEqual(dump(drawn))
  expect(dump(copy)).toEqual(dump(drawn))
})

test('a world of long ago has a template of its own, since nothing in it was registered later', () => {
  const options = { seed: 'template', count: 20 }
  const now = freshDatabase({ ...options, nowMs: TEST_NOW_MS }, null)
  const then = freshDatabase({ ...options, nowMs: Date.UTC(1999, 0, 1) }, null)
  const latest = 'SELECT max(registered_at) FROM listings'
  expect(then.prepare(latest).pluck().get()).toBeLessThan(Date.UTC(1999, 0, 1))
  expect(now.prepare(latest).pluck().get()).toBeGreaterThan(Date.UTC(1999, 0, 1))
  expect(dump(freshDatabase({ ...options, nowMs: TEST_NOW_MS + 86_400_000 }, null))).toEqual(dump(now))
})

test('a large inventory is drawn in turns, and gives the same', async () => {
  const options = { seed: 'in turns', count: 3_000, nowMs: TEST_NOW_MS }
  let turns = 0
  let isDrawing = true
  const drawing = freshDatabaseInTurns(options, null, () => undefined).then(() => {
    isDrawing = false
  })
  while (isDrawing) {
    turns += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  await drawing
  expect(turns).toBeGreaterThan(5)
  const drawn = openDatabase(null)
  drawn.transaction(() => seedInventory(drawn, options))()
  expect(dump(freshDatabase(options, null))).toEqual(dump(drawn))
})
