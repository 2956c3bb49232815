import { isDeepStrictEqual } from 'node:util'
import { inTurns, turnEachStep } from '../../clock/in-turns.ts'
import type { WallClock } from '../../clock/wall-clock.ts'
import { SNAPSHOT_BYTES } from '../../contract/limits.ts'
import type { Steps } from '../../contract/steps.ts'
import { COPIED_AT_ONCE_BYTES } from '../../storage/copy-in-turns.ts'
import { bytesOf, type Db, openBytes, sizeOf } from '../../storage/database.ts'
import { UnsoundDatabaseError } from '../../storage/storage-error.ts'
import { openingJudged } from '../../storage/validate-snapshot.ts'
import { carryingNonces, carryNonces, forgetNonces, forgettingNonces } from '../app/authenticate/nonces.ts'
import { authNowMs } from '../kernel/world.ts'
import type { Environment, Surroundings } from './environment.ts'
import { bytesInTurns, changedInTurns, copiedInTurns, judgedInTurns, orThrownAway } from './large-databases.ts'
import { freshKeys, keyRows, keysToKeep, renewKeys, setKeys } from './manage-credentials.ts'
import { moveInto, moveTo, presentFacts } from './open-world.ts'
import { judgingValues } from './validate-values.ts'
import {
  clockOfSnapshot,
  judgedFacts,
  loadFacts,
  newPageKey,
  placed,
  saveFacts,
  type WorldFacts,
} from './world-facts.ts'

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
  settleAll(world)
  world.commits.commitNow(() => {
    saveFacts(world.db, factsAt(world.clock.nowMs(), presentFacts(world)))
  })
  return bytesOf(world.db)
}

/** The same, of a large world in turns: as it stands at the end of them. */
export async function snapshotInTurns(world: Environment, refuseEnd: () => void): Promise<Buffer> {
  settleAll(world)
  if (!isLarge(world.db)) return snapshotOf(world)
  world.commits.commitNow(() => {})
  const finishing = (copy: Db) => saveFacts(copy, factsAt(world.clock.nowMs(), loadFacts(copy)))
  return bytesInTurns(world.db, finishing, refuseEnd)
}

/** What a snapshot says, which was taken at this instant of its world. */
function factsAt(nowMs: number, { snapshotMs: _before, ...facts }: WorldFacts): WorldFacts {
  return facts.clock.mode === 'running' ? { ...facts, snapshotMs: nowMs } : facts
}

/** Nothing waits to be written then. */
function settleAll(world: Environment): void {
  world.commits.drain()
  world.coverage.save()
  refuseTooLarge(world)
}

export function isLarge(db: Db): boolean {
  return sizeOf(db) > COPIED_AT_ONCE_BYTES
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
 * The same for bytes of any size. A large one is judged in another thread, and its bytes are gone for the caller then.
 *
 * @param file of the world that it is for; null for memory.
 */
export async function soundSnapshot(
  bytes: Uint8Array,
  wall: WallClock,
  file: string | null,
  refuseEnd: () => void,
): Promise<SoundSnapshot> {
  if (bytes.length <= COPIED_AT_ONCE_BYTES) return inTurns(judgingSnapshot(bytes, wall), turnEachStep(refuseEnd))
  const db = await judgedInTurns(bytes, file, refuseEnd)
  return orThrownAway(db, () => ({ db, facts: judgedFacts(db, wall) }))
}

/**
 * Takes a world to what a snapshot says, history, clock, settings and all. Its name and the keys of its credentials stay
 * (see {@link keysToKeep}), and so do the nonces that were used.
 *
 * @param isTaken whether another world has a key id.
 * @param carried what {@link carryingIntoSnapshot} has done of it.
 */
export function restoreWorld(
  world: Environment,
  { db, facts }: SoundSnapshot,
  isTaken: IsTaken,
  carried?: Carried,
): void {
  world.commits.drain()
  const next = { ...placed(facts, world.name, world.shard), clock: clockOfSnapshot(facts, world.wall) }
  db.transaction(() => {
    keepKeys(world, db, isTaken, carried)
    saveFacts(db, next)
  })()
  moveTo(world, db, next)
}

/**
 * Carries the nonces of a world before it is restored, in turns.
 *
 * @returns how {@link restoreWorld} goes on from there.
 */
export function* carryingIntoSnapshot(world: Environment, { db }: SoundSnapshot, isTaken: IsTaken): Steps<Carried> {
  const carried = { idOf: keptIds(keptKeys(world.db, db, isTaken)), sinceMs: authNowMs(world) }
  yield* forgettingNonces(db)
  yield* carryingNonces(world.db, db, (id) => carried.idOf.get(id))
  return carried
}

/** Which nonces were carried: those used before, under the row number that each credential gets. */
interface Carried {
  readonly idOf: ReadonlyMap<number, number>
  readonly sinceMs: number
}

type IsTaken = (keyId: string) => boolean
type KeptKeys = ReturnType<typeof keysToKeep>

function keptKeys(from: Db, to: Db, isTaken: IsTaken): KeptKeys {
  return keysToKeep(keyRows(to), keyRows(from), isTaken)
}

/** By the row number of a credential in the world that is left, that in the one that is restored. */
function keptIds(kept: KeptKeys): Map<number, number> {
  return new Map([...kept].flatMap(([id, keys]) => (typeof keys === 'string' ? [] : [[keys.id, id] as const])))
}

function keepKeys({ db: from, shard }: Environment, to: Db, isTaken: IsTaken, carried?: Carried): void {
  const kept = keptKeys(from, to, isTaken)
  const idOf = keptIds(kept)
  const isCarried = carried !== undefined && isDeepStrictEqual(carried.idOf, idOf)
  if (!isCarried) forgetNonces(to)
  setKeys(to, (row) => {
    const keys = kept.get(row.id)
    if (keys === 'own' || keys === undefined) return row
    return keys === 'fresh' ? freshKeys(row, shard) : keys
  })
  carryNonces(from, to, (id) => idOf.get(id), isCarried ? carried.sinceMs : undefined)
}

/**
 * A copy of a world under another name, with fresh keys for all its credentials and for the tokens in its pages'
 * addresses. Both go on from here, each on its own.
 *
 * @param file where the copy is kept; null for memory.
 * @param copied its database, which becomes that of the copy.
 */
export function forkWorld(
  world: Environment,
  name: string,
  file: string | null,
  surroundings: Surroundings,
  copied = copyOf(world),
): Environment {
  // What was copied in turns is older than what the world says now.
  const said = isLarge(copied) ? loadFacts(copied) : presentFacts(world)
  const facts = { ...said, gaps: world.gaps, name, pageKey: newPageKey() }
  return moveInto(file, copied, (db) => renewKeys(db, world.shard), facts, surroundings)
}

function copyOf(world: Environment): Db {
  settleAll(world)
  return openBytes(bytesOf(world.db))
}

/** A copy of the database of a world for {@link forkWorld}, in turns where it is large. */
export async function copyOfInTurns(world: Environment, refuseEnd: () => void): Promise<Db> {
  settleAll(world)
  if (!isLarge(world.db)) return copyOf(world)
  const copied = await copiedInTurns(world.db, refuseEnd)
  return orThrownAway(copied, async () => {
    await changedInTurns(copied, forgettingNonces(copied), refuseEnd)
    return copied
  })
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
    if (keyRows(db).some(({ keyId }) => isTaken(keyId))) renewKeys(db, shard)
  }
  return moveInto(file, db, finish, next, surroundings)
}
