import { randomUUID } from 'node:crypto'
import { rmSync, statfsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Db, tune } from './database.ts'
import { UNFINISHED } from './write-atomically.ts'

/**
 * A database that is too large to be copied about in memory: a file that loses its name as soon as all who need it have opened
 * it, so that nothing of it is left however this process ends.
 */
export interface NamelessFile {
  readonly path: string
  /** Empty at first; {@link settled} once something is in it. */
  readonly db: Db
  /** Reads it as bytes; close it where only the database is wanted. */
  readonly handle: FileHandle
}

/** @param bytes how many it will have, about. */
export async function namelessFile(bytes: number): Promise<NamelessFile> {
  const path = join(folderFor(bytes), `partner-sandbox-${process.pid}-${randomUUID()}.sqlite${UNFINISHED}`)
  // It holds secrets.
  const handle = await open(path, 'wx+', 0o600)
  try {
    return { path, db: new Db(path, { isPrivate: true }), handle }
  } catch (error) {
    takeNameOf(path)
    await handle.close()
    throw error
  }
}

/** Takes its name away. Windows refuses that while it is open; there it stays in the folder for temporary files. */
export function takeNameOf(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It stays where temporary files are, readable to its owner only.
  }
}

/** Leaves nothing of it. */
export async function letGo({ path, db, handle }: NamelessFile): Promise<void> {
  takeNameOf(path)
  takeNameOf(`${path}-journal`)
  try {
    db.close()
  } finally {
    await handle.close()
  }
}

/** Once the file is written: how a database that only this process knows is kept. */
export function settled(db: Db): Db {
  // What is lost with the process needs no log that outlives it, and a file without a name can have none.
  db.pragma('journal_mode = MEMORY')
  db.pragma('synchronous = OFF')
  db.pragma('locking_mode = EXCLUSIVE')
  db.pragma(`mmap_size = ${MAPPED_BYTES}`)
  return tune(db)
}

/** More than any world has. */
const MAPPED_BYTES = 1024 * 1024 * 1024

/** Files here are memory, on Linux. */
const SHARED_MEMORY = '/dev/shm'

function folderFor(bytes: number): string {
  return freeBytesIn(SHARED_MEMORY) > 2 * bytes ? SHARED_MEMORY : tmpdir()
}

function freeBytesIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}
