/** A database file that cannot be used, with a sentence that says what to do. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** A database that is not a sound world of ours, whoever wrote it: not ours, damaged, or with other tables or values. */
export class UnsoundDatabaseError extends StorageError {
  override name = 'UnsoundDatabaseError'
}
