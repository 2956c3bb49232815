import { existsSync } from 'node:fs'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { AwakeList } from './awake-list.ts'
import { bytesOf, type Db, openBytes, openDatabase, sizeOf } from './database.ts'
import { replaceDatabase } from './replace-database.ts'
import { syncFolderOf, unname } from './write-atomically.ts'

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
