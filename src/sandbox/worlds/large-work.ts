import { chmodSync, closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { oneStep, type Steps } from '../../contract/steps.ts'
import { createTables, Db, openDatabase } from '../../storage/database.ts'
import { takeNameOf } from '../../storage/nameless-file.ts'
import { openingJudged } from '../../storage/validate-snapshot.ts'
import { type InventoryOptions, seedingInventory } from '../inventory/generate.ts'
import { judgingValues } from './validate-values.ts'

/** Where a large database is written. */
export interface Target {
  readonly path: string
  /** Whether it is to outlive the machine; otherwise the file is there already and loses its name (see nameless-file.ts). */
  readonly isLasting: boolean
}

/** What takes long with a large database, in a form that another thread can be sent. */
export type LargeWork =
  /** Makes one file of a copy and its log. */
  | { readonly kind: 'join'; readonly path: string }
  /** Writes a snapshot, once it is judged. */
  | { readonly kind: 'judge'; readonly target: Target; readonly bytes: Uint8Array }
  /** Draws an inventory into a database with nothing else in it. */
  | { readonly kind: 'draw'; readonly target: Target; readonly options: InventoryOptions }

/** @throws UnsoundDatabaseError where a snapshot is not a sound world. */
export function carryingOut(work: LargeWork): Steps<void> {
  if (work.kind === 'join') return oneStep(() => join(work.path))
  return work.kind === 'judge' ? judging(work.target, work.bytes) : drawing(work.target, work.options)
}

function join(path: string): void {
  const db = openDatabase(path)
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  sync(path)
}

function* judging(target: Target, sent: Uint8Array): Steps<void> {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength)
  const sound = yield* openingJudged(bytes, judgingValues)
  sound.close()
  yield* writing(target, bytes)
}

/** In a few milliseconds. */
const BYTES_A_STEP = 8 * 1024 * 1024

function* writing({ path, isLasting }: Target, bytes: Buffer): Steps<void> {
  // It holds secrets.
  const file = openSync(path, isLasting ? 'wx' : 'r+', 0o600)
  try {
    if (!isLasting) takeNameOf(path)
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(file, bytes, at, Math.min(BYTES_A_STEP, bytes.length - at))
      yield
    }
    if (isLasting) fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Most of what is written at random is at hand then. */
const CACHE_KIB = 100_000

function* drawing({ path, isLasting }: Target, options: InventoryOptions): Steps<void> {
  const db = new Db(path)
  try {
    chmodSync(path, 0o600)
    // Where it fails, or the process dies, the file is thrown away.
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = OFF')
    db.pragma('synchronous = OFF')
    db.pragma(`cache_size = -${CACHE_KIB}`)
    createTables(db)
    if (!isLasting) takeNameOf(path)
    db.exec('BEGIN')
    yield* seedingInventory(db, options)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
  if (isLasting) sync(path)
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
