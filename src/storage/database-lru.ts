import { existsSync } from 'node:fs'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { bytesOf, type Db, openBytes, openDatabase, sizeOf } from './database.ts'
import { finish, removeDatabase, syncFolderOf, UNFINISHED, unname, writeUnfinished } from './write-atomically.ts'

/**
 * Holds the database of a world. One in memory may be put to rest while others are busy: its bytes, compressed, take a
 * tenth of what a connection with its caches takes, and whoever asks for it next finds it as it was, a millisecond later.
 */
export interface DatabaseKeeper {
  /** The database, to be asked for anew in each turn of the event loop. */
  current(): Db
  /** When it was asked for last, in numbers of {@link AwakeList.use}. */
  readonly lastUse: number
  /** Puts it to rest, between two turns. */
  rest(): void
  /**
   * Holds another one from now on, which becomes the file where there is one; the one before is closed. Fails, where the file
   * cannot be written, with nothing changed.
   *
   * @param next in memory, or the unfinished file of this one.
   * @returns makes sure that it outlives the machine, or throws.
   */
  replace(next: Db): () => void
  /** Takes the name of its file. Fails, where that cannot be, with nothing changed. */
  unname(): void
  /** Closes it for ever, awake or not. */
  close(): void
}

/** More takes too long to be compressed between two calls. */
const MOST_RESTING_BYTES = 4 * 1024 * 1024

/** @param file of the database; null for one in memory. */
export function keepDatabase(first: Db, awake: AwakeList, file: string | null): DatabaseKeeper {
  let db = first
  let packed: Buffer | null = null
  let lastUse = awake.use()
  // Closed while something was to become of its file.
  let isAway = false

  function wake(bytes: Buffer): void {
    db = openBytes(inflateRawSync(bytes), db.changes)
    packed = null
    awake.add(keeper)
  }

  /** Whatever was to become of its file, and whether that went well, it is whole. */
  function reopen(whole: string): void {
    try {
      if (existsSync(whole)) db = openDatabase(whole)
    } catch {
      // It stays closed, and the next use tries again.
    }
  }

  const keeper: DatabaseKeeper = {
    current() {
      if (packed) wake(packed)
      if (file !== null && isAway && !db.open) reopen(file)
      lastUse = awake.use()
      return db
    },
    get lastUse() {
      return lastUse
    },
    rest() {
      if (packed || !db.open || db.inTransaction || sizeOf(db) > MOST_RESTING_BYTES) return
      packed = deflateRawSync(bytesOf(db), { level: 1 })
      db.close()
    },
    replace(next) {
      const old = keeper.current()
      if (file === null) {
        old.close()
        db = next
        return () => {}
      }
      isAway = true
      replaceDatabase(old, next, file)
      awake.remove(keeper)
      return () => syncFolderOf(file)
    },
    unname() {
      if (file === null) return
      isAway = true
      if (!db.memory) db.close()
      unname(file)
    },
    close() {
      isAway = false
      packed = null
      if (db.open) db.close()
      awake.remove(keeper)
    },
  }
  if (db.memory) awake.add(keeper)
  return keeper
}

/** The databases in memory that are not at rest. */
export interface AwakeList {
  /** @returns a number that is higher with each use of any of them. */
  use(): number
  add(keeper: DatabaseKeeper): void
  remove(keeper: DatabaseKeeper): void
}

/** Few servers ever have more worlds in use at once; 64 test files in parallel have 64. */
const MOST_AWAKE = 128

/**
 * Keeps so many databases awake: the one that was not used for longest is put to rest when there are more, one in a turn of
 * the event loop.
 */
export function createAwakeList(most = MOST_AWAKE): AwakeList {
  const awake = new Set<DatabaseKeeper>()
  let uses = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || awake.size <= most) return
    isScheduled = true
    setImmediate(restOne)
  }

  function restOne(): void {
    isScheduled = false
    const idle = leastRecent()
    if (idle && awake.size > most) {
      awake.delete(idle)
      idle.rest()
    }
    schedule()
  }

  function leastRecent(): DatabaseKeeper | null {
    let found: DatabaseKeeper | null = null
    for (const keeper of awake) if (!found || keeper.lastUse < found.lastUse) found = keeper
    return found
  }

  return {
    use: () => ++uses,
    add(keeper) {
      awake.add(keeper)
      schedule()
    },
    remove: (keeper) => awake.delete(keeper),
  }
}

/**
 * Puts a database in the place of the one of a file. Both are closed then, and whoever wants it opens the file.
 *
 * @param next in memory, or the unfinished file of the one that it is to replace.
 * @throws where the file cannot be written; then it is as before.
 */
export function replaceDatabase(old: Db, next: Db, file: string): void {
  try {
    if (next.memory) writeUnfinished(file, bytesOf(next))
    next.close()
    // Nothing may be left in the log: it would be played into the new file if the process died now.
    if (!old.memory) old.pragma('wal_checkpoint(TRUNCATE)')
    // What stands in for a file that cannot be used is needed until that one is replaced.
    if (!old.memory) old.close()
    finish(file)
    old.close()
  } catch (error) {
    next.close()
    removeDatabase(file + UNFINISHED)
    throw error
  }
}
