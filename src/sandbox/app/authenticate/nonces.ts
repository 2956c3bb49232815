import { LIMITS } from '../../../contract/limits.ts'
import type { Steps } from '../../../contract/steps.ts'
import { type Db, statement } from '../../../storage/database.ts'
import type { TableChanges } from '../../../storage/table-changes.ts'

const USUAL_RETENTION_MS = LIMITS.nonceRetentionSeconds * 1_000

/**
 * Marks a nonce as used, in one step with the look-up (NONCE-04). Kept in the world's database, so that it outlives a
 * restart (NONCE-08); forgotten some time after its first use, by the clock that judges timestamps (NONCE-05).
 *
 * @param owner whose nonce it is: the row number of a credential, or another number that stands for more than one.
 * @returns false where the nonce is still tracked.
 */
export function useNonce(
  db: Db,
  owner: number,
  nonce: string,
  nowMs: number,
  retentionMs = USUAL_RETENTION_MS,
): boolean {
  const expiredBeforeMs = nowMs - retentionMs
  const { insertion, takeOver } = statementsFor(nonce)
  if (statement(db, insertion).run(owner, nonce, nowMs).changes === 0) {
    return statement(db, takeOver).run(nowMs, owner, nonce, expiredBeforeMs).changes === 1
  }
  noteUse(db, nowMs, expiredBeforeMs)
  return true
}

/** Whether a nonce is remembered, expired or not. */
export function isNonceKnown(db: Db, owner: number, nonce: string): boolean {
  return statement(db, statementsFor(nonce).lookUp).get(owner, nonce) !== undefined
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** In a UUID of this one spelling nothing but its bytes says anything. */
function statementsFor(nonce: string) {
  return UUID.test(nonce) ? OF_UUIDS : OF_TEXTS
}

/** @param kept a nonce as it is written. */
function statementsWith(kept: string) {
  const key = `credential = ? AND nonce = ${kept}`
  return {
    insertion: `INSERT INTO nonces (credential, nonce, used_at) VALUES (?, ${kept}, ?) ON CONFLICT (credential, nonce) DO NOTHING`,
    takeOver: `UPDATE nonces SET used_at = ? WHERE ${key} AND used_at < ?`,
    lookUp: `SELECT 1 FROM nonces WHERE ${key}`,
  }
}

const OF_UUIDS = statementsWith("unhex(?, '-')")
const OF_TEXTS = statementsWith('?')

/** So many nonces are a generation, and with each so many rows are looked at for what has expired. */
const GENERATION = 500
const LOOKED_AT = 4_000
/**
 * The nonces of so many generations are never forgotten, however old: a machine's clock that was ahead for a while is set back,
 * and what it made look old would be accepted again. There are 100,000 at least, even if every other use was undone.
 */
const KEPT_ALWAYS = 400

type Key = [credential: number, nonce: string | Uint8Array]

/** Before all keys. */
const START: Key = [Number.MIN_SAFE_INTEGER, '']

/** Of the nonces of a database, what is not worth a row: a process that dies makes a generation longer, that is all. */
interface Progress {
  used: number
  earliestMs: number
  /** How far expired rows have been looked for, in the order of keys. */
  lookedAt: Key
}

const progressOf = new WeakMap<TableChanges, Progress>()

function noteUse(db: Db, nowMs: number, expiredBeforeMs: number): void {
  let progress = progressOf.get(db.changes)
  if (!progress) {
    progress = { used: 0, earliestMs: nowMs, lookedAt: START }
    progressOf.set(db.changes, progress)
  }
  progress.earliestMs = progress.used === 0 ? nowMs : Math.min(progress.earliestMs, nowMs)
  progress.used += 1
  if (progress.used < GENERATION) return
  progress.used = 0
  const keptFromMs = endGeneration(db, progress.earliestMs)
  if (keptFromMs !== null) progress.lookedAt = forgetSome(db, progress.lookedAt, Math.min(expiredBeforeMs, keptFromMs))
}

/** @returns the earliest use in the generations that are never forgotten; null while there are not so many. */
function endGeneration(db: Db, earliestMs: number): number | null {
  const insert = statement(db, 'INSERT INTO nonce_generations (earliest_at) VALUES (?)')
  const { lastInsertRowid } = insert.run(earliestMs)
  statement(db, 'DELETE FROM nonce_generations WHERE number <= ?').run(Number(lastInsertRowid) - KEPT_ALWAYS)
  const [count, keptFromMs] = statement<[number, number]>(
    db,
    'SELECT count(*), min(earliest_at) FROM nonce_generations',
  )
    .raw()
    .get() as [number, number]
  return count < KEPT_ALWAYS ? null : keptFromMs
}

const BEYOND = '(credential, nonce) > (?, ?)'

/** Forgets what is old among the next rows. @returns the last of them, or the start after the very last. */
function forgetSome(db: Db, from: Key, beforeMs: number): Key {
  const to = statement<Key>(db, `SELECT credential, nonce FROM nonces WHERE ${BEYOND} ORDER BY 1, 2 LIMIT 1 OFFSET ?`)
    .raw()
    .get(...from, LOOKED_AT - 1)
  const old = `DELETE FROM nonces WHERE ${BEYOND} AND used_at < ?`
  if (to) statement(db, `${old} AND (credential, nonce) <= (?, ?)`).run(...from, beforeMs, ...to)
  else statement(db, old).run(...from, beforeMs)
  return to ?? START
}

/** Once the keys under which they were used are gone. */
export function forgetNonces(db: Db): void {
  statement(db, 'DELETE FROM nonces').run()
  statement(db, 'DELETE FROM nonce_generations').run()
}

/** The same step by step: so many rows take longer than others may wait. */
export function* forgettingNonces(db: Db): Steps<void> {
  const last = 'SELECT credential, nonce FROM nonces ORDER BY 1, 2 LIMIT 1 OFFSET ?'
  for (;;) {
    const to = statement<Key>(db, last).raw().get(CARRIED_A_STEP)
    if (!to) break
    statement(db, 'DELETE FROM nonces WHERE (credential, nonce) <= (?, ?)').run(...to)
    yield
  }
  forgetNonces(db)
}

/**
 * A nonce that was used stays used in a restored world.
 *
 * @param idOf the row number that a credential has in the restored world; undefined where it is not there.
 * @param sinceMs those used from then on, by the clock that signatures go by; others were carried by {@link carryingNonces}.
 */
export function carryNonces(from: Db, to: Db, idOf: IdOf, sinceMs = Number.MIN_SAFE_INTEGER): void {
  const used = 'SELECT credential, nonce, used_at FROM nonces WHERE used_at >= ?'
  // One by one: there may be millions.
  carryRows(to, statement<Row>(from, used).raw().iterate(sinceMs), idOf)
  const generations = statement<[number, number]>(from, 'SELECT number, earliest_at FROM nonce_generations').raw().all()
  statement(to, 'DELETE FROM nonce_generations').run()
  const insert = statement(to, 'INSERT INTO nonce_generations (number, earliest_at) VALUES (?, ?)')
  for (const generation of generations) insert.run(...generation)
}

/** A few milliseconds' worth. */
const CARRIED_A_STEP = 1_000

/** Carries all of them while more are used, in short transactions. */
export function* carryingNonces(from: Db, to: Db, idOf: IdOf): Steps<void> {
  const next = `SELECT credential, nonce, used_at FROM nonces WHERE ${BEYOND} ORDER BY 1, 2 LIMIT ?`
  for (let after: Key | undefined = START; after; ) {
    const rows: Row[] = statement<Row>(from, next)
      .raw()
      .all(...after, CARRIED_A_STEP)
    to.transaction(() => carryRows(to, rows, idOf))()
    after = rows.length < CARRIED_A_STEP ? undefined : keyOf(rows.at(-1))
    yield
  }
}

type Row = [credential: number, nonce: string | Uint8Array, usedAt: number]
type IdOf = (credential: number) => number | undefined

function keyOf(row: Row | undefined): Key | undefined {
  return row && [row[0], row[1]]
}

function carryRows(to: Db, rows: Iterable<Row>, idOf: IdOf): void {
  const carry = `INSERT INTO nonces (credential, nonce, used_at) VALUES (?, ?, ?)
    ON CONFLICT (credential, nonce) DO UPDATE SET used_at = max(used_at, excluded.used_at)`
  const insert = statement(to, carry)
  for (const [credential, nonce, usedAt] of rows) {
    // Zero and below stand for more than one credential (see check-nonce.ts), and mean the same wherever they are.
    const id = credential > 0 ? idOf(credential) : credential
    if (id !== undefined) insert.run(id, nonce, usedAt)
  }
}
