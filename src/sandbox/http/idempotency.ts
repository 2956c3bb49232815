import { hash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import { statement } from '../../storage/database.ts'
import type { DueSource } from '../due.ts'
import type { Credential, World } from '../world.ts'
import type { Answer } from './answer.ts'
import { type Call, headerValues } from './call.ts'

const VISIBLE_ASCII = /^[\x21-\x7e]+$/
const RETENTION_MS = LIMITS.idempotencyRetentionSeconds * 1_000

interface StoredRow {
  fingerprint: string
  status: number
  body: string
}

/**
 * The key of a call that must carry one.
 *
 * @throws ApiError missing_idempotency_key where there is none (IDEM-01), validation_error where it has no legal form (IDEM-09).
 */
export function idempotencyKeyOf(call: Call): string {
  const values = headerValues(call, HEADERS.idempotencyKey)
  if (values.length > 1)
    throw new ApiError('validation_error', `the header ${HEADERS.idempotencyKey} occurs more than once`)
  const key = values[0] ?? ''
  if (key === '') {
    throw new ApiError('missing_idempotency_key', `the header ${HEADERS.idempotencyKey} is required here`)
  }
  if (key.length > LIMITS.idempotencyKeyMaxLength || !VISIBLE_ASCII.test(key)) {
    throw new ApiError(
      'validation_error',
      `the header ${HEADERS.idempotencyKey} must be 1 to ${LIMITS.idempotencyKeyMaxLength} visible ASCII characters`,
    )
  }
  return key
}

/**
 * Answers a call at most once per key: the first 2xx answer is stored with the write it belongs to, in one
 * transaction, and repeated byte for byte; another body under the same key is a conflict (IDEM-02..05).
 * Refusals are not stored, so a refused attempt leaves its key free.
 *
 * @param answerOnce does the write and answers.
 */
export function answeredOnce(world: World, caller: Credential, call: Call, answerOnce: () => Answer): Answer {
  const { keyRequired, keyWithin, sameBody, otherBody } = world.rules.idempotency
  if (!keyRequired && headerValues(call, HEADERS.idempotencyKey).length === 0) return answerOnce()
  const key = idempotencyKeyOf(call)
  const owner = keyWithin === 'partner' ? caller.partnerId : '*'
  const fingerprint = hash('sha256', call.body, 'hex')
  const stored = find(world, owner, key)
  if (stored) {
    const isSame = stored.fingerprint === fingerprint
    const treatment = isSame ? sameBody : otherBody
    if (treatment === 'conflict') {
      throw new ApiError('conflict', `the ${HEADERS.idempotencyKey} was used before with a different body`)
    }
    if (treatment !== 'records-again') return replay(stored)
  }
  const answer = answerOnce()
  if (!stored) store(world, { owner, key, fingerprint, answer })
  return answer
}

function replay(stored: StoredRow): Answer {
  return { status: stored.status, headers: { [HEADERS.idempotentReplayed]: 'true' }, body: stored.body }
}

function find(world: World, owner: string, key: string): StoredRow | null {
  const row = statement(
    world.db,
    'SELECT fingerprint, status, body FROM idempotency_keys WHERE partner_id = ? AND key = ?',
  ).get(owner, key)
  return (row as StoredRow | undefined) ?? null
}

function store(world: World, entry: { owner: string; key: string; fingerprint: string; answer: Answer }): void {
  const expiresAtMs = world.clock.nowMs() + RETENTION_MS
  statement(
    world.db,
    'INSERT INTO idempotency_keys (partner_id, key, fingerprint, status, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(entry.owner, entry.key, entry.fingerprint, entry.answer.status, entry.answer.body, expiresAtMs)
  world.due.note(expiresAtMs)
}

/** Keys are forgotten 24 hours of world time after they were stored; rows come in that order by themselves. */
export const idempotencyDue: DueSource = {
  peek(world) {
    const row = statement(world.db, 'SELECT seq, expires_at FROM idempotency_keys ORDER BY seq LIMIT 1').get()
    const oldest = row as { seq: number; expires_at: number } | undefined
    return oldest ? { atMs: oldest.expires_at, id: String(oldest.seq) } : null
  },
  run(world, item) {
    const row = statement(world.db, 'DELETE FROM idempotency_keys WHERE seq = ? RETURNING key').get(Number(item.id))
    const { key } = row as { key: string }
    return [
      { atMs: item.atMs, kind: 'idempotency.expired', id: key, summary: `the idempotency key ${key} is free again` },
    ]
  },
  count: (world) => (statement(world.db, 'SELECT count(*) AS n FROM idempotency_keys').get() as { n: number }).n,
}
