import { hash } from 'node:crypto'
import type { GapChoices } from '../../contract/choices.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import { HEADERS, VISIBLE_ASCII } from '../../contract/headers.ts'
import { atomically } from '../commit-queue.ts'
import { effectOf } from '../kernel/refusal-with-effect.ts'
import { type TaskSource, waitingRows } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import { type AuthenticatedCall, type Call, headerValues, noteRefusal } from '../wire/call.ts'
import { errorAnswer, PROBLEM_TYPE } from '../wire/error-answer.ts'
import { jsonFingerprint } from '../wire/json-body.ts'
import type { Answer } from '../wire/route.ts'
import { quoted } from '../wire/validation.ts'

const HOUR_MS = 3_600_000

/** Refusals of a correct call by the state of things; a malformed one has started nothing that could be repeated. */
const REPEATABLE: readonly ErrorCode[] = ['not_found', 'conflict', 'price_mismatch', 'quote_expired']

interface StoredRow {
  fingerprint: string
  status: number
  body: string
}

/**
 * The key of a call that must carry one.
 *
 * @throws ApiError missing_idempotency_key if there is none (IDEM-01), validation_error if its form is not legal (IDEM-09).
 */
export function idempotencyKeyOf(call: Call, gaps: GapChoices): string {
  const values = headerValues(call, HEADERS.idempotencyKey)
  if (values.length > 1)
    throw new ApiError('validation_error', `the header ${HEADERS.idempotencyKey} occurs more than once`)
  const key = values[0] ?? ''
  const longest = gaps['idempotency-key-max-length']
  const expected = `1 to ${longest} visible ASCII characters`
  if (key === '') {
    const compared = [{ name: HEADERS.idempotencyKey, sent: null, expected: `${expected}, new for each order` }]
    const message = `the header ${HEADERS.idempotencyKey} is required here`
    throw new ApiError('missing_idempotency_key', message, { grounds: { compared } })
  }
  if (key.length > longest || !VISIBLE_ASCII.test(key)) {
    const compared = [{ name: HEADERS.idempotencyKey, sent: quoted(key), expected }]
    const message = `the header ${HEADERS.idempotencyKey} must be ${expected}`
    throw new ApiError('validation_error', message, { grounds: { compared } })
  }
  return key
}

/** A call's use of its key: `earlier` is the answer that the first use was given, null where this is the first. */
interface KeyUse {
  readonly owner: string
  readonly key: string
  readonly fingerprint: string
  readonly earlier: Answer | null
}

/**
 * Looks the key of a call up. A call is answered at most once per key: the first 2xx answer is kept with the write it belongs to, in
 * one transaction ({@link keepAnswer}), and repeated byte for byte. Refusals are not kept, so a refused attempt leaves its key
 * free, unless the open points say otherwise (IDEM-02..05, IDEM-09).
 *
 * @throws ApiError conflict where the key was used with another body.
 */
export function useOfKey(call: AuthenticatedCall): KeyUse {
  const { world } = call
  const { partnerId, id } = call.credential
  const key = idempotencyKeyOf(call, world.gaps)
  // No partner ever sees the key of another one.
  const owner = world.gaps['key-within'] === 'partner' ? partnerId : `${partnerId}/${id}`
  const fingerprint = fingerprintOf(call.body, world.gaps)
  const select = 'SELECT fingerprint, status, body FROM idempotency_keys WHERE partner_id = ? AND key = ?'
  const stored = world.db.statement<StoredRow>(select).get(owner, key)
  if (stored && stored.fingerprint !== fingerprint) {
    throw new ApiError('conflict', `the ${HEADERS.idempotencyKey} was used before with a different body`, {
      grounds: { keyUsedFor: stored.fingerprint },
    })
  }
  return { owner, key, fingerprint, earlier: stored ? replay(call, stored) : null }
}

/** What two bodies under one key must have in common. */
export function fingerprintOf(body: Uint8Array, gaps: GapChoices): string {
  return gaps['same-body'] === 'the same bytes' ? hash('sha256', body, 'hex') : jsonFingerprint(body)
}

/** A refusal that can be repeated as an answer, with everything undone that led to it. */
export function orRefusal(call: AuthenticatedCall, answerOnce: () => Answer): Answer {
  try {
    return atomically(call.world.db, answerOnce, effectOf)
  } catch (error) {
    if (!(error instanceof ApiError) || !REPEATABLE.includes(error.code)) throw error
    noteRefusal(call, error)
    return errorAnswer(error, call.world, call.id)
  }
}

function replay(call: AuthenticatedCall, { fingerprint, status, body }: StoredRow): Answer {
  const { gaps } = call.world
  if (status >= 400) {
    call.grounds = { keyUsedFor: fingerprint }
    return { status, headers: gaps['error-layout'] === 'problem' ? { 'content-type': PROBLEM_TYPE } : {}, body }
  }
  const headers: Record<string, string> = gaps['replay-mark'] === 'no' ? {} : { [HEADERS.idempotentReplayed]: 'true' }
  return { status: gaps['repeated-order-status'] === 'as stored' ? status : 200, headers, body }
}

/** For later calls with the same key, in the transaction of the call. */
export function keepAnswer(world: World, { owner, key, fingerprint }: KeyUse, { status, body }: Answer): void {
  const expiresAtMs = world.clock.nowMs() + world.gaps['idempotency-key-hours'] * HOUR_MS
  const sql =
    'INSERT INTO idempotency_keys (partner_id, key, fingerprint, status, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)'
  world.db.statement(sql).run(owner, key, fingerprint, status, body, expiresAtMs)
}

/** Keys are forgotten a while of world time after they were stored, 24 hours unless chosen otherwise; rows come in that order by themselves. */
export const idempotencyExpiry: TaskSource = {
  ...waitingRows({
    kind: 'idempotency.expired',
    from: 'FROM idempotency_keys',
    id: 'CAST(seq AS TEXT)',
    at: 'expires_at',
    order: 'seq',
  }),
  run(world, item) {
    const row = world.db.statement('DELETE FROM idempotency_keys WHERE seq = ? RETURNING key').get(Number(item.id))
    const { key } = row as { key: string }
    return [
      { atMs: item.atMs, kind: 'idempotency.expired', id: key, summary: `the idempotency key ${key} is free again` },
    ]
  },
}
