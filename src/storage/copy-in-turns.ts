import { constants, read } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type Db, sizeOf } from './database.ts'
import { letGo, type NamelessFile, namelessFile, settled, takeNameOf } from './nameless-file.ts'
import { StorageError } from './storage-error.ts'
import { removeDatabase } from './write-atomically.ts'

/** What is smaller is copied faster at once than others wait for it. */
export const COPIED_AT_ONCE_BYTES = 4 * 1024 * 1024

/** About two milliseconds' worth. */
const PAGES_A_TURN = 512

/**
 * Copies a private database while it goes on being used: what is written meanwhile is in the copy.
 *
 * @param refuseEnd throws when the copy is not wanted any more; then nothing of it is left.
 */
export async function copyPrivate(db: Db, refuseEnd: () => void): Promise<NamelessFile> {
  return counted(db, () => copied(db, refuseEnd))
}

async function copied(db: Db, refuseEnd: () => void): Promise<NamelessFile> {
  const copy = await namelessFile(sizeOf(db))
  const syncing = { isAsked: false, isDone: false }
  const progress = ({ remainingPages }: { remainingPages: number }): number => {
    takeNameOf(copy.path)
    refuseEnd()
    if (remainingPages > PAGES_A_TURN || syncing.isDone) return PAGES_A_TURN
    // SQLite ends by syncing the file in this thread. Most of that is done before, in another.
    if (!syncing.isAsked)
      void copy.handle
        .sync()
        .finally(() => (syncing.isDone = true))
        .catch(() => {})
    syncing.isAsked = true
    return 0
  }
  try {
    refuseEnd()
    await db.backup(copy.path, { progress })
    settled(copy.db)
    return copy
  } catch (error) {
    await letGo(copy)
    // One that was closed meanwhile fails with less to say.
    refuseEnd()
    throw error
  }
}

/**
 * Copies the file of a database while it goes on being used. Its log grows meanwhile, and ends for SQLite with the last commit
 * that is whole; so the copy holds what was committed when the log was read.
 *
 * @param place of the copy, with its log beside it.
 */
export async function copyLasting(db: Db, place: string, refuseEnd: () => void): Promise<void> {
  const refuse = () => {
    refuseEnd()
    if (!db.open) throw new StorageError('the world was closed while it was copied; ask again')
  }
  try {
    await withoutCheckpoints(db, async () => {
      await copyMain(db, place, refuse)
      refuse()
      await copyLog(`${db.name}-wal`, `${place}-wal`).catch(unlessAbsent)
    })
    refuse()
  } catch (error) {
    removeDatabase(place)
    refuseEnd()
    throw error
  }
}

const BYTES_AT_ONCE = 256 * 1024
const readAt = promisify(read)

/** Not by a stream: one that fails closes the handle, whose number may be another file's by then. */
async function copyMain(db: Db, place: string, refuse: () => void): Promise<void> {
  // It holds secrets.
  const to = await open(place, 'wx', 0o600)
  try {
    const bytes = Buffer.allocUnsafe(BYTES_AT_ONCE)
    for (let at = 0; ; ) {
      refuse()
      const { bytesRead } = await readAt(db.fileHandle, bytes, 0, bytes.length, at)
      if (bytesRead === 0) return
      await to.appendFile(bytes.subarray(0, bytesRead))
      at += bytesRead
    }
  } finally {
    await to.close()
  }
}

/** A checkpoint would change the file. */
async function withoutCheckpoints(db: Db, work: () => Promise<void>): Promise<void> {
  db.pragma('wal_autocheckpoint = 0')
  try {
    await counted(db, work)
  } finally {
    if (db.copies === 0 && db.open) db.pragma('wal_autocheckpoint = 1000')
  }
}

/** Others can see that a copy is being made, and wait for its end. */
async function counted<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  db.copies += 1
  const result = work().finally(() => {
    db.copies -= 1
  })
  db.copied = Promise.allSettled([db.copied, result])
  return result
}

/**
 * A log that is wholly in the file starts over with the next write, so one that did so meanwhile is copied again. It does so
 * once at most, because nothing more is put into the file.
 */
async function copyLog(log: string, place: string): Promise<void> {
  for (;;) {
    const before = await headOf(log)
    await copyFile(log, place, constants.COPYFILE_FICLONE)
    if (before.equals(await headOf(log))) return
  }
}

/** What a log begins with; it is another one each time that the log starts over. */
async function headOf(log: string): Promise<Buffer> {
  const file = await open(log, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOG_HEAD_BYTES), 0, LOG_HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const LOG_HEAD_BYTES = 32

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
