import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A database that is still being written; whatever has this ending was never finished. */
export const UNFINISHED = '.new'

/**
 * Puts a whole file in its place at once: the disk has all of it under another name before it gets its own, so a process
 * that dies leaves the old file or the new one, never half of it. What it replaces must be closed.
 *
 * @example placeFile('data/ci.sqlite', bytes)
 */
export function placeFile(file: string, bytes: Uint8Array): void {
  writeUnfinished(file, bytes)
  finish(file)
}

/** Writes and syncs the bytes beside their place. Fails, on a full disk, with nothing changed. */
export function writeUnfinished(file: string, bytes: Uint8Array): void {
  const unfinished = file + UNFINISHED
  rmSync(unfinished, { force: true })
  try {
    // It holds secrets.
    writeFileSync(unfinished, bytes, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Gives what {@link writeUnfinished} wrote its name. */
export function finish(file: string): void {
  // A log that outlived its database would be played into the new one.
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true })
  renameSync(file + UNFINISHED, file)
  syncFolder(dirname(file))
}

/** Deletes a database and all that belongs to it, the database itself first: a log alone is no world. */
export function removeDatabase(file: string): void {
  for (const ending of ['', '-wal', '-shm', UNFINISHED]) rmSync(file + ending, { force: true })
  syncFolder(dirname(file))
}

const UNFINISHED_NAME = /\.sqlite\.new(?:-wal|-shm|-journal)?$/

/** Deletes what processes that died had not finished. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (UNFINISHED_NAME.test(name)) rmSync(join(folder, name), { force: true })
  }
}

/** A name is safe only once its folder is. Windows has no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
