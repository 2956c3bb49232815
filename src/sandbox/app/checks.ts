import { hash } from 'node:crypto'
import { formatInstant } from '../../clock/instant.ts'
import {
  canonicalQueryOf,
  canonicalString,
  compareByUtf16Unit,
  decodeQuery,
  EMPTY_BODY_SHA256,
  hasUnsignedBody,
  MalformedQueryError,
} from '../../contract/canonical-string.ts'
import { DEFAULT_GAPS, GAPS, type GapChoices } from '../../contract/choices.ts'
import { isForMerchants } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Grounds } from '../../contract/grounds.ts'
import { FIRST_MILLISECONDS, HEADERS, SIGNATURE_PREFIX, VISIBLE_ASCII, WHOLE_SECONDS } from '../../contract/headers.ts'
import { environmentOf } from '../../contract/ids.ts'
import { LIMITS } from '../../contract/limits.ts'
import { bodySha256, equalInConstantTime, hmacSha256Hex } from '../../contract/signature.ts'
import { counted } from '../../contract/words.ts'
import type { Db } from '../../storage/db.ts'
import { refuseUnlinked } from '../kernel/credentials.ts'
import type { RateLimit, World } from '../kernel/world.ts'
import { type AuthenticatedCall, type Call, type CheckName, type FindCredential, headerValues } from '../wire/call.ts'
import { quoted } from '../wire/validation.ts'

/** Lets a call pass, or throws the {@link ApiError} that it is refused with. */
export type Check = (call: AuthenticatedCall) => void

/**
 * What a call is asked before it is served, in this order unless its world has chosen another one ({@link CHECK_ORDERS}). The order
 * decides which code a partner sees (AUTH-18). The first three know no world yet; `key` finds it. A call that fails before
 * `nonce` leaves its nonce unused, and one that fails after it has used it up.
 */
export const CHECKS = {
  headers: checkHeaders,
  request: checkRequest,
  key: checkKey,
  timestamp: checkTimestamp,
  query: checkQuery,
  signature: checkSignature,
  nonce: checkNonce,
  'rate-limit': checkRateLimit,
  scope: checkScope,
} satisfies Record<CheckName, AnyCheck>

/** Those that come before the world is known take a {@link Call}, and look its key up. */
type AnyCheck = (call: AuthenticatedCall, find: FindCredential) => void

/** What a defect puts in the place of checks. */
export type OtherChecks = { readonly [Name in CheckName]?: (typeof CHECKS)[Name] }

/** These find out whose call it is. */
const UNTIL_WORLD_IS_KNOWN = ['headers', 'request', 'key'] as const satisfies readonly CheckName[]

/** Each legal order of the other checks (AUTH-18); a signature needs a query that can be read, and a nonce its transaction. */
export const CHECK_ORDERS = {
  'timestamp, signature, nonce, rate limit, scope': {
    beforeTransaction: ['timestamp', 'query', 'signature'],
    inTransaction: ['nonce', 'rate-limit', 'scope'],
  },
  'signature, timestamp, nonce, rate limit, scope': {
    beforeTransaction: ['query', 'signature', 'timestamp'],
    inTransaction: ['nonce', 'rate-limit', 'scope'],
  },
  'timestamp, signature, scope, nonce, rate limit': {
    beforeTransaction: ['timestamp', 'query', 'signature'],
    inTransaction: ['scope', 'nonce', 'rate-limit'],
  },
  'rate limit, timestamp, signature, nonce, scope': {
    beforeTransaction: ['rate-limit', 'timestamp', 'query', 'signature'],
    inTransaction: ['nonce', 'scope'],
  },
  'timestamp, nonce, signature, rate limit, scope': {
    beforeTransaction: ['timestamp', 'query'],
    inTransaction: ['nonce', 'signature', 'rate-limit', 'scope'],
  },
} as const satisfies Record<GapChoices['check-order'], CheckOrder>

interface CheckOrder {
  /** These need nothing but the call and the credential, so garbage is refused before a transaction is opened. */
  readonly beforeTransaction: readonly CheckName[]
  /** These read or change the world and share the transaction of the call itself. */
  readonly inTransaction: readonly CheckName[]
}

export function checksInOrder(gaps: GapChoices): readonly CheckName[] {
  const { beforeTransaction, inTransaction } = CHECK_ORDERS[gaps['check-order']]
  return [...UNTIL_WORLD_IS_KNOWN, ...beforeTransaction, ...inTransaction]
}

/** Makes some of the checks in their order; the first that refuses is noted on the call. */
export function runChecks(
  names: readonly CheckName[],
  call: AuthenticatedCall,
  find: FindCredential,
  instead: OtherChecks = {},
): void {
  for (const name of names) {
    const check: AnyCheck = instead[name] ?? CHECKS[name]
    try {
      check(call, find)
    } catch (error) {
      call.refusedBy = name
      throw error
    }
  }
}

/**
 * Finds out whose call it is.
 *
 * @param names all that come before the world is known, or `key` alone for a call that has waited.
 */
export function identify<KnownWorld extends World>(
  call: Call<KnownWorld>,
  find: FindCredential<KnownWorld>,
  instead: OtherChecks = {},
  names: readonly CheckName[] = UNTIL_WORLD_IS_KNOWN,
): AuthenticatedCall<KnownWorld> {
  // The first checks ask for no more than a Call; OtherChecks holds those of defects to that, too.
  runChecks(names, call as AuthenticatedCall, find, instead)
  if (!call.world || !call.credential) throw new Error('a call has passed the check of its key without a world')
  return call as AuthenticatedCall<KnownWorld>
}

const WANTED = {
  [HEADERS.keyId.toLowerCase()]: 'keyId',
  [HEADERS.timestamp.toLowerCase()]: 'timestamp',
  [HEADERS.nonce.toLowerCase()]: 'nonce',
  [HEADERS.signature.toLowerCase()]: 'signature',
} as const
/** No world refuses a shorter nonce for its length, so that most calls need no look at their world here. */
const NEVER_TOO_LONG = Math.min(...GAPS['nonce-max-length'].values)

type Field = 'keyId' | 'timestamp' | 'nonce' | 'signature'

/** Headers that occur more than once: the name of one, and the first value of each. */
interface Repeated {
  readonly name: string
  readonly first: Partial<Record<Field, string>>
}

/**
 * All four authentication headers are there, once each, and the nonce has a form that can be tracked.
 * No key id at all has a code of its own, no matter what else is there (AUTH-02, AUTH-03, AUTH-19, NONCE-07).
 *
 * @param find looks the call's world up where it is refused: the world decides how, and its log keeps the call.
 */
export function checkHeaders(call: Call, find: FindCredential): void {
  const repeated = readHeaders(call)
  if (call.keyId === '') {
    throw new ApiError('missing_credentials', `the header ${HEADERS.keyId} is missing`)
  }
  if (repeated) takeOne(call, repeated, locate(call, find))
  if (call.timestamp === '') throw missing(call, find, HEADERS.timestamp)
  if (call.nonce === '') throw missing(call, find, HEADERS.nonce)
  if (call.signature === '') throw missing(call, find, HEADERS.signature)
  if (call.nonce.length > NEVER_TOO_LONG || !VISIBLE_ASCII.test(call.nonce)) checkNonceForm(call, locate(call, find))
}

function readHeaders(call: Call): Repeated | null {
  const seen: string[] = []
  let repeated: Repeated | null = null
  for (let i = 0; i + 1 < call.rawHeaders.length; i += 2) {
    const name = call.rawHeaders[i] as string
    // All four names start with X-Partner; most headers are passed over by their first letter.
    if (name[0] !== 'X' && name[0] !== 'x') continue
    const field = WANTED[name.toLowerCase()]
    if (!field) continue
    if (seen.includes(field)) repeated = alsoRepeated(repeated, name, field, call[field])
    seen.push(field)
    call[field] = call.rawHeaders[i + 1] as string
  }
  return repeated
}

function alsoRepeated(before: Repeated | null, name: string, field: Field, first: string): Repeated {
  return { name, first: { [field]: first, ...before?.first } }
}

/** What a header that occurs twice comes to (AUTH-19). */
function takeOne(call: Call, { name, first }: Repeated, gaps: GapChoices): void {
  const choice = gaps['duplicate-header']
  if (choice === 'the last counts') return
  if (choice === 'the first counts') Object.assign(call, first)
  else throw refused(call, choice, `the header ${name} occurs more than once`)
}

function checkNonceForm(call: Call, gaps: GapChoices): void {
  const longest = gaps['nonce-max-length']
  if (call.nonce.length <= longest && VISIBLE_ASCII.test(call.nonce)) return
  const message = `the header ${HEADERS.nonce} must be 1 to ${longest} visible ASCII characters`
  throw refused(call, gaps['nonce-form-refusal'], message)
}

/** Finds the world that the key id belongs to, which from here on is the call's, for its choices. */
function locate(call: Call, find: FindCredential): GapChoices {
  call.world ??= find(call.keyId)?.world ?? null
  return call.world?.gaps ?? DEFAULT_GAPS
}

function missing(call: Call, find: FindCredential, header: string): ApiError {
  locate(call, find)
  return new ApiError('missing_signature_headers', `the header ${header} is missing`)
}

function refused(call: Call, code: GapChoices['nonce-form-refusal'], message: string): ApiError {
  return code === 'invalid_signature' ? signatureRefused(call, message) : new ApiError(code, message)
}

const ORDINARY_TARGET = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * The request is an ordinary one, so that path and query mean the same to everybody who reads them: it names a Host once,
 * and its target is neither absolute nor has a fragment or bytes beyond visible ASCII.
 */
function checkRequest(call: Call): void {
  if (!ORDINARY_TARGET.test(call.target)) {
    throw new ApiError('validation_error', 'the request target must be a path with an optional query, percent-encoded')
  }
  if (headerValues(call, 'host').length !== 1) {
    throw new ApiError('validation_error', 'the header Host must be there, once')
  }
}

/**
 * The key id is known and not revoked. The answer is that of a wrong signature, word for word, so that a caller cannot learn
 * which key ids exist; the request log says more (AUTH-15).
 */
export function checkKey(call: Call, find: FindCredential): void {
  const found = find(call.keyId)
  if (!found) {
    const isLive = environmentOf(call.keyId) === 'live'
    throw signatureRefused(call, isLive ? 'a live key id never works in a sandbox' : 'the key id is unknown here')
  }
  call.world = found.world
  call.credential = found.credential
  if (found.credential.revoked) throw signatureRefused(call, 'the credential is revoked')
}

/**
 * The one answer to everything that is wrong with a key or its signature.
 *
 * @param detail what the request log says of it, and the answer does not.
 */
export function signatureRefused(call: Call, detail: string | null = null): ApiError {
  if (detail !== null) call.detail = detail
  return new ApiError('invalid_signature', 'the signature does not fit the request and the credential')
}

/**
 * The time by which signatures are judged: the machine's, or the world's where an operator asked for that, plus the
 * skew an operator set (TIME-07).
 */
export function authNowMs(world: World): number {
  const baseMs = world.settings.authClock === 'world' ? world.clock.nowMs() : world.wall.nowMs()
  return baseMs + world.settings.authSkewSeconds * 1_000
}

/** The timestamp is Unix seconds and within 300 seconds of the time that judges it (TIME-01..07). */
export function checkTimestamp(call: AuthenticatedCall): void {
  const { world } = call
  const { pastSeconds, futureSeconds } = world.rules.timestamp
  if (!WHOLE_SECONDS.test(call.timestamp)) throw untimely(call, 'the timestamp must be Unix time in whole seconds')
  const sentSeconds = Number(call.timestamp)
  // The server's own second has begun, not ended: both sides are compared as whole seconds.
  const aheadSeconds = sentSeconds - Math.floor(authNowMs(world) / 1_000)
  const edge = world.gaps['skew-edge'] === 'accepted' ? 0 : 1
  if (aheadSeconds < -pastSeconds + edge) throw untimely(call, tooFar(-aheadSeconds, 'behind', pastSeconds))
  if (aheadSeconds > futureSeconds - edge) {
    const hint = sentSeconds >= FIRST_MILLISECONDS ? '; it looks like milliseconds' : ''
    throw untimely(call, tooFar(aheadSeconds, 'ahead of', futureSeconds) + hint)
  }
}

function tooFar(seconds: number, side: 'behind' | 'ahead of', allowedSeconds: number): string {
  return `the timestamp is ${seconds} seconds ${side} the server's time, and ${allowedSeconds} are allowed`
}

function untimely({ world, timestamp }: AuthenticatedCall, message: string): ApiError {
  const { pastSeconds, futureSeconds } = world.rules.timestamp
  const now = Math.floor(authNowMs(world) / 1_000)
  const expected = `${now - pastSeconds} to ${now + futureSeconds}`
  return new ApiError('invalid_timestamp', message, {
    grounds: { compared: [{ name: HEADERS.timestamp, sent: quoted(timestamp), expected }] },
  })
}

/** The query can be decoded at all; there is no canonical string of one that cannot (CANON-12, CANON-14). */
function checkQuery(call: AuthenticatedCall): void {
  if (call.rawQuery === '') return
  const { gaps } = call.world
  try {
    call.query = decodeQuery(call.rawQuery, gaps['plus-sign'] === 'a plus sign' ? '+' : ' ')
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error
    throw refused(call, gaps['malformed-escape'], error.message)
  }
}

/** The signature is the one that the credential's secret gives for the call as it arrived (AUTH-04..16). */
export function checkSignature(call: AuthenticatedCall): void {
  if (!call.signature.startsWith(SIGNATURE_PREFIX)) {
    throw signatureRefused(call, `the signature does not start with ${SIGNATURE_PREFIX}`)
  }
  const digest = hmacSha256Hex(call.credential.hmacKey, canonicalStringOf(call))
  if (!equalInConstantTime(call.signature, SIGNATURE_PREFIX + digest)) throw signatureRefused(call)
}

/** The six lines as they are computed here, from the bytes as they arrived. */
export function canonicalStringOf(call: Call): string {
  return canonicalString({
    method: call.method,
    path: call.path,
    query: canonicalQueryOf(call.query, call.world?.gaps['astral-sort'] === 'utf-16' ? compareByUtf16Unit : undefined),
    timestamp: call.timestamp,
    nonce: call.nonce,
    bodySha256: hasUnsignedBody(call.method) ? EMPTY_BODY_SHA256 : bodySha256(call.body),
  })
}

/** The nonce has not been used before while it is still tracked (NONCE-01..09). */
export function checkNonce(call: AuthenticatedCall): void {
  const { world } = call
  const retentionMs = world.gaps['nonce-retention-seconds'] * 1_000
  const { id, partnerId } = call.credential
  const within = world.gaps['nonce-within']
  // Whose nonce it is (NONCE-06): a credential's, or that of all that may not share it. A partner has a number below zero, where no
  // row number is, and the same whichever credentials it has.
  const ofPartner = () => -1 - Number.parseInt(hash('sha256', partnerId, 'hex').slice(0, 12), 16)
  const owner = within === 'credential' ? id : within === 'partner' ? ofPartner() : EVERYBODY
  if (useNonce(world.db, owner, call.nonce, authNowMs(world), retentionMs)) return
  throw new ApiError('replay_detected', 'the nonce has been used before; every attempt needs a fresh one')
}

/** No credential has this row number. */
const EVERYBODY = 0

/** The credential has not made too many calls lately (ERR-03, ERR-06). */
function checkRateLimit(call: AuthenticatedCall): void {
  const { world } = call
  const limit = world.settings.rateLimit
  if (!limit) return
  const waitSeconds = call.credential.rateWindow.admit(world.wall.monotonicMs(), limit)
  if (waitSeconds === 0) return
  throw new ApiError(
    'rate_limited',
    `more than ${counted(limit.requests, 'call')} in ${counted(limit.seconds, 'second')}; wait ${counted(waitSeconds, 'second')} and sign again`,
    { retryAfterSeconds: waitSeconds, grounds: limitedUntil(call, limit, waitSeconds) },
  )
}

function limitedUntil({ world, credential }: AuthenticatedCall, limit: RateLimit, waitSeconds: number): Grounds {
  const freeAt = formatInstant(world.wall.nowMs() + waitSeconds * 1_000)
  const window = counted(limit.seconds, 'second')
  return {
    says: `the credential ${credential.name} made ${counted(limit.requests, 'call')} in the last ${window}, which is its limit; the next is free at ${freeAt} of the real time`,
    compared: [{ name: `calls in ${window}`, sent: String(limit.requests + 1), expected: `at most ${limit.requests}` }],
    remedies: [{ says: 'See the calls that used it up.', command: `request list --key ${credential.keyId}` }],
  }
}

/**
 * The credential may use the endpoint: it holds one of its scopes, is linked to an affiliate account where the
 * endpoint asks for that, and belongs to a merchant of record where a sale is recorded (SCOPE-01..10).
 */
export function checkScope(call: AuthenticatedCall): void {
  if (call.endpoint === null) return
  const { credential } = call
  const { rules, gaps } = call.world
  const scopes = rules.scopes[call.endpoint]
  if (scopes.length > 0 && !scopes.some((scope) => credential.scopes.has(scope))) {
    const held = [...credential.scopes].join(', ') || 'none'
    throw new ApiError('forbidden', `the credential lacks the scope ${scopes.join(' or ')}`, {
      grounds: { compared: [{ name: 'scopes', sent: held, expected: scopes.join(' or ') }] },
    })
  }
  if (rules.affiliate[call.endpoint]) refuseUnlinked(credential)
  if (!credential.merchantOfRecord && isForMerchants(call.endpoint, gaps)) {
    throw new ApiError(
      gaps['not-merchant-refusal'],
      'the partner is not merchant of record; sell through hosted checkout (POST /checkout-session) instead',
    )
  }
}

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
  const { changes, lastInsertRowid } = db.statement(insert).run(owner, nonce, nowMs)
  if (changes === 0) {
    const takeOver = 'UPDATE nonces SET used_at = ? WHERE credential = ? AND nonce = ? AND used_at < ?'
    return db.statement(takeOver).run(nowMs, owner, nonce, expiredBeforeMs).changes === 1
  }
  const lastSeq = Number(lastInsertRowid) - KEPT_ALWAYS
  if (lastSeq > 0) {
    // More are forgotten than a call uses, and so few that no call waits for it.
    const oldest = 'SELECT seq FROM nonces WHERE used_at < ? ORDER BY used_at LIMIT 4'
    db.statement(`DELETE FROM nonces WHERE seq IN (${oldest}) AND seq <= ?`).run(expiredBeforeMs, lastSeq)
  }
  return true
}

/** Whether a nonce is remembered, expired or not. */
export function isNonceKnown(db: Db, owner: number, nonce: string): boolean {
  return db.statement('SELECT 1 FROM nonces WHERE credential = ? AND nonce = ?').get(owner, nonce) !== undefined
}

/** Once the keys under which they were used are gone. */
export function forgetNonces(db: Db): void {
  db.statement('DELETE FROM nonces').run()
}

/**
 * A nonce that was used stays used in a restored world.
 *
 * @param idOf the row number that a credential has in the restored world; undefined where it is not there.
 */
export function carryNonces(from: Db, to: Db, idOf: (credential: number) => number | undefined): void {
  const rows = from.statement<[credential: number, nonce: string, usedAt: number]>(
    'SELECT credential, nonce, used_at FROM nonces ORDER BY seq',
  )
  const insert = to.statement(
    `INSERT INTO nonces (credential, nonce, used_at) VALUES (?, ?, ?)
     ON CONFLICT (credential, nonce) DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
  )
  // One by one: there may be millions.
  for (const [credential, nonce, usedAt] of rows.raw().iterate()) {
    // Zero and below stand for more than one credential, and mean the same wherever they are.
    const id = credential > 0 ? idOf(credential) : credential
    if (id !== undefined) insert.run(id, nonce, usedAt)
  }
}
