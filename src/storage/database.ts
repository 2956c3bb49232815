import { chmodSync, existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { createTables } from './schema.ts'
import { StorageError, UnsoundDatabaseError } from './storage-error.ts'

export type Db = Database.Database
export type Statement<Row = unknown> = Database.Statement<unknown[], Row>

/**
 * Opens a world's database: a file that survives kill -9 and power loss (WAL, synchronous FULL, one process at a
 * time), or one in memory.
 *
 * @param file path of the file, made when absent; null for memory. One that was there before is still to be judged (see
 *   judge-database.ts), unless this process has just written it.
 * @throws StorageError where the file is in use or cannot be read or written; UnsoundDatabaseError where it is damaged.
 * @example const db = openDatabase('data/default.sqlite')
 */
export function openDatabase(file: string | null): Db {
  if (file === null) return createTables(tune(new Database(':memory:')))
  const isNew = !existsSync(file)
  let db: Db | undefined
  try {
    db = new Database(file, { timeout: 0 })
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
 */
export function openBytes(bytes: Uint8Array): Db {
  const db = new Database(withoutLog(bytes))
  // The bytes are in memory anyway, so a page that is not at hand costs next to nothing.
  db.pragma('cache_size = -512')
  return tune(db)
}

/**
 * The whole of a database as it stands, as the bytes of a file that any SQLite opens. Not inside a transaction.
 *
 * @example writeFileSync('world.sqlite', bytesOf(world.db))
 */
export function bytesOf(db: Db): Buffer {
  return withoutLog(db.serialize())
}

/** Size in bytes of what {@link bytesOf} gives. */
export function sizeOf(db: Db): number {
  return Number(db.pragma('page_size', { simple: true })) * Number(db.pragma('page_count', { simple: true }))
}

/** Where the header says how the file is written and read: 2 means with a log beside it, which bytes have not. */
const FORMAT_VERSIONS = [18, 19]

function withoutLog(bytes: Uint8Array): Buffer {
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const at of FORMAT_VERSIONS) if (plain[at] === 2) plain[at] = 1
  return plain
}

function tune(db: Db): Db {
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

/** Sets what the next commits outlive; in WAL mode `process-death` costs no sync. */
export function setDurability(db: Db, durability: Durability): void {
  db.pragma(`synchronous = ${SYNCHRONOUS[durability]}`)
}

const prepared = new WeakMap<Db, Map<string, Statement>>()

/**
 * A prepared statement, compiled once per database and text.
 *
 * @example statement<Row>(db, 'SELECT * FROM orders WHERE public_id = ?').get(publicId)
 */
export function statement<Row = unknown>(db: Db, sql: string): Statement<Row> {
  let cache = prepared.get(db)
  if (!cache) {
    cache = new Map()
    prepared.set(db, cache)
  }
  let found = cache.get(sql)
  if (!found) {
    found = db.prepare(sql)
    cache.set(sql, found)
  }
  return found as Statement<Row>
}

/** The next value of a table's `seq` column: rolled back with the row, and right after a restart. */
export function nextSequence(db: Db, table: string): number {
  return (statement(db, `SELECT coalesce(max(seq), 0) + 1 AS next FROM ${table}`).get() as { next: number }).next
}
