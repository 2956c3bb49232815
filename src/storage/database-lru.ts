import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib'
import { bytesOf, type Db, openBytes, openDatabase, sizeOf } from './database.ts'
import { finish, removeDatabase, syncFolderOf, UNFINISHED, unname, writeUnfinished } from './write-atomically.ts'

/** More takes too long to be opened again between two calls. */
const MOST_RESTING_BYTES = 4 * 1024 * 1024
/** More takes too long to be compressed between two calls. */
const PACKED_AT_ONCE_BYTES = 512 * 1024
const FAST = { level: 1 }
const deflate = promisify(deflateRaw)

/**
 * Holds the database of a world. One in memory may be put to rest while others are busy: its bytes, compressed, take a
 * tenth of what a connection with its caches takes, and the next user finds it as it was, a millisecond later.
 */
export class RestingDatabase {
  readonly #awake: DatabaseLru
  readonly #file: string | null
  #db: Db
  #packed: Buffer | null = null
  #lastUse: number
  /** Closed while something was to become of its file. */
  #isAway = false

  /** @param file of the database; null for one in memory. */
  constructor(first: Db, awake: DatabaseLru, file: string | null) {
    this.#db = first
    this.#awake = awake
    this.#file = file
    this.#lastUse = awake.use()
    if (first.isPrivate) awake.add(this)
  }

  /** The database, to be asked for again in each turn of the event loop. */
  current(): Db {
    if (this.#packed) this.#wake(this.#packed)
    if (this.#isAway && !this.#db.open) this.#reopen()
    this.#lastUse = this.#awake.use()
    return this.#db
  }

  /** When it was asked for last, in numbers of {@link DatabaseLru.use}. */
  get lastUse(): number {
    return this.#lastUse
  }

  /** Puts it to rest, between two turns; a large one unless it is used before it is compressed. */
  async rest(): Promise<void> {
    const db = this.#db
    if (this.#packed || !db.open || db.inTransaction || sizeOf(db) > MOST_RESTING_BYTES) return
    const lastUse = this.#lastUse
    const bytes = bytesOf(db)
    const packed = bytes.length > PACKED_AT_ONCE_BYTES ? await deflate(bytes, FAST) : deflateRawSync(bytes, FAST)
    if (this.#db !== db || !db.open) return
    if (this.#lastUse === lastUse) this.#pack(packed)
    else this.#awake.add(this)
  }

  #pack(packed: Buffer): void {
    this.#packed = packed
    this.#db.close()
  }

  /**
   * Holds another one from now on, which becomes the file where there is one; the one before is closed. Fails, where the
   * file cannot be written, with nothing changed.
   *
   * @param next in memory, or the unfinished file of this one.
   * @returns makes sure that it outlives the machine, or throws.
   */
  replace(next: Db): () => void {
    const old = this.current()
    const file = this.#file
    if (file === null) {
      old.close()
      this.#db = next
      return () => {}
    }
    this.#isAway = true
    replaceDatabase(old, next, file)
    this.#awake.remove(this)
    return () => syncFolderOf(file)
  }

  /** Takes the name of its file. Fails, where that cannot be, with nothing changed. */
  unname(): void {
    if (this.#file === null) return
    this.#isAway = true
    if (!this.#db.isPrivate) this.#db.close()
    unname(this.#file)
  }

  /** Closes it for ever, awake or not. */
  close(): void {
    this.#isAway = false
    this.#packed = null
    if (this.#db.open) this.#db.close()
    this.#awake.remove(this)
  }

  #wake(bytes: Buffer): void {
    this.#db = openBytes(inflateRawSync(bytes), this.#db.changes)
    this.#packed = null
    this.#awake.add(this)
  }

  /** It is whole, no matter what became of its file. */
  #reopen(): void {
    try {
      if (this.#file !== null && existsSync(this.#file)) this.#db = openDatabase(this.#file)
    } catch {
      // It stays closed, and the next use tries again.
    }
  }
}

/** Few servers ever have more worlds in use at once; 64 test files in parallel have 64. */
const MOST_AWAKE = 128

/**
 * The databases in memory that are not at rest. The one that was not used for longest is put to rest when there are too many,
 * one in a turn of the event loop.
 */
export class DatabaseLru {
  readonly #most: number
  readonly #awake = new Set<RestingDatabase>()
  #uses = 0
  #isScheduled = false

  constructor(most = MOST_AWAKE) {
    this.#most = most
  }

  /** @returns a number that is higher with each use of any of them. */
  use(): number {
    return ++this.#uses
  }

  add(keeper: RestingDatabase): void {
    this.#awake.add(keeper)
    this.#schedule()
  }

  remove(keeper: RestingDatabase): void {
    this.#awake.delete(keeper)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#awake.size <= this.#most) return
    this.#isScheduled = true
    setImmediate(() => this.#restOne())
  }

  #restOne(): void {
    this.#isScheduled = false
    const idle = this.#leastRecent()
    if (idle && this.#awake.size > this.#most) {
      this.#awake.delete(idle)
      // A failure leaves it awake, and it is asked again when it is next woken.
      idle.rest().catch(() => {})
    }
    this.#schedule()
  }

  #leastRecent(): RestingDatabase | null {
    let found: RestingDatabase | null = null
    for (const keeper of this.#awake) if (!found || keeper.lastUse < found.lastUse) found = keeper
    return found
  }
}

/**
 * Puts a database in the place of the one of a file. Both are closed then; the next user opens the file.
 *
 * @param next in memory, or the unfinished file of the one that it is to replace.
 * @throws where the file cannot be written; then it is as before.
 */
export function replaceDatabase(old: Db, next: Db, file: string): void {
  try {
    const unfinished = closeUnfinished(next, file)
    // Nothing may be left in the log: it would be played into the new file if the process died now.
    if (!old.isPrivate) old.pragma('wal_checkpoint(TRUNCATE)')
    // What stands in for a file that cannot be used is needed until that one is replaced.
    if (!old.isPrivate) old.close()
    finish(file, unfinished)
    old.close()
  } catch (error) {
    throwAway(next)
    removeDatabase(file + UNFINISHED)
    throw error
  }
}

/** Closes what did not become the database of a file, and leaves nothing of it. */
export function throwAway(unfinished: Db): void {
  unfinished.close()
  if (!unfinished.isPrivate) removeDatabase(unfinished.name)
}

/**
 * Closes what is to become the database of a file.
 *
 * @param db in memory, or an unfinished file.
 * @returns the unfinished file, for {@link finish}.
 */
export function closeUnfinished(db: Db, file: string): string {
  const unfinished = db.isPrivate ? file + UNFINISHED : db.name
  if (db.isPrivate) writeUnfinished(file, bytesOf(db))
  db.close()
  return unfinished
}
