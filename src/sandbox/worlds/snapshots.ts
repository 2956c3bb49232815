import type { WallClock } from '../../clock/wall-clock.ts'
import { SNAPSHOT_BYTES } from '../../contract/world-limits.ts'
import { bytesOf, type Db, openBytes, sizeOf } from '../../storage/database.ts'
import { UnsoundDatabaseError } from '../../storage/storage-error.ts'
import { openingJudged } from '../../storage/validate-snapshot.ts'
import { carryNonces } from '../app/authenticate/nonces.ts'
import type { Environment, Surroundings } from './environment.ts'
import { moveInto, moveTo, presentFacts } from './open-world.ts'
import { freshenKeys, freshKeys, keyRows, keysToKeep, setKeys } from './renew-keys.ts'
import { judgingValues } from './validate-values.ts'
import { clockOfSnapshot, judgedFacts, newPageKey, placed, saveFacts, type WorldFacts } from './world-facts.ts'

// For the operator API, which knows no storage.
export { UnsoundDatabaseError }

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
  world.commits.drain()
  world.coverage.save()
  refuseTooLarge(world)
  world.commits.commitNow(() => {
    const { snapshotMs: _before, ...facts } = presentFacts(world)
    const isRunning = facts.clock.mode === 'running'
    saveFacts(world.db, { ...facts, ...(isRunning && { snapshotMs: world.clock.nowMs() }) })
  })
  return bytesOf(world.db)
}

function refuseTooLarge({ db }: Environment): void {
  if (sizeOf(db) > SNAPSHOT_BYTES) throw new WorldTooLargeError('the world is larger than 1 GiB')
}

/** A database from outside in memory, and what it says of its world, once nothing speaks against either. */
export interface SoundSnapshot {
  db: Db
  facts: WorldFacts
}

/**
 * Judges a snapshot as strictly as a call of the API, in turns of the event loop.
 *
 * @throws UnsoundDatabaseError if the bytes are not a valid world.
 */
export function* judgingSnapshot(bytes: Uint8Array, wall: WallClock): Generator<void, SoundSnapshot> {
  let facts: WorldFacts | undefined
  const db = yield* openingJudged(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), function* (opened) {
    facts = judgedFacts(opened, wall)
    yield* judgingValues(opened)
  })
  return { db, facts: facts as WorldFacts }
}

/**
 * Takes a world to what a snapshot says, history, clock, settings and all. Its name and the keys of its credentials stay
 * (see {@link keysToKeep}), and so do the nonces that were used.
 *
 * @param isTaken see {@link keysToKeep}.
 */
export function restoreWorld(
  world: Environment,
  { db, facts }: SoundSnapshot,
  isTaken: (keyId: string) => boolean,
): void {
  world.commits.drain()
  const next = { ...placed(facts, world.name, world.shard), clock: clockOfSnapshot(facts, world.wall) }
  db.transaction(() => {
    keepKeys(world, db, isTaken)
    saveFacts(db, next)
  })()
  moveTo(world, db, next)
}

function keepKeys({ db: from, shard }: Environment, to: Db, isTaken: (keyId: string) => boolean): void {
  const kept = keysToKeep(keyRows(to), keyRows(from), isTaken)
  const idOf = new Map<number, number>()
  setKeys(to, (row) => {
    const keys = kept.get(row.id)
    if (keys === 'own' || keys === undefined) return row
    if (keys === 'fresh') return freshKeys(row, shard)
    idOf.set(keys.id, row.id)
    return keys
  })
  carryNonces(from, to, idOf)
}

/**
 * A copy of a world under another name, with fresh keys for all its credentials and for the tokens in its pages'
 * addresses. Both go on from here, each on its own.
 *
 * @param file where the copy is kept; null for memory.
 */
export function forkWorld(
  world: Environment,
  name: string,
  file: string | null,
  surroundings: Surroundings,
): Environment {
  world.commits.drain()
  world.coverage.save()
  refuseTooLarge(world)
  const facts = { ...presentFacts(world), gaps: world.gaps, name, pageKey: newPageKey() }
  return moveInto(file, openBytes(bytesOf(world.db)), (db) => freshenKeys(db, world.shard), facts, surroundings)
}

/**
 * Makes a world from a snapshot of any server. Its credentials keep their keys, unless one of them is in use here or leads
 * to another shard: then all get fresh ones, because the key alone decides which world answers (CRED-02).
 *
 * @param isTaken whether a key id is such a one.
 */
export function importWorld(
  { db, facts }: SoundSnapshot,
  name: string,
  file: string | null,
  isTaken: (keyId: string) => boolean,
  surroundings: Surroundings,
): Environment {
  const { shard = null, wall } = surroundings
  const next = { ...placed(facts, name, shard), clock: clockOfSnapshot(facts, wall) }
  const finish = () => {
    if (keyRows(db).some(({ keyId }) => isTaken(keyId))) freshenKeys(db, shard)
  }
  return moveInto(file, db, finish, next, surroundings)
}
