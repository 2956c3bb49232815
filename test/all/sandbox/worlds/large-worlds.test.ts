import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { wallClock } from '../../../../src/clock/wall-clock.ts'
import { RULES } from '../../../../src/contract/rules.ts'
import { isNonceKnown, useNonce } from '../../../../src/sandbox/app/authenticate/nonces.ts'
import { NO_DEFECT_HOOKS } from '../../../../src/sandbox/app/defect-hooks.ts'
import { seedInventory } from '../../../../src/sandbox/inventory/generate.ts'
import { addListing } from '../../../../src/sandbox/inventory/listings.ts'
import { randomKeys } from '../../../../src/sandbox/kernel/credentials.ts'
import { authNowMs } from '../../../../src/sandbox/kernel/world.ts'
import type { Environment } from '../../../../src/sandbox/worlds/environment.ts'
import { setSettings } from '../../../../src/sandbox/worlds/settings.ts'
import { isLarge } from '../../../../src/sandbox/worlds/snapshots.ts'
import { WorldGoneError, Worlds } from '../../../../src/sandbox/worlds/worlds.ts'
import { UnsoundDatabaseError } from '../../../../src/storage/storage-error.ts'
import { dump } from '../../../support/dump.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const START_MS = Date.UTC(2026, 0, 1)
const SMALL = { seed: 'large', inventory: 20, clockMs: START_MS, frozen: true, rateLimit: null }
const LARGE = { ...SMALL, inventory: 24_000 }
const NONCES = 5_000

interface Place {
  worlds: Worlds
  large: Environment
  /** All that belongs to large worlds, in the folders where it may be. */
  files(): string[]
}

async function place(dataDir: string | null): Promise<Place> {
  const worlds = new Worlds({
    ...{ dataDir, wall: wallClock, rules: RULES, hooks: NO_DEFECT_HOOKS, publicUrl: () => 'http://127.0.0.1' },
    ...{ first: SMALL, firstKeys: randomKeys },
  })
  const large = await worlds.createInTurns('large', LARGE, randomKeys)
  large.commits.commitNow(() => {
    for (let n = 0; n < NONCES; n++) useNonce(large.db, ownerIn(large), `nonce-${n}`, wallClock.nowMs())
  })
  const folders = dataDir === null ? [tmpdir(), '/dev/shm'].filter(existsSync) : [dataDir]
  const isOurs = (name: string) =>
    name.startsWith(`partner-sandbox-${process.pid}-`) || (dataDir !== null && !name.endsWith('-wal'))
  const files = () => folders.flatMap((folder) => readdirSync(folder).filter(isOurs)).sort()
  return { worlds, large, files }
}

function ownerIn({ credentials }: Environment): number {
  return [...credentials.values()][0]?.id as number
}

/** Two listings in one transaction, each turn, until the work is done. */
async function writingMeanwhile<Result>(
  world: Environment,
  work: Promise<Result>,
): Promise<Result & { turns: number }> {
  let isDone = false
  const done = work.finally(() => (isDone = true))
  let turns = 0
  while (!isDone) {
    turns += 1
    world.commits.commitNow(() => {
      for (const half of ['left', 'right']) addListing(world, { domain: `${half}-${turns}.test`, priceCents: 100 })
    })
    await new Promise((resolve) => setImmediate(resolve))
  }
  return Object.assign((await done) as Result & { turns: number }, { turns })
}

function halves({ db }: Environment): [left: number, right: number] {
  const count = db.prepare('SELECT count(*) FROM listings WHERE domain LIKE ?').pluck()
  return [Number(count.get('left-%')), Number(count.get('right-%'))]
}

const OWN = ['meta', 'credentials', 'nonces', 'nonce_generations']

describe.each([
  ['in memory', () => null],
  ['in a folder', tempFolder],
])('a large world %s', (_, folder: () => string | null) => {
  test('is forked while it is written: each of its transactions is in the copy as a whole or not at all', async () => {
    const { worlds, large, files } = await place(folder())
    expect(isLarge(large.db)).toBe(true)
    const before = files()
    const fork = await writingMeanwhile(large, worlds.fork(large, 'fork'))
    expect(fork.turns).toBeGreaterThan(3)
    const [left, right] = halves(fork)
    expect(left).toBe(right)
    expect(left).toBeLessThanOrEqual(fork.turns)
    expect(files().filter((file) => !before.includes(file) && file !== 'fork.sqlite')).toEqual([])
    expect(fork.db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(dump(fork.db, [...OWN, 'listings'])).toMatchObject({ orders: [] })
    expect(isNonceKnown(fork.db, ownerIn(fork), 'nonce-1')).toBe(false)
    worlds.close()
  })

  test('is saved while it is written, and restored and imported as it was, with the nonces of its clients', async () => {
    const { worlds, large, files } = await place(folder())
    const bytes = await writingMeanwhile(large, worlds.snapshot(large))
    const copy = await worlds.import(Buffer.from(bytes), 'copy')
    const [left, right] = halves(copy)
    expect(left).toBe(right)
    const before = files()
    const restoring = worlds.restore(large, bytes)
    useNonce(large.db, ownerIn(large), 'used meanwhile', wallClock.nowMs())
    await restoring
    expect(dump(large.db, OWN)).toEqual(dump(copy.db, OWN))
    for (const nonce of ['nonce-0', `nonce-${NONCES - 1}`, 'used meanwhile']) {
      expect([nonce, isNonceKnown(large.db, ownerIn(large), nonce)]).toEqual([nonce, true])
    }
    expect(files()).toEqual(before)
    worlds.close()
  })

  test('is reset to what its seed gives, with the nonces of its clients', async () => {
    const { worlds, large, files } = await place(folder())
    const drawn = dump(large.db, OWN)
    large.commits.commitNow(() => addListing(large, { domain: 'added.test', priceCents: 100 }))
    const before = files()
    const resetting = worlds.reset(large)
    useNonce(large.db, ownerIn(large), 'used meanwhile', wallClock.nowMs())
    await resetting
    expect(dump(large.db, OWN)).toEqual(drawn)
    for (const nonce of ['nonce-0', 'used meanwhile']) {
      expect([nonce, isNonceKnown(large.db, ownerIn(large), nonce)]).toEqual([nonce, true])
    }
    expect(files()).toEqual(before)
    worlds.close()
  })

  test.each<[string, (worlds: Worlds, large: Environment, bytes: Buffer) => Promise<unknown>]>([
    ['reset', (worlds, large) => worlds.reset(large)],
    ['restored', (worlds, large, bytes) => worlds.restore(large, bytes)],
  ])('that is %s keeps every nonce used meanwhile, where signatures go by a clock that is behind', async (_, work) => {
    const { worlds, large } = await place(folder())
    const bytes = await worlds.snapshot(large)
    setSettings(large, { authSkewSeconds: -600 })
    const used: string[] = []
    let isDone = false
    const done = work(worlds, large, bytes).finally(() => (isDone = true))
    while (!isDone) {
      // Before those that were carried first, in the order of their names.
      const nonce = `early-${used.length}`
      large.commits.commitNow(() => useNonce(large.db, ownerIn(large), nonce, authNowMs(large)))
      used.push(nonce)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await done
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((nonce) => !isNonceKnown(large.db, ownerIn(large), nonce))).toEqual([])
    worlds.close()
  })

  test('has the same listings as if they had been drawn one by one', async () => {
    const { worlds, large } = await place(folder())
    const one = (await worlds.createInTurns('one', SMALL, randomKeys)).db
    one.transaction(() => seedInventory(one, { seed: LARGE.seed, count: LARGE.inventory, nowMs: START_MS }))()
    const rows = 'SELECT * FROM listings ORDER BY id'
    expect(large.db.prepare(rows).raw().all()).toEqual(one.prepare(rows).raw().all())
    const about = "SELECT rowid FROM listing_index WHERE listing_index MATCH 'solar' ORDER BY rowid"
    expect(large.db.prepare(about).pluck().all()).toEqual(one.prepare(about).pluck().all())
    worlds.close()
  })

  test.each([
    ['forked', (worlds: Worlds, large: Environment) => worlds.fork(large, 'fork')],
    ['saved', (worlds: Worlds, large: Environment) => worlds.snapshot(large)],
    ['reset', (worlds: Worlds, large: Environment) => worlds.reset(large)],
  ])('leaves nothing behind where it is deleted while it is %s', async (_, work) => {
    const { worlds, large, files } = await place(folder())
    const before = files()
    const working = work(worlds, large)
    worlds.delete('large')
    await expect(working).rejects.toThrow(WorldGoneError)
    expect(files()).toEqual(before.filter((file) => file !== 'large.sqlite'))
    expect(worlds.list().map(({ name }) => name)).toEqual(['default'])
    await worlds.createInTurns('fork', SMALL, randomKeys)
    worlds.close()
  })

  test('is not restored from a snapshot that is damaged, and nothing is left of that', async () => {
    const { worlds, large, files } = await place(folder())
    const bytes = await worlds.snapshot(large)
    const before = { files: files(), rows: dump(large.db) }
    bytes.fill(7, bytes.length - 20_000)
    await expect(worlds.restore(large, bytes)).rejects.toThrow(UnsoundDatabaseError)
    expect({ files: files(), rows: dump(large.db) }).toEqual(before)
    worlds.close()
  })
})

/** What another process sees that opens the file of a world. */
const OPENING = `
  const db = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 })
  try { db.exec('BEGIN IMMEDIATE'); console.log('opened') } catch (error) { console.log(error.code) }
`

test('no other process can open a large world that was saved and forked', async () => {
  const folder = tempFolder()
  const { worlds, large } = await place(folder)
  await worlds.snapshot(large)
  await worlds.fork(large, 'fork')
  for (const name of ['large', 'fork']) {
    const { stdout } = spawnSync(process.execPath, ['-e', OPENING, join(folder, `${name}.sqlite`)], {
      encoding: 'utf8',
    })
    expect([name, stdout.trim()]).toEqual([name, 'SQLITE_BUSY'])
  }
  worlds.close()
})

test('a large world that cannot be finished leaves nothing in its folder', async () => {
  const { worlds, files } = await place(tempFolder())
  const before = files()
  const brokenKeys = () => {
    throw new Error('no keys')
  }
  await expect(worlds.createInTurns('another', LARGE, brokenKeys)).rejects.toThrow('no keys')
  expect(files()).toEqual(before)
  await worlds.createInTurns('another', SMALL, randomKeys)
  worlds.close()
})
