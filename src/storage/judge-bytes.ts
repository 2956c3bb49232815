import Database from 'better-sqlite3'
import { APPLICATION_ID, type Db, openBytes } from './database.ts'
import { MIGRATIONS, migrate, SCHEMA_VERSION } from './schema.ts'
import { isOfMachine, StorageError } from './storage-error.ts'

/** Bytes that are no database of ours, or one that cannot be trusted. */
export class ForeignBytesError extends StorageError {
  override name = 'ForeignBytesError'
}

const MAGIC = 'SQLite format 3\0'
const SMALLEST_BYTES = 512

/**
 * Opens a copy in memory of a database that came from outside, once nothing speaks against it: ours, not newer than this
 * program, brought to its schema, with exactly its tables, sound in every page, value and reference.
 *
 * @throws ForeignBytesError with a sentence that says what it is instead.
 */
export function openJudged(bytes: Uint8Array): Db {
  if (bytes.length < SMALLEST_BYTES || Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC) {
    throw new ForeignBytesError('this is no SQLite database')
  }
  refuseCutShort(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  const db = opened(bytes)
  try {
    judge(db)
    return db
  } catch (error) {
    if (db.open) db.close()
    throw explain(error)
  }
}

/** SQLite reads what is missing of a last page as zeros, and finds nothing wrong where no length of a row is among it. */
function refuseCutShort(bytes: Buffer): void {
  const pageBytes = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16)
  // The header's count of pages holds only if it was written by the latest change.
  const pages = bytes.readUInt32BE(24) === bytes.readUInt32BE(92) ? bytes.readUInt32BE(28) : 0
  const wanted = (pages || Math.ceil(bytes.length / pageBytes)) * pageBytes
  if (bytes.length < wanted) {
    throw new ForeignBytesError(`this database is damaged: it has ${bytes.length} of its ${wanted} bytes`)
  }
}

function opened(bytes: Uint8Array): Db {
  try {
    return openBytes(bytes)
  } catch (error) {
    throw explain(error)
  }
}

function judge(db: Db): void {
  db.pragma('trusted_schema = OFF')
  db.pragma('cell_size_check = ON')
  const id = db.pragma('application_id', { simple: true })
  if (id !== APPLICATION_ID) throw new ForeignBytesError('this is a database of something else, not of partner-sandbox')
  refuseVersion(db.pragma('user_version', { simple: true }) as number)
  refuseActs(db)
  refuseDamage(db)
  migrate(db)
  refuseOtherTables(db)
}

function refuseVersion(version: number): void {
  if (version > SCHEMA_VERSION) {
    throw new ForeignBytesError(
      `this was written by a newer partner-sandbox (schema version ${version}, this one knows ${SCHEMA_VERSION})`,
    )
  }
  if (version < 1) throw new ForeignBytesError('this is a database of partner-sandbox that was never finished')
}

/** Before anything is written: we have neither, and a trigger of somebody else's would run while an old schema is changed. */
function refuseActs(db: Db): void {
  const acts = "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')"
  const found = db.prepare(acts).get() as { type: string; name: string } | undefined
  if (found) throw new ForeignBytesError(`this database has the ${found.type} ${found.name}, which no world has`)
}

function refuseDamage(db: Db): void {
  const verdict = db.pragma('integrity_check(1)', { simple: true })
  if (verdict !== 'ok') throw new ForeignBytesError(`this database is damaged: ${String(verdict)}`)
  const [orphan] = db.pragma('foreign_key_check') as { table: string; parent: string }[]
  if (orphan) {
    throw new ForeignBytesError(
      `this database is damaged: a row of ${orphan.table} belongs to no row of ${orphan.parent}`,
    )
  }
}

let ownTables: string | undefined

/** A table, index, trigger or view of somebody else's would be obeyed like our own. */
function refuseOtherTables(db: Db): void {
  ownTables ??= tablesOf(migrate(new Database(':memory:')))
  if (tablesOf(db) !== ownTables) {
    throw new ForeignBytesError(
      `the tables of this database are not those of schema version ${MIGRATIONS.length}: it was changed by another program, or written by another build`,
    )
  }
}

/** What SQLite keeps for itself (statistics of ANALYZE, numbering) does not count. */
function tablesOf(db: Db): string {
  const rows = db
    .prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all()
  return JSON.stringify(rows)
}

function explain(error: unknown): unknown {
  if (error instanceof ForeignBytesError) return error
  if (error instanceof StorageError) return new ForeignBytesError(error.message)
  return error instanceof Database.SqliteError && !isOfMachine(error)
    ? new ForeignBytesError(`this database is damaged: ${error.message}`)
    : error
}
