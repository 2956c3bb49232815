import { hash } from 'node:crypto'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { GapChoices } from '../../contract/gaps.ts'
import { HEADERS } from '../../contract/headers.ts'
import { statement } from '../../storage/database.ts'
import { undoneOnRefusal } from '../kernel/refusal-with-effect.ts'
import type { TaskSource } from '../kernel/scheduled-task.ts'
import type { Credential, World } from '../kernel/world.ts'
import { type AuthenticatedCall, type Call, headerValues, noteRefusal } from '../wire/call.ts'
import { errorAnswer, PROBLEM_TYPE } from '../wire/error-answer.ts'
import { jsonFingerprint } from '../wire/json-body.ts'
import type { Answer } from '../wire/route.ts'
import { quoted } from '../wire/validation.ts'

const VISIBLE_ASCII = /^[\x21-\x7e]+$/
const HOUR_MS = 3_600_000

/** Refusals of a sound call by the state of things; a malformed one has started nothing that could be repeated. */
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

/**
 * Answers a call at most once per key: the first 2xx answer is stored with the write it belongs to, in one
 * transaction, and repeated byte for byte; another body under the same key is a conflict (IDEM-02..05).
 * Refusals are not stored, so a refused attempt leaves its key free, unless the open points say otherwise (IDEM-09).
 *
 * @param answerOnce does the write and answers.
 */
export function answeredOnce(call: AuthenticatedCall, answerOnce: () => Answer): Answer {
  const { world } = call
  const key = idempotencyKeyOf(call, world.gaps)
  const owner = ownerOf(call.credential, world.gaps)
  const fingerprint = fingerprintOf(call.body, world.gaps)
  const stored = find(world, owner, key)
  if (stored?.fingerprint === fingerprint) return replay(call, stored)
  if (stored) {
    throw new ApiError('conflict', `the ${HEADERS.idempotencyKey} was used before with a different body`, {
      grounds: { keyUsedFor: stored.fingerprint },
    })
  }
  const answer = world.gaps['refused-attempt'] === 'leaves it free' ? answerOnce() : orRefusal(call, answerOnce)
  store(world, { owner, key, fingerprint, answer })
  return answer
}

/** Within a partner its credentials share their keys, unless the open points say otherwise; no partner ever sees another's. */
function ownerOf({ partnerId, id }: Credential, gaps: GapChoices): string {
  return gaps['key-within'] === 'partner' ? partnerId : `${partnerId}/${id}`
}

/** What two bodies under one key must have in common. */
export function fingerprintOf(body: Uint8Array, gaps: GapChoices): string {
  return gaps['same-body'] === 'the same bytes' ? hash('sha256', body, 'hex') : jsonFingerprint(body)
}

/** A refusal that can be repeated as an answer, with everything undone that led to it. */
function orRefusal(call: AuthenticatedCall, answerOnce: () => Answer): Answer {
  try {
    return undoneOnRefusal(call.world.db, answerOnce)
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
    return { status, headers: refusalHeaders(gaps), body }
  }
  const headers: Record<string, string> = gaps['replay-mark'] === 'no' ? {} : { [HEADERS.idempotentReplayed]: 'true' }
  return { status: gaps['repeated-order-status'] === 'as stored' ? status : 200, headers, body }
}

function refusalHeaders(gaps: GapChoices): Record<string, string> {
  return gaps['error-layout'] === 'problem' ? { 'content-type': PROBLEM_TYPE } : {}
}

function find(world: World, owner: string, key: string): StoredRow | null {
  const row = statement(
    world.db,
    'SELECT fingerprint, status, body FROM idempotency_keys WHERE partner_id = ? AND key = ?',
  ).get(owner, key)
  return (row as StoredRow | undefined) ?? null
}

function store(world: World, entry: { owner: string; key: string; fingerprint: string; answer: Answer }): void {
  const expiresAtMs = world.clock.nowMs() + world.gaps['idempotency-key-hours'] * HOUR_MS
  statement(
    world.db,
    'INSERT INTO idempotency_keys (partner_id, key, fingerprint, status, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(entry.owner, entry.key, entry.fingerprint, entry.answer.status, entry.answer.body, expiresAtMs)
}

/** Keys are forgotten a while of world time after they were stored, 24 hours unless chosen otherwise; rows come in that order by themselves. */
export const idempotencyExpiry: TaskSource = {
  kind: 'idempotency.expired',
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
