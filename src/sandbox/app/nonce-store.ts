import { LIMITS } from '../../contract/limits.ts'
import { type Db, statement } from '../../storage/database.ts'

const USUAL_RETENTION_MS = LIMITS.nonceRetentionSeconds * 1_000
const PURGE_EVERY = 500
const PURGE_AT_MOST = 2_000
/**
 * Never forgotten, however old: a machine's clock that was ahead for a while is set back, and what it made look old
 * would be accepted again.
 */
const KEPT_ALWAYS = 100_000

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
  const inserted = statement(
    db,
    'INSERT INTO nonces (credential, nonce, used_at) VALUES (?, ?, ?) ON CONFLICT (credential, nonce) DO NOTHING',
  ).run(owner, nonce, nowMs)
  if (inserted.changes === 0) return takeOverExpired(db, owner, nonce, nowMs, nowMs - retentionMs)
  const seq = Number(inserted.lastInsertRowid)
  if (seq % PURGE_EVERY === 0) forgetExpired(db, seq, nowMs - retentionMs)
  return true
}

function takeOverExpired(db: Db, owner: number, nonce: string, nowMs: number, expiredBeforeMs: number): boolean {
  const taken = statement(db, 'UPDATE nonces SET used_at = ? WHERE credential = ? AND nonce = ? AND used_at < ?').run(
    nowMs,
    owner,
    nonce,
    expiredBeforeMs,
  )
  return taken.changes === 1
}

/** Rows come in the order of time, so the oldest are the lowest; a bounded batch keeps each call quick. */
function forgetExpired(db: Db, latestSeq: number, expiredBeforeMs: number): void {
  statement(
    db,
    `DELETE FROM nonces WHERE used_at < ? AND seq IN (SELECT seq FROM nonces WHERE seq <= ? ORDER BY seq LIMIT ${PURGE_AT_MOST})`,
  ).run(expiredBeforeMs, latestSeq - KEPT_ALWAYS)
}
