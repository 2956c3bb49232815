import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { inTurns, turnEachStep } from '../../clock/in-turns.ts'
import { callAfter } from '../../clock/wall-clock.ts'
import type { Steps } from '../../contract/steps.ts'
import { copyLasting, copyPrivate } from '../../storage/copy-in-turns.ts'
import { type Db, openDatabase, setDurability, withoutLog } from '../../storage/database.ts'
import { throwAway } from '../../storage/database-lru.ts'
import { letGo, namelessFile, settled } from '../../storage/nameless-file.ts'
import { UnsoundDatabaseError } from '../../storage/storage-error.ts'
import { removeDatabase, unfinishedBeside } from '../../storage/write-atomically.ts'
import type { InventoryOptions } from '../inventory/generate.ts'
import { carryingOut, type LargeWork, type Target } from './large-work.ts'
import type { ThreadFailure } from './large-work-thread.ts'

// Databases that take longer to make than others may wait. Each function ends with a database that is whole, or throws and
// leaves nothing; `refuseEnd` throws when it is not wanted any more.

/** A copy of a database that goes on being used: a private one, or an unfinished file beside the original. */
export async function copiedInTurns(db: Db, refuseEnd: () => void): Promise<Db> {
  if (!db.isPrivate) return openDatabase(await copiedFile(db, refuseEnd))
  const copy = await copyPrivate(db, refuseEnd)
  await copy.handle.close()
  return copy.db
}

/** @returns its unfinished place. */
async function copiedFile(db: Db, refuseEnd: () => void): Promise<string> {
  const place = unfinishedBeside(db.name)
  await copyLasting(db, place, refuseEnd)
  return orRemoved(place, () => carriedOut({ kind: 'join', path: place }, refuseEnd))
}

/**
 * The bytes of a copy.
 *
 * @param finishing writes the last of it.
 */
export async function bytesInTurns(db: Db, finishing: (copy: Db) => void, refuseEnd: () => void): Promise<Buffer> {
  return withoutLog(await (db.isPrivate ? bytesOfPrivate : bytesOfLasting)(db, finishing, refuseEnd))
}

const bytesOfPrivate: typeof bytesInTurns = async (db, finishing, refuseEnd) => {
  const copy = await copyPrivate(db, refuseEnd)
  try {
    finishing(copy.db)
    return await copy.handle.readFile()
  } finally {
    await letGo(copy)
  }
}

const bytesOfLasting: typeof bytesInTurns = async (db, finishing, refuseEnd) => {
  const place = await copiedFile(db, refuseEnd)
  try {
    const copy = openDatabase(place)
    try {
      finishing(copy)
    } finally {
      copy.close()
    }
    return await readFile(place)
  } finally {
    removeDatabase(place)
  }
}

/**
 * A database from outside, once it is judged.
 *
 * @param bytes are gone for the caller.
 * @param file that it is to become; null for a private one.
 * @throws UnsoundDatabaseError
 */
export function judgedInTurns(bytes: Uint8Array, file: string | null, refuseEnd: () => void): Promise<Db> {
  return writtenAside(file, bytes.length, (target) => ({ kind: 'judge', target, bytes }), refuseEnd)
}

/** A copy of a private database as the unfinished file of a world. */
export async function writtenInTurns(db: Db, file: string, refuseEnd: () => void): Promise<Db> {
  const bytes = await bytesInTurns(db, () => {}, refuseEnd)
  const place = unfinishedBeside(file)
  return openDatabase(await orRemoved(place, () => writeFile(place, bytes, { mode: 0o600, flag: 'wx', flush: true })))
}

/** Leaves nothing of a database where what is to become of it fails. */
export async function orThrownAway<Result>(unfinished: Db, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throwAway(unfinished)
    throw error
  }
}

/** Changes a database that is thrown away where this fails, so nothing of it need be safe before the end. */
export async function changedInTurns<Result>(db: Db, steps: Steps<Result>, refuseEnd: () => void): Promise<Result> {
  setDurability(db, 'process-death')
  const result = await inTurns(steps, turnEachStep(refuseEnd))
  setDurability(db, 'power-loss')
  return result
}

/** About what a listing takes. */
const BYTES_A_LISTING = 250

/** A database with nothing in it but an inventory. */
export function drawnAside(options: InventoryOptions, file: string | null, refuseEnd: () => void): Promise<Db> {
  const { seed, count, nowMs } = options
  const work = (target: Target): LargeWork => ({ kind: 'draw', target, options: { seed, count, nowMs } })
  return writtenAside(file, count * BYTES_A_LISTING, work, refuseEnd)
}

async function writtenAside(
  file: string | null,
  bytes: number,
  workOn: (target: Target) => LargeWork,
  refuseEnd: () => void,
): Promise<Db> {
  if (file !== null) {
    const path = unfinishedBeside(file)
    return openDatabase(await orRemoved(path, () => carriedOut(workOn({ path, isLasting: true }), refuseEnd)))
  }
  const made = await namelessFile(bytes)
  try {
    await carriedOut(workOn({ path: made.path, isLasting: false }), refuseEnd)
    await made.handle.close()
    return settled(made.db)
  } catch (error) {
    await letGo(made)
    throw error
  }
}

async function orRemoved(place: string, work: () => Promise<void>): Promise<string> {
  try {
    await work()
    return place
  } catch (error) {
    removeDatabase(place)
    throw error
  }
}

/** In another thread; a thread is started from a built file, and tests that run the sources have none. */
function carriedOut(work: LargeWork, refuseEnd: () => void): Promise<void> {
  const isBuilt = import.meta.url.endsWith('.js')
  return isBuilt ? inThread(work, refuseEnd) : inTurns(carryingOut(work), turnEachStep(refuseEnd))
}

async function inThread(work: LargeWork, refuseEnd: () => void): Promise<void> {
  const worker = new Worker(new URL('./large-work-thread.js', import.meta.url), {
    workerData: work,
    transferList: work.kind === 'judge' ? ownBufferOf(work.bytes) : [],
  })
  const end = new AbortController()
  const letBe = askAtIntervals(refuseEnd, (refusal) => end.abort(refusal))
  try {
    const [failure] = (await once(worker, 'message', { signal: end.signal })) as [ThreadFailure]
    if (failure) throw asThrown(failure)
    refuseEnd()
  } catch (error) {
    throw end.signal.aborted ? end.signal.reason : error
  } finally {
    letBe()
    // It may still be writing.
    await worker.terminate()
  }
}

/** Bytes that share their memory with others are copied instead. */
function ownBufferOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

const ASKED_EVERY_MS = 50

/** @returns ends it. */
function askAtIntervals(refuseEnd: () => void, onRefused: (refusal: unknown) => void): () => void {
  const ask = () => {
    try {
      refuseEnd()
      alarm = callAfter(ASKED_EVERY_MS, ask)
    } catch (refusal) {
      onRefused(refusal)
    }
  }
  let alarm = callAfter(ASKED_EVERY_MS, ask)
  return () => alarm.cancel()
}

function asThrown({ message, code, isUnsound }: NonNullable<ThreadFailure>): Error {
  return isUnsound ? new UnsoundDatabaseError(message) : Object.assign(new Error(message), { code })
}
