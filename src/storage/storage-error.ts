/** A database file that cannot be used, with a sentence that says what to do. */
export class StorageError extends Error {
  override name = 'StorageError'
}
