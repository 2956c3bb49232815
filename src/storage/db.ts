import { accessSync, chmodSync, constants, existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { FileInUseError, InvalidDatabaseError, StorageError, withAddonAdvice } from './storage-error.ts'

type PreparedStatement<Row = unknown> = Database.Statement<unknown[], Row>

export class Db extends Database {
  readonly #prepared = new Map<string, PreparedStatement>()

  constructor(file: string | Buffer, options?: Database.Options) {
    super(file, options)
    // Nothing in the schema of a stranger calls a function that could do harm.
    this.pragma('trusted_schema = OFF')
  }

  /** A prepared statement, compiled once per database and text. */
  statement<Row = unknown>(sql: string): PreparedStatement<Row> {
    let found = this.#prepared.get(sql)
    if (!found) {
      found = this.prepare(sql)
      this.#prepared.set(sql, found)
    }
    return found as PreparedStatement<Row>
  }
}

/**
 * Opens a world's database: a file that survives kill -9 and power loss (WAL, synchronous FULL, one process at a
 * time), or one in memory.
 *
 * @param file path of the file, made when absent; null for memory. One that was there before is still to be judged (see
 *   check-file.ts), unless this process has just written it.
 * @throws StorageError where the file is in use or cannot be read or written; InvalidDatabaseError where it is damaged;
 *   MissingAddonError where SQLite cannot be loaded.
 */
export function openDatabase(file: string | null): Db {
  if (file === null) return createTables(tune(withSmallPages(memoryDb())))
  const isNew = !existsSync(file)
  let db: Db | undefined
  try {
    db = new Db(file, { timeout: 0 })
    // It holds secrets; SQLite gives its companion files the same mode.
    if (isNew) {
      withSmallPages(db)
      chmodSync(file, 0o600)
    }
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = WAL')
    // Takes the lock now, so that a second server is refused at start and not at its first order.
    db.exec('BEGIN IMMEDIATE; COMMIT')
    setDurability(db, 'power-loss')
    return isNew ? createTables(tune(db)) : tune(db)
  } catch (error) {
    db?.close()
    throw explained(withAddonAdvice(error), file)
  }
}

function memoryDb(): Db {
  try {
    return new Db(':memory:')
  } catch (error) {
    throw withAddonAdvice(error)
  }
}

/**
 * Opens a database in memory that begins as a copy of these bytes.
 *
 * @param bytes see {@link bytesOf}.
 */
export function openBytes(bytes: Uint8Array): Db {
  const db = new Db(withoutLog(bytes))
  // The bytes are in memory anyway, so a page that is not at hand costs next to nothing.
  db.pragma('cache_size = -512')
  return tune(db)
}

/** The whole of a database as it stands, as the bytes of a file that any SQLite opens. Not inside a transaction. */
export function bytesOf(db: Pick<Db, 'serialize'>): Buffer {
  return withoutLog(db.serialize())
}

/** Size in bytes of what {@link bytesOf} gives. */
export function sizeOf(db: Db): number {
  return Number(db.pragma('page_size', { simple: true })) * Number(db.pragma('page_count', { simple: true }))
}

/** Where the header says how the file is written and read: 2 means with a log beside it, which bytes have not. */
const FORMAT_VERSIONS = [18, 19]

/** Takes out of the header that there is a log; in place. */
function withoutLog(bytes: Uint8Array): Buffer {
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const at of FORMAT_VERSIONS) plain[at] = 1
  return plain
}

/** A savepoint copies each page that it changes: with pages of half the usual size, an order takes a tenth less time. */
function withSmallPages(db: Db): Db {
  db.pragma('page_size = 2048')
  return db
}

/** Makes the tables of an empty database, in one transaction. */
function createTables(db: Db): Db {
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.transaction(() => {
    db.exec(SCHEMA)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  })()
  return db
}

function tune(db: Db): Db {
  db.pragma('foreign_keys = ON')
  db.pragma('temp_store = MEMORY')
  return db
}

export function explained(error: unknown, file: string): unknown {
  if (NOT_ALLOWED.test(String((error as { code?: unknown }).code)) && !isAllowed(file))
    return new StorageError(`${file} may not be read and written; check its owner and its permissions`, {
      cause: error,
    })
  if (!(error instanceof Database.SqliteError)) return error
  if (error.code.startsWith('SQLITE_BUSY')) {
    return new FileInUseError(`${file} is in use by another partner-sandbox; stop it or choose another data directory`)
  }
  if (error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT')) {
    return new InvalidDatabaseError(`this is not an SQLite database, or it is damaged: ${error.message}`)
  }
  return new StorageError(`${file} cannot be opened: ${error.message}`, { cause: error })
}

/** Where a file is for others to write, and where the disk is broken. */
const NOT_ALLOWED = /^(?:EACCES|EPERM|SQLITE_(?:CANTOPEN|IOERR|READONLY)\w*)$/

function isAllowed(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return true
  } catch (error) {
    return !NOT_ALLOWED.test(String((error as NodeJS.ErrnoException).code))
  }
}

export type Durability = 'power-loss' | 'process-death'

const SYNCHRONOUS = { 'power-loss': 'FULL', 'process-death': 'NORMAL' } as const

/** Sets what the next commits outlive; in WAL mode `process-death` costs no sync. Nothing outlives one in memory. */
export function setDurability(db: Db, durability: Durability): void {
  if (!db.memory) db.pragma(`synchronous = ${SYNCHRONOUS[durability]}`)
}

/** How many rows were ever written, those included that were undone since. */
export function writesIn(db: Db): number {
  return db.statement<number>('SELECT total_changes()').pluck().get() as number
}

/** The next value of a table's `seq` column. It is rolled back with the row, and goes on after a restart. */
export function nextSequence(db: Db, table: string): number {
  return db.statement<number>(`SELECT coalesce(max(seq), 0) + 1 FROM ${table}`).pluck().get() as number
}

/** Copies the rows of a table from one database to another of the same schema. */
export function copyTable(from: Db, to: Db, table: string): void {
  const select = from.prepare(`SELECT * FROM ${table}`)
  const names = select.columns().map(({ name }) => name)
  const insert = to.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
  for (const row of select.raw().iterate()) insert.run(row)
}
