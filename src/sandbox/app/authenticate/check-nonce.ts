import { hash } from 'node:crypto'
import { ApiError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { type Db, statement } from '../../../storage/database.ts'
import { authNowMs, type Credential, type World } from '../../kernel/world.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The nonce has not been used before while it is still tracked (NONCE-01..09). */
export function checkNonce(call: AuthenticatedCall): void {
  const { world } = call
  const { tracked, form } = world.rules.nonce
  if (form === 'uuid' && !UUID.test(call.nonce)) throw refused()
  if (!tracked) return
  const retentionMs = world.gaps['nonce-retention-seconds'] * 1_000
  const owner = ownerOf(call.credential, world)
  if (!useNonce(world.db, owner, comparedPart(call, world), authNowMs(world), retentionMs)) throw refused()
}

/** No credential has this row number. */
const EVERYBODY = 0

/** Whose nonce it is (NONCE-06): the number of a credential, or one that stands for all that may not share it. */
function ownerOf({ id, partnerId }: Credential, { gaps }: World): number {
  switch (gaps['nonce-within']) {
    case 'credential':
      return id
    case 'partner':
      // Below zero, where no row number is, and the same whichever credentials the partner has.
      return -1 - Number.parseInt(hash('sha256', partnerId, 'hex').slice(0, 12), 16)
    case 'environment':
      return EVERYBODY
  }
}

/** What of a nonce is compared, and with what beside it; the whole nonce alone in a sound sandbox. */
function comparedPart(call: AuthenticatedCall, world: World): string {
  const { within, compared } = world.rules.nonce
  let nonce = call.nonce
  if (compared === 'case-insensitive') nonce = nonce.toLowerCase()
  if (compared === 'all-but-last-character') nonce = nonce.slice(0, -1)
  switch (within) {
    case 'credential':
      return nonce
    case 'credential-and-path':
      return `${nonce} ${call.path}`
    case 'credential-and-method':
      return `${nonce} ${call.method}`
    case 'credential-and-timestamp':
      return `${nonce} ${call.timestamp}`
  }
}

function refused(): ApiError {
  return new ApiError('replay_detected', 'the nonce has been used before; every attempt needs a fresh one')
}

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
