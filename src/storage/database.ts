import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { StorageError, UnsoundDatabaseError } from './storage-error.ts'
import { type Table, TableChanges, tablesIn } from './table-changes.ts'

export type Statement<Row = unknown> = Database.Statement<unknown[], Row>

interface Prepared {
  readonly statement: Statement
  readonly tables: readonly Table[]
  readonly writes: boolean
}

interface DbOptions {
  /** How long it waits for another that has locked the file. */
  readonly timeout?: number
  readonly changes?: TableChanges | undefined
  /** See {@link Db.isPrivate}; one in memory always is. */
  readonly isPrivate?: boolean
}

/** A world's database, which knows what was changed in it. */
export class Db extends Database {
  readonly changes: TableChanges
  /** How {@link atomically} undoes work in the transaction under way (see commit-queue.ts). */
  undoes: 'by savepoint' | 'by doing the turn again' = 'by savepoint'
  /** How many copies of it are being made in turns (see copy-in-turns.ts). */
  copies = 0
  /** Settled once these are made, or have failed. */
  copied: Promise<unknown> = Promise.resolve()
  /** Whether that turn has to be done again. */
  isSpoilt = false
  /** Whether it ends with this process: one in memory, or a file that has no name any more. */
  readonly isPrivate: boolean
  readonly #prepared = new Map<string, Prepared>()
  #fileHandle: number | null = null

  constructor(file: string | Buffer, options: DbOptions = {}) {
    super(file, { timeout: options.timeout ?? 5_000 })
    this.changes = options.changes ?? new TableChanges()
    this.isPrivate = this.memory || options.isPrivate === true
  }

  /** See {@link statement}. */
  statement(sql: string): Statement {
    let found = this.#prepared.get(sql)
    if (!found) {
      const compiled = super.prepare(sql)
      found = { statement: compiled, tables: this.#tablesIn(sql), writes: !compiled.readonly }
      this.#prepared.set(sql, found)
    }
    if (found.writes) this.changes.write(found.tables)
    else this.changes.read(found.tables)
    return found.statement
  }

  override prepare<Given extends unknown[] | object = unknown[], Row = unknown>(
    sql: string,
  ): ReturnType<typeof Database.prototype.prepare<Given, Row>> {
    const compiled = super.prepare<Given, Row>(sql)
    if (compiled.readonly) this.changes.read(this.#tablesIn(sql))
    else this.changes.write(this.#tablesIn(sql))
    return compiled
  }

  /**
   * To read its file by. Closing any handle of a file gives up the lock that keeps other processes out of it, so there is one
   * that is closed after the database.
   */
  get fileHandle(): number {
    this.#fileHandle ??= openSync(this.name, 'r')
    return this.#fileHandle
  }

  override close(): this {
    super.close()
    if (this.#fileHandle !== null) closeSync(this.#fileHandle)
    this.#fileHandle = null
    return this
  }

  override exec(sql: string): this {
    this.changes.writeAll()
    return super.exec(sql)
  }

  #tablesIn(sql: string): Table[] {
    return tablesIn(sql).map((name) => this.changes.tableOf(name))
  }
}

/**
 * Opens a world's database: a file that survives kill -9 and power loss (WAL, synchronous FULL, one process at a
 * time), or one in memory.
 *
 * @param file path of the file, made when absent; null for memory. One that was there before is still to be judged (see
 *   validate-snapshot.ts), unless this process has just written it.
 * @throws StorageError where the file is in use or cannot be read or written; UnsoundDatabaseError where it is damaged.
 */
export function openDatabase(file: string | null): Db {
  if (file === null) return createTables(tune(new Db(':memory:')))
  const isNew = !existsSync(file)
  let db: Db | undefined
  try {
    db = new Db(file, { timeout: 0 })
    // It holds secrets; SQLite gives its companion files the same mode.
    if (isNew) chmodSync(file, 0o600)
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = WAL')
    // Takes the lock now, so that a second server is refused at start and not at its first order.
    db.exec('BEGIN IMMEDIATE; COMMIT')
    setDurability(db, 'power-loss')
    return isNew ? createTables(tune(db)) : tune(db)
  } catch (error) {
    db?.close()
    throw explained(error, file)
  }
}

/**
 * Opens a database in memory that begins as a copy of these bytes.
 *
 * @param bytes see {@link bytesOf}.
 * @param changes of the database that the bytes were, if they are still the same.
 */
export function openBytes(bytes: Uint8Array, changes?: TableChanges): Db {
  const db = new Db(withoutLog(bytes), { changes })
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
export function withoutLog(bytes: Uint8Array): Buffer {
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const at of FORMAT_VERSIONS) if (plain[at] === 2) plain[at] = 1
  return plain
}

/** Makes the tables of an empty database, in one transaction. */
export function createTables(db: Db): Db {
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.transaction(() => {
    db.exec(SCHEMA)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  })()
  return db
}

export function tune(db: Db): Db {
  db.pragma('foreign_keys = ON')
  db.pragma('temp_store = MEMORY')
  return db
}

/** An error of SQLite as a sentence about the file. */
export function explained(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  if (error.code.startsWith('SQLITE_BUSY')) {
    return new StorageError(`${file} is in use by another partner-sandbox; stop it or choose another --data directory`)
  }
  if (error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT')) {
    return new UnsoundDatabaseError(`this is not an SQLite database, or it is damaged: ${error.message}`)
  }
  return new StorageError(`${file} cannot be opened: ${error.message}`, { cause: error })
}

/** What a commit outlives. */
export type Durability = 'power-loss' | 'process-death'

const SYNCHRONOUS = { 'power-loss': 'FULL', 'process-death': 'NORMAL' } as const

/** Sets what the next commits outlive; in WAL mode `process-death` costs no sync. Nothing outlives a private one. */
export function setDurability(db: Db, durability: Durability): void {
  if (!db.isPrivate) db.pragma(`synchronous = ${SYNCHRONOUS[durability]}`)
}

/**
 * A prepared statement, compiled once per database and text. Fetch it where it is run: {@link TableChanges} counts the
 * fetch of a writing statement as its run.
 */
export function statement<Row = unknown>(db: Db, sql: string): Statement<Row> {
  return db.statement(sql) as Statement<Row>
}

/**
 * The next value of a table's `seq` column: rolled back with the row, and right after a restart. It is read once, and known
 * from then on until something other than an insert of {@link StoredRows} writes the table, or a write of it is undone.
 */
export function nextSequence(db: Db, table: string): number {
  const known = db.changes.tableOf(table)
  db.changes.read([known])
  known.lastSeq ??= statement<number>(db, `SELECT coalesce(max(seq), 0) FROM ${table}`).pluck().get() ?? 0
  return known.lastSeq + 1
}

/**
 * Copies the rows of tables from one database to another of the same schema, in one transaction.
 *
 * @param isWanted says which tables.
 */
export function copyRows(from: Db, to: Db, isWanted: (table: string) => boolean): void {
  const tables = from.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").pluck()
  to.transaction(() => {
    // Whichever table comes first, all rows are there in the end.
    to.pragma('defer_foreign_keys = ON')
    for (const table of tables.all() as string[]) {
      if (isWanted(table) && !table.startsWith('sqlite_')) copyTable(from, to, table)
    }
  })()
}

function copyTable(from: Db, to: Db, table: string): void {
  const select = from.prepare(`SELECT * FROM ${table}`)
  const names = select.columns().map(({ name }) => name)
  const insert = to.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
  for (const row of select.raw().iterate()) insert.run(row)
}
