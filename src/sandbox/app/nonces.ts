import { LIMITS } from '../../contract/limits.ts'
import { type Db, statement } from '../../storage/db.ts'

const USUAL_RETENTION_MS = LIMITS.nonceRetentionSeconds * 1_000
/**
 * The latest nonces are never forgotten, however old: if a machine's clock was ahead for a while and is set back, nonces that it
 * made look old would be accepted again.
 */
const KEPT_ALWAYS = 200_000

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
  const insert =
    'INSERT INTO nonces (credential, nonce, used_at) VALUES (?, ?, ?) ON CONFLICT (credential, nonce) DO NOTHING'
  const { changes, lastInsertRowid } = statement(db, insert).run(owner, nonce, nowMs)
  if (changes === 0) {
    const takeOver = 'UPDATE nonces SET used_at = ? WHERE credential = ? AND nonce = ? AND used_at < ?'
    return statement(db, takeOver).run(nowMs, owner, nonce, expiredBeforeMs).changes === 1
  }
  const lastSeq = Number(lastInsertRowid) - KEPT_ALWAYS
  if (lastSeq > 0) {
    // More are forgotten than a call uses, and so few that no call waits for it.
    const oldest = 'SELECT seq FROM nonces WHERE used_at < ? ORDER BY used_at LIMIT 4'
    statement(db, `DELETE FROM nonces WHERE seq IN (${oldest}) AND seq <= ?`).run(expiredBeforeMs, lastSeq)
  }
  return true
}

/** Whether a nonce is remembered, expired or not. */
export function isNonceKnown(db: Db, owner: number, nonce: string): boolean {
  return statement(db, 'SELECT 1 FROM nonces WHERE credential = ? AND nonce = ?').get(owner, nonce) !== undefined
}

/** Once the keys under which they were used are gone. */
export function forgetNonces(db: Db): void {
  statement(db, 'DELETE FROM nonces').run()
}

/**
 * A nonce that was used stays used in a restored world.
 *
 * @param idOf the row number that a credential has in the restored world; undefined where it is not there.
 */
export function carryNonces(from: Db, to: Db, idOf: (credential: number) => number | undefined): void {
  const rows = statement<[credential: number, nonce: string, usedAt: number]>(
    from,
    'SELECT credential, nonce, used_at FROM nonces ORDER BY seq',
  )
  const insert = statement(
    to,
    `INSERT INTO nonces (credential, nonce, used_at) VALUES (?, ?, ?)
     ON CONFLICT (credential, nonce) DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
  )
  // One by one: there may be millions.
  for (const [credential, nonce, usedAt] of rows.raw().iterate()) {
    // Zero and below stand for more than one credential (see checks.ts), and mean the same wherever they are.
    const id = credential > 0 ? idOf(credential) : credential
    if (id !== undefined) insert.run(id, nonce, usedAt)
  }
}
