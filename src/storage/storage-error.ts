/** A database file that cannot be used, with a sentence that says what to do. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** Codes of SQLite, and of the operating system. */
const OF_THE_MACHINE = /^(?:SQLITE_(?:FULL|IOERR|BUSY|NOMEM|CANTOPEN)|E(?!RR_))/

/** Whether an error tells of the machine, its disk or its memory, and not of what was read or asked. */
export function isOfMachine(error: unknown): boolean {
  return OF_THE_MACHINE.test(String((error as { code?: unknown } | null)?.code))
}

/** A database that is not a sound world of ours, whoever wrote it: not ours, damaged, or with other tables or values. */
export class UnsoundDatabaseError extends StorageError {
  override name = 'UnsoundDatabaseError'
}
