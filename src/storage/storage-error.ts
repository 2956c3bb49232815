const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'])
const FAULTS = /^(?:E(?:ACCES|PERM|ROFS|IO|NOENT|NOTDIR|MFILE|NFILE)|SQLITE_(?:IOERR|READONLY|CANTOPEN)\w*)$/

/**
 * Why a file could not be written or read, and what to do; null for an error of another kind. A port that cannot be
 * opened has codes of the same names.
 */
export function storageFailure(error: unknown): string | null {
  const { code, port, address } = (error ?? {}) as { code?: unknown; port?: unknown; address?: unknown }
  if (typeof code !== 'string' || port !== undefined || address !== undefined) return null
  if (FULL.has(code)) return `the disk is full (${code}); free some space and try again`
  if (!FAULTS.test(code)) return null
  return `the files of the data directory cannot be used (${code}); check that the folder is there and may be written`
}

/** A database file that cannot be used, with a sentence that says what to do. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** One that another process has open. */
export class FileInUseError extends StorageError {}

/** SQLite cannot be loaded: the package better-sqlite3 has no binary for this Node and machine. */
export class MissingAddonError extends Error {
  override name = 'MissingAddonError'
}

const NO_ADDON = /locate the bindings file|different Node\.js version|invalid ELF header|better_sqlite3\.node|prebuilds/

/** An error of loading SQLite with what to do about it; every other error as it is. */
export function withAddonAdvice(error: unknown): unknown {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  if (code !== 'ERR_DLOPEN_FAILED' && !NO_ADDON.test(message)) return error
  const { node } = process.versions
  const rebuild = 'run "npm rebuild better-sqlite3", which needs Python and a C++ compiler where it has to be compiled'
  if (message.includes('different Node.js version')) {
    const says = `better-sqlite3 was installed with another release of Node than ${node}: install again with this one, or ${rebuild}`
    return new MissingAddonError(says, { cause: error })
  }
  const again = 'use Node 22 or later and install again, for which it ships one'
  return new MissingAddonError(
    `better-sqlite3 has no binary for Node ${node} on ${process.platform}-${process.arch}: ${again}; or ${rebuild} (and with npm 12 "npm install-scripts approve better-sqlite3" before)`,
    { cause: error },
  )
}

/** Codes of SQLite, and of the operating system. */
const OF_THE_MACHINE = /^(?:SQLITE_(?:FULL|IOERR|BUSY|NOMEM|CANTOPEN)|E(?!RR_))/

/** Whether an error is about the machine, its disk or its memory, and not about what was read or asked. */
export function isOfMachine(error: unknown): boolean {
  return OF_THE_MACHINE.test(String((error as { code?: unknown } | null)?.code))
}

/** A database that is not a valid world: not ours, damaged, or with other tables or values. */
export class InvalidDatabaseError extends StorageError {
  override name = 'InvalidDatabaseError'
}
