import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useNonce } from '../../../src/sandbox/app/checks.ts'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { audit } from '../../../src/sandbox/reports/audit.ts'
import { forkWorld, snapshotOf } from '../../../src/sandbox/worlds/snapshots.ts'
import { dump } from '../../support/dump.ts'
import { anyHistory } from '../../support/history-acts.ts'
import { MoneyHistory } from '../../support/money-history.ts'
import { size } from '../../support/size.ts'
import { castMember, restoreNow, setWall, testServerParts, testWorld } from '../../support/world.ts'

type Acts = Parameters<MoneyHistory['play']>[0]

/** Each history sells names of its own. */
function play(world: Environment, acts: Acts, when: 'past' | 'future'): void {
  new MoneyHistory(world, when === 'past' ? 0 : 1_000).play(acts)
}

test('snapshot, two futures, restore: the same history to the byte, whatever it was', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, anyHistory, async (past, future) => {
      const world = testWorld({ inventory: 5 })
      play(world, past, 'past')
      const bytes = snapshotOf(world)
      const before = dump(world.db, [])
      play(world, future, 'future')
      const played = dump(world.db, [])
      expect(played).not.toEqual(before)
      restoreNow(world, Buffer.from(bytes))
      expect(dump(world.db, [])).toEqual(before)
      play(world, future, 'future')
      expect(dump(world.db, [])).toEqual(played)
      expect((await audit(world)).differences).toEqual([])
      world.db.close()
    }),
    { numRuns: size(2, 8) },
  )
})

test('a fork goes its own way: the same acts lead to the same, others to others, and neither sees the other', () => {
  const world = testWorld({ inventory: 5 })
  const [past, one, other] = fc.sample(anyHistory, { numRuns: 3, seed: 7 }) as unknown as [Acts, Acts, Acts]
  play(world, past, 'past')
  const twin = forkWorld(world, 'twin', null, testServerParts())
  const different = forkWorld(world, 'different', null, testServerParts())
  const own = ['meta', 'credentials', 'nonces', 'nonce_generations']
  expect(dump(twin.db, own)).toEqual(dump(world.db, own))
  play(world, one, 'future')
  const future = dump(world.db, own)
  play(different, other, 'future')
  play(twin, one, 'future')
  expect(dump(twin.db, own)).toEqual(future)
  expect(dump(world.db, own)).toEqual(future)
  expect(dump(different.db, own)).not.toEqual(future)
})

test('a fork has the cast of its original with its partners, and not one of its keys', () => {
  const world = testWorld()
  const fork = forkWorld(world, 'fork', null, testServerParts())
  const told = (one: Environment) =>
    [...one.credentials.values()].map(({ name, partnerId, scopes, affiliate, merchantOfRecord, revoked }) => ({
      name,
      partnerId,
      scopes: [...scopes],
      affiliate,
      merchantOfRecord,
      revoked,
    }))
  expect(told(fork)).toEqual(told(world))
  const keys = [world, fork].flatMap(({ credentials }) => [...credentials.values()])
  expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(keys.length)
  expect(new Set(keys.map(({ secret }) => secret)).size).toBe(keys.length)
  expect(Buffer.from(fork.pageKey())).not.toEqual(Buffer.from(world.pageKey()))
})

test('a running clock goes on from where it stood in the snapshot, a frozen one stands there', () => {
  const wall = setWall()
  const running = testWorld({ wall, frozen: false })
  const bytes = snapshotOf(running)
  const stoodMs = running.clock.nowMs()
  wall.setMs(wall.nowMs() + 3_600_000)
  expect(running.clock.nowMs()).toBe(stoodMs + 3_600_000)
  restoreNow(running, bytes)
  expect(running.clock.nowMs()).toBe(stoodMs)
  wall.setMs(wall.nowMs() + 1_000)
  expect(running.clock.nowMs()).toBe(stoodMs + 1_000)
})

test('whoever calls a world keeps its key when a snapshot of another one is restored into it', () => {
  const world = testWorld()
  const other = testWorld({ seed: 'other' })
  const keyId = castMember(world, 'main').keyId
  restoreNow(world, snapshotOf(other))
  expect(castMember(world, 'main')).toMatchObject({ keyId, partnerId: castMember(other, 'main').partnerId })
  expect(world.chance.seed).toBe('other')
  expect(world.name).toBe('test')
})

test('a nonce that was used stays used', () => {
  const world = testWorld()
  const bytes = snapshotOf(world)
  const { id } = castMember(world, 'main')
  const use = world.db.prepare('INSERT INTO nonces (credential, nonce, used_at) VALUES (?, ?, ?)')
  use.run(id, 'used-since', 1)
  restoreNow(world, bytes)
  expect(world.db.prepare('SELECT credential, nonce FROM nonces').raw().all()).toEqual([[id, 'used-since']])
})

test('a nonce that nobody else may use either stays used, too', () => {
  const world = testWorld({ gaps: { 'nonce-within': 'environment' } })
  const bytes = snapshotOf(world)
  const nowMs = world.wall.nowMs()
  expect(useNonce(world.db, 0, 'everybody’s', nowMs)).toBe(true)
  expect(useNonce(world.db, -7, 'a partner’s', nowMs)).toBe(true)
  restoreNow(world, bytes)
  expect(useNonce(world.db, 0, 'everybody’s', nowMs)).toBe(false)
  expect(useNonce(world.db, -7, 'a partner’s', nowMs)).toBe(false)
})

test('a credential that was deleted since comes back as it was, and one that was made since is gone', () => {
  const world = testWorld()
  const { keyId, secret } = castMember(world, 'only-buy')
  const bytes = snapshotOf(world)
  world.db.exec("UPDATE credentials SET deleted = 1, secret = 'sk_deleted' WHERE name = 'only-buy'")
  world.db.exec(
    `INSERT INTO credentials (key_id, secret, name, partner_id, scopes, affiliate, merchant_of_record, revoked, created_at)
     VALUES ('pk_sandbox_new', 'sk_sandbox_new', 'new', 'ptr_a', '', 1, 1, 0, 0)`,
  )
  restoreNow(world, bytes)
  expect(castMember(world, 'only-buy')).toMatchObject({ keyId, secret })
  expect(world.credentials.has('pk_sandbox_new')).toBe(false)
})
