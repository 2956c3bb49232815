import { closeSync, openSync, readSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type Db, openBytes, openDatabase } from './db.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts'
import { InvalidDatabaseError, isOfMachine } from './storage-error.ts'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
/** Where the header has these two numbers. */
const USER_VERSION = 60
const APPLICATION = 68

/**
 * Opens a copy in memory of a database from outside.
 *
 * @throws InvalidDatabaseError as {@link checkDatabase} does. The header is compared before SQLite sees the bytes.
 */
export function openForeign(sent: Uint8Array): Db {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength)
  refuseHeader(bytes)
  refuseCutShort(bytes)
  let db: Db | undefined
  try {
    db = openBytes(bytes)
    checkDatabase(db)
    return db
  } catch (error) {
    db?.close()
    throw explained(error)
  }
}

/**
 * Opens the database of a file that was there before.
 *
 * @throws InvalidDatabaseError as {@link checkDatabase} does. A file of something else is left as it is, to the last byte. StorageError
 *   where it is in use or cannot be read.
 */
export function openFile(file: string): Db {
  const found = statSync(file)
  // A pipe would be waited for without an end.
  if (!found.isFile())
    throw new InvalidDatabaseError(`this is a ${found.isDirectory() ? 'folder' : 'pipe or device'}, not a file`)
  const header = Buffer.alloc(HEADER_BYTES)
  const handle = openSync(file, 'r')
  try {
    refuseHeader(header.subarray(0, readSync(handle, header)))
  } finally {
    closeSync(handle)
  }
  const db = openDatabase(file)
  try {
    checkDatabase(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function refuseHeader(bytes: Buffer): void {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new InvalidDatabaseError('this is not an SQLite database')
  }
  refuseOther(bytes.readUInt32BE(APPLICATION), bytes.readUInt32BE(USER_VERSION))
}

/**
 * Checks that a database is one of this program and version with exactly its tables, and that its pages, constraints and
 * references hold. SQLite looks at the constraints of all rows; nothing here looks at a value.
 *
 * @throws InvalidDatabaseError with a sentence that says what it is instead.
 */
function checkDatabase(db: Db): void {
  try {
    refuseOther(db.pragma('application_id', { simple: true }), db.pragma('user_version', { simple: true }))
    if (schemaOf(db) !== ownSchema()) {
      throw new InvalidDatabaseError(
        'the tables of this database are not those of a world of this version: it was changed by another program, or written by another build',
      )
    }
    db.pragma('cell_size_check = ON')
    const verdict = db.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok') throw damaged(String(verdict))
    refuseOrphans(db)
  } catch (error) {
    throw explained(error)
  }
}

function refuseOther(applicationId: unknown, version: unknown): void {
  if (applicationId !== APPLICATION_ID) {
    throw new InvalidDatabaseError('this is a database of something else, not of partner-sandbox')
  }
  if (version !== SCHEMA_VERSION) {
    const age = Number(version) > SCHEMA_VERSION ? 'a newer' : 'an older'
    throw new InvalidDatabaseError(
      `this was written by ${age} partner-sandbox (schema version ${version}, this one knows ${SCHEMA_VERSION}); open it with that version, or make a new world`,
    )
  }
}

/** SQLite reads what is missing of a last page as zeros, and finds nothing wrong where no length of a row is among it. */
function refuseCutShort(bytes: Buffer): void {
  const pageBytes = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16)
  // The header's count of pages holds only if it was written by the latest change.
  const pages = bytes.readUInt32BE(24) === bytes.readUInt32BE(92) ? bytes.readUInt32BE(28) : 0
  const wanted = (pages || Math.ceil(bytes.length / pageBytes)) * pageBytes
  if (bytes.length < wanted) throw damaged(`it has ${bytes.length} of its ${wanted} bytes`)
}

let own: string | undefined

/** As the code that makes the tables makes them. */
function ownSchema(): string {
  if (own === undefined) {
    const db = openDatabase(null)
    own = schemaOf(db)
    db.close()
  }
  return own
}

function schemaOf(db: Db): string {
  return JSON.stringify(db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())
}

function refuseOrphans(db: Db): void {
  const [orphan] = db.pragma('foreign_key_check') as { table: string; rowid: number | null; parent: string }[]
  if (!orphan) return
  const row = orphan.rowid === null ? 'a row' : `row ${orphan.rowid}`
  throw damaged(`${row} of ${orphan.table} belongs to no row of ${orphan.parent}`)
}

function damaged(what: string): InvalidDatabaseError {
  return new InvalidDatabaseError(`this database is damaged: ${what.replaceAll(/\s+/g, ' ')}`)
}

function explained(error: unknown): unknown {
  return error instanceof Database.SqliteError && !isOfMachine(error) ? damaged(error.message) : error
}
