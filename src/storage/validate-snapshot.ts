import Database from 'better-sqlite3'
import { bytesOf, type Db, openBytes, openDatabase } from './database.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts'
import { isOfMachine, UnsoundDatabaseError } from './storage-error.ts'

/**
 * Opens a copy in memory of a database that came from outside, once nothing speaks against it: of this program and
 * version, with exactly its tables, sound in every page and reference, and in what `judgeValues` looks at. The tables
 * are compared before SQLite sees the bytes, so no expression of a stranger's is ever evaluated.
 *
 * It yields at intervals, so that other work can go on.
 *
 * @throws UnsoundDatabaseError with a sentence that says what it is instead.
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
    // Also if the caller has gone.
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
  if (version !== SCHEMA_VERSION) {
    const age = Number(version) > SCHEMA_VERSION ? 'a newer' : 'an older'
    throw new UnsoundDatabaseError(
      `this was written by ${age} partner-sandbox (schema version ${version}, this one knows ${SCHEMA_VERSION}); open it with that version, or make a new world`,
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

/** How every database of ours is written; another form is refused, so that nothing but this one has to be read here. */
const PAGE_BYTES = 4_096
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const INTERIOR = 0x05
const LEAF = 0x0d

/** A row of sqlite_schema without its root page: type, name, tbl_name and sql. */
type SchemaRow = readonly (string | null)[]

/**
 * The schema of a database in bytes.
 *
 * Read by hand, because SQLite itself evaluates expressions as soon as it reads a schema: a table called sqlite_stat1 may
 * have a generated column, and its rows are read before the first statement is prepared.
 *
 * @throws UnsoundDatabaseError where it cannot be read.
 */
function schemaIn(bytes: Buffer): SchemaRow[] {
  refuseHeader(bytes)
  try {
    return rowsOf(bytes, 1, new Set())
  } catch (error) {
    // A length or a page number that leads out of the file.
    if (error instanceof RangeError) throw damaged('its schema cannot be read')
    throw error
  }
}

function refuseHeader(bytes: Buffer): void {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new UnsoundDatabaseError('this is not an SQLite database')
  }
  const [written, read, reserved] = [bytes[18] as number, bytes[19] as number, bytes[20]]
  if (written < 1 || written > 2 || read < 1 || read > 2) throw damaged('its header names an unknown file format')
  if (bytes.readUInt16BE(16) !== PAGE_BYTES || reserved !== 0 || bytes.readUInt32BE(56) > 1) {
    throw new UnsoundDatabaseError(
      `this database does not have pages of ${PAGE_BYTES} bytes with texts in UTF-8, as every world has`,
    )
  }
  refuseCutShort(bytes)
}

/** SQLite reads what is missing of a last page as zeros, and finds nothing wrong where no length of a row is among it. */
function refuseCutShort(bytes: Buffer): void {
  // The header's count of pages holds only if it was written by the latest change.
  const pages = bytes.readUInt32BE(24) === bytes.readUInt32BE(92) ? bytes.readUInt32BE(28) : 0
  const wanted = (pages || Math.ceil(bytes.length / PAGE_BYTES)) * PAGE_BYTES
  if (bytes.length < wanted) throw damaged(`it has ${bytes.length} of its ${wanted} bytes`)
}

/** What the rows of sqlite_schema say; all but where each thing begins. */
function rowsOf(bytes: Buffer, page: number, seen: Set<number>): SchemaRow[] {
  if (seen.has(page)) throw damaged('a page of its schema is there twice')
  seen.add(page)
  const start = (page - 1) * PAGE_BYTES
  const at = page === 1 ? HEADER_BYTES : start
  const kind = bytes.readUInt8(at)
  if (kind !== INTERIOR && kind !== LEAF) throw damaged('its schema cannot be read')
  const pointers = at + (kind === LEAF ? 8 : 12)
  const cells = Array.from({ length: bytes.readUInt16BE(at + 3) }, (_, n) => {
    return start + bytes.readUInt16BE(pointers + 2 * n)
  })
  if (kind === LEAF) return cells.map((cell) => rowAt(bytes, cell))
  const children = [...cells, at + 8].map((cell) => bytes.readUInt32BE(cell))
  return children.flatMap((child) => rowsOf(bytes, child, seen))
}

/** The five columns type, name, tbl_name, rootpage and sql, of which the fourth is left out. */
const COLUMNS = 5
const ROOT_PAGE = 3

function rowAt(bytes: Buffer, cell: number): SchemaRow {
  const payload = varintAt(bytes, cell)
  const rowid = varintAt(bytes, payload.next)
  const header = varintAt(bytes, rowid.next)
  // More than a page holds of a row goes on elsewhere; nothing of ours is that long.
  if (payload.value > PAGE_BYTES - 35) throw otherTables()
  let [typeAt, valueAt] = [header.next, rowid.next + header.value]
  const values = Array.from({ length: COLUMNS }, (_, column) => {
    const type = varintAt(bytes, typeAt)
    typeAt = type.next
    const from = valueAt
    valueAt += bytesOfType(type.value)
    if (column === ROOT_PAGE || type.value === 0) return null
    if (type.value < 13 || type.value % 2 === 0) throw otherTables()
    return bytes.toString('utf8', from, valueAt)
  })
  if (typeAt !== rowid.next + header.value) throw otherTables()
  return values.filter((_, column) => column !== ROOT_PAGE)
}

/** For every schema that is not ours. */
function otherTables(): UnsoundDatabaseError {
  return new UnsoundDatabaseError(
    'the tables of this database are not those of a world of this version: it was changed by another program, or written by another build',
  )
}

function bytesOfType(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0
}

/** SQLite's own way of writing a number: seven bits a byte, the first bit says whether there are more. */
function varintAt(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0
  for (let next = at; next < at + 8; next++) {
    const byte = bytes.readUInt8(next)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, next: next + 1 }
  }
  throw damaged('its schema cannot be read')
}
