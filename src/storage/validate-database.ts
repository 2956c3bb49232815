import Database from 'better-sqlite3'
import { bytesOf, type Db, openBytes, openDatabase } from './database.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts'
import { otherTables, type SchemaRow, schemaIn } from './schema-of-bytes.ts'
import { isOfMachine, UnsoundDatabaseError } from './storage-error.ts'

/**
 * Opens a copy in memory of a database that came from outside, once nothing speaks against it: of this program and
 * version, with exactly its tables, sound in every page and reference, and in whatever `judgeValues` looks at. The tables
 * are compared before SQLite sees the bytes, so no expression of a stranger's is ever evaluated.
 *
 * It yields now and then, for whoever has something else to do in between.
 *
 * @throws UnsoundDatabaseError with a sentence that says what it is instead.
 * @example const db = yield* openingJudged(bytes, judgingValues)
 */
export function* openingJudged(bytes: Buffer, judgeValues: (db: Db) => Iterable<void>): Generator<void, Db> {
  const schema = schemaIn(bytes)
  refuseOther(bytes.readUInt32BE(68), bytes.readUInt32BE(60), schema)
  let db: Db | undefined
  let isSound = false
  try {
    db = openBytes(bytes)
    yield* judgingPages(db, bytes)
    yield* judgeValues(db)
    isSound = true
    return db
  } catch (error) {
    throw explained(error)
  } finally {
    // Also where whoever waited for it has gone.
    if (!isSound) db?.close()
  }
}

/**
 * Judges the database of a file as strictly. It is open already, because only SQLite reads it together with its log.
 *
 * @throws UnsoundDatabaseError
 */
export function judgeFile(db: Db, judgeValues: (db: Db) => Iterable<void>): void {
  try {
    refuseOtherTables(db)
    refuseDamage(db, 'quick_check(1)')
    refuseOrphans(db, 'foreign_key_check')
    for (const _ of judgeValues(db));
  } catch (error) {
    throw explained(error)
  }
}

/** @throws UnsoundDatabaseError where an open database does not have the tables of a world. */
export function refuseOtherTables(db: Db): void {
  const [applicationId, version] = ['application_id', 'user_version'].map((name) => db.pragma(name, { simple: true }))
  const schema = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').raw().all()
  refuseOther(applicationId, version, schema as SchemaRow[])
}

function refuseOther(applicationId: unknown, version: unknown, schema: readonly SchemaRow[]): void {
  if (applicationId !== APPLICATION_ID) {
    throw new UnsoundDatabaseError('this is a database of something else, not of partner-sandbox')
  }
  if (Number(version) > SCHEMA_VERSION) {
    throw new UnsoundDatabaseError(
      `this was written by a newer partner-sandbox (schema version ${version}, this one knows ${SCHEMA_VERSION})`,
    )
  }
  if (comparable(schema) !== ownSchema()) throw otherTables()
}

let own: string | undefined

/** As the code that makes the tables makes them. */
function ownSchema(): string {
  own ??= comparable(schemaIn(bytesOf(openDatabase(null))))
  return own
}

function comparable(schema: readonly SchemaRow[]): string {
  return schema
    .map((row) => JSON.stringify(row))
    .sort()
    .join('\n')
}

/** Table by table, because SQLite's check of all of them at once takes seconds for a large world. */
function* judgingPages(db: Db, bytes: Buffer): Generator<void> {
  db.pragma('cell_size_check = ON')
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  for (const table of ['sqlite_schema', ...(tables as string[])]) {
    refuseDamage(db, `integrity_check('${table}')`)
    refuseOrphans(db, `foreign_key_check('${table}')`)
    yield
  }
  yield* judgingOwners(db, bytes)
}

function refuseDamage(db: Db, check: string): void {
  const verdict = db.pragma(check, { simple: true })
  if (verdict !== 'ok') throw damaged(String(verdict))
}

function refuseOrphans(db: Db, check: string): void {
  const [orphan] = db.pragma(check) as { table: string; rowid: number | null; parent: string }[]
  if (!orphan) return
  const row = orphan.rowid === null ? 'a row' : `row ${orphan.rowid}`
  throw damaged(`${row} of ${orphan.table} belongs to no row of ${orphan.parent}`)
}

const PAGES_A_TURN = 20_000
/** Where the header says which page the list of free ones begins with. */
const FIRST_FREE = 32

/** What the checks of single tables do not see: a page that two of them share, or that is called free as well. */
function* judgingOwners(db: Db, bytes: Buffer): Generator<void> {
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  const owned = new Uint8Array(bytes.length / pageBytes + 1)
  const own = (page: number) => {
    if (owned[page] !== 0) throw damaged(`page ${page} is used twice, or is not there`)
    owned[page] = 1
  }
  let seen = 0
  for (const page of db.prepare('SELECT pageno FROM dbstat').pluck().iterate()) {
    own(page as number)
    seen += 1
    if (seen % PAGES_A_TURN === 0) yield
  }
  let list = bytes.readUInt32BE(FIRST_FREE)
  while (list !== 0) {
    own(list)
    const at = (list - 1) * pageBytes
    const count = Math.min(bytes.readUInt32BE(at + 4), pageBytes / 4 - 2)
    for (let n = 0; n < count; n++) own(bytes.readUInt32BE(at + 8 + 4 * n))
    list = bytes.readUInt32BE(at)
  }
}

function damaged(what: string): UnsoundDatabaseError {
  return new UnsoundDatabaseError(`this database is damaged: ${what.replaceAll(/\s+/g, ' ')}`)
}

function explained(error: unknown): unknown {
  return error instanceof Database.SqliteError && !isOfMachine(error) ? damaged(error.message) : error
}
