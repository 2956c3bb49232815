import { expect, test } from 'vitest'
import { coverageOf } from '../../../src/sandbox/coverage/report.ts'
import { randomKeys } from '../../../src/sandbox/kernel/credentials.ts'
import type { Environment } from '../../../src/sandbox/worlds/environment.ts'
import { createWorld, endWorld } from '../../../src/sandbox/worlds/open-world.ts'
import { snapshotOf } from '../../../src/sandbox/worlds/snapshots.ts'
import { DatabaseLru } from '../../../src/storage/database-lru.ts'
import { resetNow, restoreNow, TEST_NOW_MS, testSurroundings } from '../../support/world.ts'

/** More than is read in one turn of the event loop. */
function largeWorld(most = 128): Environment {
  const options = { seed: 'test', inventory: 0, clockMs: TEST_NOW_MS, frozen: true, rateLimit: null }
  const world = createWorld('large', null, options, randomKeys, { ...testSurroundings(), awake: new DatabaseLru(most) })
  world.db.exec(`
    INSERT INTO quotes (partner_id, domain, price_cents, currency, created_at, expires_at, state)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
    SELECT 'ptr_a', 'a.test', 1, 'USD', ${TEST_NOW_MS}, ${TEST_NOW_MS}, 'expired' FROM n`)
  return world
}

const REPORTING = { version: '1.0.0', command: (words: string) => words }

test.each<[string, (world: Environment) => void]>([
  ['reset', resetNow],
  ['restored', (world) => restoreNow(world, snapshotOf(world))],
  ['deleted', endWorld],
])('a coverage that is being read of a world that is %s meanwhile is refused', async (_, happen) => {
  const world = largeWorld()
  const reading = coverageOf(world, REPORTING)
  happen(world)
  await expect(reading).rejects.toThrow('the world was reset, restored or deleted while its coverage was read')
})

test('a world may rest while its coverage is read', async () => {
  const world = largeWorld(0)
  const { sections } = await coverageOf(world, REPORTING)
  expect(sections.flatMap(({ rows }) => rows).map(({ count }) => count)).toContain(12_000)
})
