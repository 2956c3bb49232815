import { WorldClock } from '../../clock/world-clock.ts'
import { SNAPSHOT_BYTES } from '../../contract/limits.ts'
import { openForeign } from '../../storage/check-file.ts'
import { bytesOf, copyTable, type Db, openBytes, sizeOf } from '../../storage/db.ts'
import { InvalidDatabaseError } from '../../storage/storage-error.ts'
import { carryNonces, forgetNonces } from '../app/checks.ts'
import type { Environment } from '../app/environment.ts'
import type { InventoryOptions } from '../inventory/generate.ts'
import { freshKeys, keyRows, keysToKeep, renewKeys, setKeys } from './manage-credentials.ts'
import { replace, worldFrom } from './open-world.ts'
import { templateOf } from './templates.ts'
import {
  checkedFacts,
  clockOfSnapshot,
  newPageKey,
  placed,
  presentFacts,
  type StoredWorldFacts,
  saveFacts,
  startOfClock,
} from './world-facts.ts'
import type { ServerParts } from './world-options.ts'

// For the operator API, which knows no storage.
export { InvalidDatabaseError }

// A world is saved, forked, restored, imported and reset by copying its whole database, which takes about 10 ms a megabyte.

/** A world that has grown beyond {@link SNAPSHOT_BYTES}. */
export class WorldTooLargeError extends Error {
  override name = 'WorldTooLargeError'
}

/**
 * A world as one SQLite file: everything in it but the request log, and the time of its clock.
 *
 * @throws WorldTooLargeError
 */
export function snapshotOf(world: Environment): Buffer {
  settleAll(world)
  world.commits.commitNow(() => {
    const facts = presentFacts(world)
    const isRunning = facts.clock.mode === 'running'
    saveFacts(world.db, isRunning ? { ...facts, snapshotMs: world.clock.nowMs() } : facts)
  })
  return bytesOf(world.db)
}

/** Nothing waits to be written then. */
function settleAll(world: Environment): void {
  world.commits.drain()
  world.coverage.save()
  if (sizeOf(world.db) > SNAPSHOT_BYTES) throw new WorldTooLargeError('the world is larger than 1 GiB')
}

/** A database from outside in memory, and what it says of its world. */
export interface Snapshot {
  db: Db
  facts: StoredWorldFacts
}

/** @throws InvalidDatabaseError if the bytes are not a world of this version. */
export function openSnapshot(bytes: Uint8Array, { wall }: Pick<ServerParts, 'wall'>): Snapshot {
  const db = openForeign(bytes)
  try {
    return { db, facts: checkedFacts(db, wall) }
  } catch (error) {
    db.close()
    throw error
  }
}

type IsTaken = (keyId: string) => boolean

/**
 * Takes a world to what a snapshot says, history, clock, settings and all. Its name and the keys of its credentials stay
 * (see {@link keysToKeep}), and so do the nonces that were used.
 *
 * @param isTaken whether another world has a key id.
 */
export function restoreWorld(world: Environment, { db, facts }: Snapshot, isTaken: IsTaken): void {
  world.commits.drain()
  const next = { ...placed(facts, world.name, world.shard), clock: clockOfSnapshot(facts, world.wall) }
  inTransaction(db, () => {
    keepKeys(world, db, isTaken)
    saveFacts(db, next)
  })
  replace(world, db, next)
}

function keepKeys({ db: from, shard }: Environment, to: Db, isTaken: IsTaken): void {
  const kept = keysToKeep(keyRows(to), keyRows(from), isTaken)
  // By the row number of a credential in the world that is left, that in the one that is restored.
  const idOf = new Map([...kept].flatMap(([id, keys]) => (typeof keys === 'string' ? [] : [[keys.id, id] as const])))
  forgetNonces(to)
  setKeys(to, (row) => {
    const keys = kept.get(row.id)
    if (keys === 'own' || keys === undefined) return row
    return keys === 'fresh' ? freshKeys(row, shard) : keys
  })
  carryNonces(from, to, (id) => idOf.get(id))
}

/**
 * A copy of a world under another name, with fresh keys for all its credentials and for the tokens in its pages'
 * addresses. Both go on from here, each on its own.
 *
 * @param file where the copy is kept; null for memory.
 */
export function forkWorld(world: Environment, name: string, file: string | null, parts: ServerParts): Environment {
  settleAll(world)
  const facts = { ...presentFacts(world), name, pageKey: newPageKey() }
  return worldFrom(openBytes(bytesOf(world.db)), file, facts, parts, (db) => renewKeys(db, world.shard))
}

/**
 * Makes a world from a snapshot of any server. Its credentials keep their keys, unless one of them is in use here or leads
 * to another shard: then all get fresh ones, because the key alone decides which world answers (CRED-02).
 *
 * @param isTaken whether a key id is such a one.
 */
export function importWorld(
  { db, facts }: Snapshot,
  name: string,
  file: string | null,
  isTaken: IsTaken,
  parts: ServerParts,
): Environment {
  const { shard = null, wall } = parts
  const next = { ...placed(facts, name, shard), clock: clockOfSnapshot(facts, wall) }
  return worldFrom(db, file, next, parts, () => {
    if (keyRows(db).some(({ keyId }) => isTaken(keyId))) renewKeys(db, shard)
  })
}

/** The inventory that a reset brings back. */
export function inventoryAtStart(world: Environment): InventoryOptions {
  const { chance, settings, start, wall } = world
  return { seed: chance.seed, count: settings.inventory, nowMs: start.clockMs ?? wall.nowMs() }
}

/**
 * Takes a world back to its seed: inventory, prices and clock as at the start, no orders, no events. Credentials, nonces and settings
 * stay.
 */
export function resetWorld(world: Environment, template = templateOf(inventoryAtStart(world))): void {
  const { wall, settings } = world
  const clock = startOfClock(world.start, wall)
  const progress = { ...settings.progress, sinceMs: new WorldClock(wall, clock).nowMs() }
  const next = { ...presentFacts(world), settings: { ...settings, progress }, clock, pageKey: newPageKey() }
  world.commits.drain()
  const db = openBytes(template)
  inTransaction(db, () => {
    copyTable(world.db, db, 'credentials')
    // Credentials keep their row numbers.
    carryNonces(world.db, db, (id) => id)
    saveFacts(db, next)
  })
  replace(world, db, next)
}

/** Prepares a database that is to take the place of a world's; it is closed where that fails. */
function inTransaction(db: Db, work: () => void): void {
  try {
    db.transaction(work)()
  } catch (error) {
    db.close()
    throw error
  }
}
