import { expect, test } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { RULES } from '../../../src/contract/rules.ts'
import { NO_DEFECT_HOOKS } from '../../../src/sandbox/app/defect-hooks.ts'
import { randomKeys } from '../../../src/sandbox/kernel/credentials.ts'
import { createWorld } from '../../../src/sandbox/worlds/open-world.ts'
import { Worlds } from '../../../src/sandbox/worlds/worlds.ts'
import { openDatabase } from '../../../src/storage/database.ts'
import { DatabaseLru, RestingDatabase } from '../../../src/storage/database-lru.ts'
import { dump } from '../../support/dump.ts'
import { MoneyHistory } from '../../support/money-history.ts'
import { testSurroundings, testWorld } from '../../support/world.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn()
}

test('the database that was not used for longest is put to rest, and is the same when it is asked for again', async () => {
  const awake = new DatabaseLru(2)
  const keepers = [1, 2, 3].map((n) => {
    const db = openDatabase(null)
    db.prepare("INSERT INTO meta VALUES ('n', ?)").run(String(n))
    return { first: db, keeper: new RestingDatabase(db, awake, null) }
  })
  keepers[0]?.keeper.current()
  await turns(3)
  expect(keepers.map(({ first }) => first.open)).toEqual([true, false, true])
  const woken = keepers[1]?.keeper.current()
  expect(woken?.prepare('SELECT value FROM meta').pluck().get()).toBe('2')
  expect(woken?.pragma('foreign_keys', { simple: true })).toBe(1)
  await turns(3)
  expect(keepers[2]?.first.open).toBe(false)
  for (const { keeper } of keepers) keeper.close()
  expect(keepers[0]?.keeper.current().open).toBe(false)
})

test('a world that rests in the middle of its history goes on as one that never did', async () => {
  const awake = new DatabaseLru(0)
  const options = { seed: 'test', inventory: 5, clockMs: Date.UTC(2026, 0, 1), frozen: true, rateLimit: null }
  const resting = createWorld('test', null, options, randomKeys, { ...testSurroundings(), awake })
  const busy = testWorld(options)
  const sell = { act: 'sell', partner: 0, model: 'partner_collected', priceCents: 1, linked: false } as const
  const [one, other] = [new MoneyHistory(resting), new MoneyHistory(busy)]
  for (let n = 0; n < 3; n++) {
    const before = resting.db
    await turns(3)
    expect(before.open).toBe(false)
    for (const history of [one, other]) history.play([sell, { act: 'forward', pick: n }, { act: 'settle' }])
  }
  const own = ['meta', 'credentials', 'nonces', 'nonce_generations']
  expect(dump(resting.db, own)).toEqual(dump(busy.db, own))
})

test('a server has room for hundreds of worlds, each with its own keys and rows, and ends at once', async () => {
  const first = { seed: 'many', inventory: 20, clockMs: null, frozen: false, rateLimit: null }
  const worlds = new Worlds({
    ...{ dataDir: null, wall: wallClock, rules: RULES, hooks: NO_DEFECT_HOOKS, publicUrl: () => 'http://127.0.0.1' },
    ...{ first, firstKeys: randomKeys },
  })
  const keyIds: string[] = []
  for (let n = 0; n < 150; n++) {
    const world = worlds.create(`world-${n}`, { ...first, seed: `seed-${n % 3}` }, randomKeys)
    keyIds.push([...world.credentials.keys()][0] as string)
    await turn()
  }
  expect(worlds.list()).toHaveLength(151)
  for (const n of [0, 1, 75, 149]) {
    const found = worlds.findCredential(keyIds[n] as string)
    expect([found?.world?.name, found?.world?.chance.seed]).toEqual([`world-${n}`, `seed-${n % 3}`])
    expect(found?.world?.db.prepare('SELECT count(*) FROM listings').pluck().get()).toBe(20)
  }
  worlds.close()
  expect(worlds.list().filter(({ db }) => db.open)).toEqual([])
}, 30_000)
