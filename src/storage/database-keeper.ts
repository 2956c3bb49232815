import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { AwakeList } from './awake-list.ts'
import { bytesOf, type Db, openBytes, sizeOf } from './database.ts'

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
  /** Holds another one from now on; the one before is the caller's to close. */
  replace(next: Db): void
  /** Closes it for ever, awake or not. */
  close(): void
}

/** More takes too long to be compressed between two calls. */
const MOST_RESTING_BYTES = 4 * 1024 * 1024

export function keepDatabase(first: Db, awake: AwakeList): DatabaseKeeper {
  let db = first
  let packed: Buffer | null = null
  let lastUse = awake.use()

  function wake(bytes: Buffer): void {
    db = openBytes(inflateRawSync(bytes))
    packed = null
    awake.add(keeper)
  }

  const keeper: DatabaseKeeper = {
    current() {
      if (packed) wake(packed)
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
      db = next
      packed = null
    },
    close() {
      packed = null
      if (db.open) db.close()
      awake.remove(keeper)
    },
  }
  if (db.memory) awake.add(keeper)
  return keeper
}
