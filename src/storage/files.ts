import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StorageError } from './storage-error.ts'

/**
 * A database that is still being written, or that is being deleted; a file with this ending is not a world. Another process that has
 * the same folder writes files of its own.
 */
const UNFINISHED = `.${randomBytes(4).toString('hex')}.new`

/**
 * Writes and syncs the bytes beside their place. The disk has all of a file under this name before it gets its own by
 * {@link finish}, so a process that dies leaves the old file or the new one, never half of it. Fails, on a full disk, with nothing
 * changed.
 */
export function writeUnfinished(file: string, bytes: Uint8Array): void {
  const unfinished = file + UNFINISHED
  rmSync(unfinished, { force: true })
  try {
    // It holds secrets.
    writeFileSync(unfinished, bytes, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    removeIfPossible(unfinished)
    throw error
  }
}

const LOGS = ['-wal', '-shm']

/**
 * Gives what {@link writeUnfinished} wrote its name, for good once the folder is synced. What it replaces must be closed; it is as it
 * was where this fails.
 */
export function finish(file: string): void {
  // A log that outlived its database would be played into the new one.
  for (const ending of LOGS) rmSync(file + ending, { force: true })
  renameSync(file + UNFINISHED, file)
}

/**
 * The same for a name that no file has.
 *
 * @throws StorageError where a file has it by now: the server that made that one may have acknowledged orders in it.
 */
export function finishNew(file: string): void {
  for (const ending of LOGS) {
    // In this order: a database has its name before it has a log.
    if (existsSync(file + ending) && !existsSync(file)) rmSync(file + ending)
  }
  try {
    linkSync(file + UNFINISHED, file)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const second = 'is a second partner-sandbox using this folder?'
    // One that starts on a folder sweeps away what it takes for left over.
    if (!existsSync(file + UNFINISHED))
      throw new StorageError(`another program has just deleted what was to become ${file}; ${second}`)
    if (code !== 'EEXIST' && !WITHOUT_LINKS.has(code)) throw error
    if (existsSync(file)) throw new StorageError(`another program has just put a file at ${file}; ${second}`)
    renameSync(file + UNFINISHED, file)
  }
  removeUnfinishedOf(file)
}

/** What file systems answer that have no links, such as exFAT. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Makes a closed database no longer a world, in one step. Fails with nothing changed. */
export function unname(file: string): void {
  renameSync(file, file + UNFINISHED)
  try {
    syncFolderOf(file)
  } catch (error) {
    renameSync(file + UNFINISHED, file)
    throw error
  }
}

/** Deletes a database and all that belongs to it; what cannot be deleted now goes with {@link removeUnfinished}. */
export function removeDatabase(file: string): void {
  for (const ending of ['', ...LOGS, UNFINISHED]) removeIfPossible(file + ending)
}

/** Deletes what was to become the database of a file. */
export function removeUnfinishedOf(file: string): void {
  removeIfPossible(file + UNFINISHED)
}

const UNFINISHED_NAME = /\.sqlite(?:\.[\da-f]{8})?\.new(?:-wal|-shm|-journal)?$/

/** Deletes what processes that died had not finished. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (UNFINISHED_NAME.test(name)) removeIfPossible(join(folder, name))
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The next start tries again.
  }
}

/**
 * Makes a folder for its owner alone, and those above it. Node's own `recursive` runs for ever where a file system answers that a
 * path is missing and makes no folders, as /proc does.
 */
export function makeFolder(folder: string): void {
  const make = () => mkdirSync(folder, { mode: 0o700 })
  try {
    make()
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error
    makeFolder(dirname(folder))
    make()
  }
}

/** A name is safe only once its folder is. Windows has no such thing. */
export function syncFolderOf(file: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(dirname(file), 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
