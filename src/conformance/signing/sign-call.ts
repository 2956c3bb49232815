import { createHmac, hash } from 'node:crypto'
import {
  type CanonicalParts,
  canonicalQuery,
  canonicalString,
  EMPTY_BODY_SHA256,
  encodeComponent,
  hasUnsignedBody,
  MalformedQueryError,
  type QueryPair,
  splitTarget,
} from '../../contract/canonical-string.ts'
import { type QueryMistakeId, wrongQuery } from '../../contract/diagnosis/query-mistakes.ts'
import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS, headerIn, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { environmentOf } from '../../contract/ids.ts'
import type { Scope } from '../../contract/scopes.ts'
import { bodySha256, hmacSha256Hex, type SigningKey } from '../../contract/signature.ts'
import type { WireRequest } from '../http/exchange.ts'
import { type Fault, FaultContextError, FaultHasNoEffectError } from './signature-faults.ts'

/** The headers a fault may touch, by the name the fault has for them. */
type AuthHeader = 'key_id' | 'timestamp' | 'nonce' | 'signature'

/** When a call is signed, in parts of a second as well, and the nonce it gets. */
interface SigningMoment {
  timestampSeconds: number
  nonce: string
}

/** The timestamp that is signed and sent. */
function timestampWith(fault: Fault, at: SigningMoment): string {
  const valid = String(Math.floor(at.timestampSeconds))
  if (!fault.timestamp || fault.timestamp === 'drop') return valid
  return differing(fault, valid, faultyTimestamp(fault.timestamp, at.timestampSeconds))
}

function faultyTimestamp(detail: Exclude<NonNullable<Fault['timestamp']>, 'drop'>, seconds: number): string {
  const whole = Math.floor(seconds)
  if (detail === 'milliseconds') return String(whole * 1000)
  if (detail === 'hex') return `0x${whole.toString(16)}`
  if ('raw' in detail) return detail.raw
  return String(Math.floor(seconds + ('shift' in detail ? detail.shift : detail.edge)))
}

/** The nonce that is signed and sent. */
function nonceWith(fault: Fault, at: SigningMoment, context: NonNullable<Call['context']>): string {
  if (!fault.nonce || fault.nonce === 'drop') return at.nonce
  const detail = fault.nonce
  if ('raw' in detail) return differing(fault, at.nonce, detail.raw)
  if (!context.earlierNonce)
    throw new FaultContextError(`no earlier step is known, so the nonce of ${detail.reuse} cannot be used again`)
  return differing(fault, at.nonce, context.earlierNonce(detail.reuse))
}

/** The key id that is sent; the signature stays that of the own secret. */
function keyIdWith(fault: Fault, key: SigningKey, at: SigningMoment): string {
  if (!fault.key_id || fault.key_id === 'drop') return key.keyId
  const detail = fault.key_id
  if (detail !== 'unknown') return differing(fault, key.keyId, detail.raw)
  return `pk_${environmentOf(key.keyId) ?? 'test'}_${hash('sha256', at.nonce, 'hex').slice(0, 24)}`
}

/** The value of the signature header for the text that is signed. */
function signatureWith(
  fault: Fault,
  key: SigningKey,
  digest: string,
  text: string,
  context: NonNullable<Call['context']>,
): string {
  const valid = SIGNATURE_PREFIX + digest
  if (!fault.signature || fault.signature === 'drop') return valid
  const detail = fault.signature
  if (typeof detail === 'string') return differing(fault, valid, SIGNATURE_WORDS[detail](digest, key, text))
  if ('raw' in detail) return differing(fault, valid, detail.raw)
  if ('prefix' in detail) return differing(fault, valid, detail.prefix + digest)
  return differing(fault, valid, SIGNATURE_PREFIX + hmacSha256Hex(otherKey(detail.key, key, context), text))
}

type SignatureWord = Exclude<Extract<NonNullable<Fault['signature']>, string>, 'drop'>

const SIGNATURE_WORDS: Record<SignatureWord, (digest: string, key: SigningKey, text: string) => string> = {
  no_prefix: (digest) => digest,
  upper_case: (digest) => SIGNATURE_PREFIX + digest.toUpperCase(),
  base64: (_digest, key, text) => SIGNATURE_PREFIX + createHmac('sha256', key.secret).update(text).digest('base64'),
  truncate: (digest) => SIGNATURE_PREFIX + digest.slice(0, -1),
  spaced: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, 32)} ${digest.slice(32)}`,
  lengthen: (digest) => `${SIGNATURE_PREFIX}${digest}0`,
  followed: (digest) => `${SIGNATURE_PREFIX}${digest}zz`,
  flip_bit: (digest) => SIGNATURE_PREFIX + digest.slice(0, -1) + flipped(digest.slice(-1)),
  flip_first: (digest) => SIGNATURE_PREFIX + flipped(digest.slice(0, 1)) + digest.slice(1),
}

const flipped = (digit: string): string => (Number.parseInt(digit, 16) ^ 1).toString(16)

function otherKey(name: string, key: SigningKey, context: NonNullable<Call['context']>): string {
  if (name === 'key_id') return key.keyId
  if (!context.otherSecret)
    throw new FaultContextError(`no other credential is known, so nothing can be signed as ${name}`)
  return context.otherSecret(name)
}

/** How often a header is sent: once, but for the fault. */
function timesSent(header: AuthHeader, fault: Fault): number {
  if (fault.auth_headers === 'drop' || fault[header] === 'drop') return 0
  return fault.duplicate_header === header ? 2 : 1
}

/** Whether the signature header holds a digest of the text that was signed. */
function signsText(fault: Fault): boolean {
  const isRaw = typeof fault.signature === 'object' && 'raw' in fault.signature
  return timesSent('signature', fault) > 0 && !isRaw
}

/** Refuses a fault that leaves things as they are. */
function differing<Text extends string | null>(fault: Fault, valid: string, faulty: Text): Text {
  if (valid === faulty)
    throw new FaultHasNoEffectError(fault, 'what is signed and sent is the same with it and without')
  return faulty
}

/** The six valid lines of a call, with what they were made from. */
interface ValidLines {
  parts: CanonicalParts
  rawQuery: string
  body: Uint8Array
}

type CanonicalDetail = NonNullable<Fault['canonical']>
type CanonicalWord = Extract<CanonicalDetail, string>

/** Writes the canonical string with the fault in it; the caller sees to it that it differs from the valid one. */
function canonicalStringWith(detail: CanonicalDetail, valid: ValidLines): string {
  if (typeof detail === 'string') return REWRITES[detail](valid)
  if ('verb' in detail) return changed(valid, { method: detail.verb })
  return changed(valid, { path: detail.path })
}

function changed(valid: ValidLines, parts: Partial<CanonicalParts>): string {
  return canonicalString({ ...valid.parts, ...parts })
}

function withQueryMistake(id: QueryMistakeId): (valid: ValidLines) => string {
  return (valid) => changed(valid, { query: wrongQuery(valid.rawQuery, id) })
}

const REWRITES: Record<CanonicalWord, (valid: ValidLines) => string> = {
  verb_lower: (valid) => changed(valid, { method: valid.parts.method.toLowerCase() }),
  path_without_root: (valid) => changed(valid, { path: withoutRoot(valid.parts.path) }),
  path_cut: (valid) => changed(valid, { path: valid.parts.path.replace(/\/[^/]*$/, '') }),
  query_unsorted: withQueryMistake('query-unsorted'),
  query_sorted_by_key_only: withQueryMistake('query-sorted-by-key-only'),
  query_sorted_after_encoding: withQueryMistake('query-sorted-after-encoding'),
  query_raw: withQueryMistake('query-raw'),
  query_lower: (valid) => changed(valid, { query: valid.parts.query.toLowerCase() }),
  query_empty: withQueryMistake('query-empty'),
  plus_for_space: withQueryMistake('query-plus'),
  blank_dropped: withQueryMistake('query-blank-dropped'),
  extra_unencoded: withQueryMistake('query-five-bare'),
  body_empty: (valid) => changed(valid, { bodySha256: EMPTY_BODY_SHA256 }),
  body_sent: (valid) => changed(valid, { bodySha256: bodySha256(valid.body) }),
  body_reserialised: (valid) => changed(valid, { bodySha256: bodySha256(reserialized(valid)) }),
  body_as_braces: (valid) =>
    valid.body.length > 0 ? changed(valid, {}) : changed(valid, { bodySha256: bodySha256(Buffer.from('{}')) }),
  body_hash_upper: (valid) => changed(valid, { bodySha256: valid.parts.bodySha256.toUpperCase() }),
  body_hash_base64: (valid) => changed(valid, { bodySha256: hash('sha256', signedBody(valid), 'base64') }),
  crlf: (valid) => changed(valid, {}).replaceAll('\n', '\r\n'),
  trailing_newline: (valid) => `${changed(valid, {})}\n`,
  missing_query_line: ({ parts }) =>
    [parts.method, parts.path, parts.timestamp, parts.nonce, parts.bodySha256].join('\n'),
  lines_swapped: (valid) => changed(valid, { timestamp: valid.parts.nonce, nonce: valid.parts.timestamp }),
}

function withoutRoot(path: string): string {
  return path.startsWith(`${API_ROOT}/`) ? path.slice(API_ROOT.length) : path
}

function signedBody({ parts, body }: ValidLines): Uint8Array {
  return hasUnsignedBody(parts.method) ? new Uint8Array() : body
}

function reserialized(valid: ValidLines): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(signedBody(valid)).toString('utf8'))))
  } catch {
    throw new FaultHasNoEffectError({ canonical: 'body_reserialised' }, 'it has no JSON body')
  }
}

/** One call to make: what, as whom, and with which one fault. */
export interface Call {
  op: EndpointId | null
  /** Upper-case HTTP verb. */
  method: string
  /** Full path, API root included, percent-encoded where it needs to be; sent as it stands. */
  path: string
  /** Decoded pairs, sent percent-encoded in this order, so that the target has to sort. */
  query: readonly QueryPair[]
  /** Sent as the request target as it stands, in place of `path` and `query`. */
  rawTarget?: string
  body?: Uint8Array
  /** Sent with a body; `application/json` if absent. */
  contentType?: string
  idempotencyKey?: string
  /** Sent after the others; one that has the name of an ordinary header takes its place. */
  headers?: readonly (readonly [name: string, value: string])[]
  /** The names of all headers are sent in lower case. */
  hasLowerCaseHeaders?: boolean
  credential: SigningKey & { name: string; scopes: readonly Scope[] | null }
  fault?: Fault | undefined
  /** What a fault may ask of the run. */
  context?: {
    /** The nonce a step of this scenario was sent with. */
    earlierNonce?: (stepId: string) => string
    /** The secret of another credential of the target file. */
    otherSecret?: (credentialName: string) => string
  }
  /** A valid client would not send this call, so its acceptance is not evidence. */
  invalid?: boolean
  /** The step wants a 429: do not wait. */
  wants429?: boolean
  /** The step accepts any answer, or a second try would change what is seen: no 5xx is tried again. */
  takesAnyAnswer?: boolean
  /** Sends this request instead of signing one. */
  exactly?: SignedRequest
  /** The same call without its fault. */
  twin?: Call
}

/** The call of an operation by its own verb and path, which has no name in it to be filled in. */
export function callTo(op: EndpointId, credential: Call['credential'], query: Call['query'] = []): Call {
  const { method, path } = ENDPOINTS[op]
  return { op, method, path, query, credential }
}

/**
 * A read that any correct target accepts, for any domain.
 *
 * @param unlisted names of domains that the target does not have: it may take those of .example for malformed.
 */
export function probeCall(credential: Call['credential'], [domain = 'probe.example']: readonly string[] = []): Call {
  return callTo('availability', credential, [['domain', domain]])
}

/** The same call to be signed and sent as any client would; a fault that its parts already have stays. */
export function plainCall(call: Call): Call {
  const { fault, context, invalid, wants429, takesAnyAnswer, exactly, twin, ...plain } = call
  return plain
}

/** Whether a call only reads. */
export function isRead({ method }: Pick<Call, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether any correct target takes the call for a valid one: nothing is wrong with it on purpose, and its nonce is new. */
export function isValid({ fault, invalid, exactly }: Pick<Call, 'fault' | 'invalid' | 'exactly'>): boolean {
  return fault === undefined && invalid !== true && exactly === undefined
}

/** A request ready to be sent, with what its signature covers. */
export interface SignedRequest {
  request: WireRequest
  /** What was signed; null if the request carries no signature of ours (dropped, or raw text). */
  canonicalString: string | null
  /** The value that was sent, or would have been sent if its header is left out. */
  nonce: string
  timestamp: string
}

/**
 * Signs a call correctly, or with exactly one fault.
 *
 * @throws FaultHasNoEffectError if the call is such that the fault changes nothing.
 * @throws FaultContextError if the fault names a step or a credential that the run does not know.
 * @example signCall(callTo('orders.list', key), { timestampSeconds: 1_700_000_000, nonce: randomUUID() })
 */
export function signCall(call: UnsignedCall, at: SigningMoment): SignedRequest {
  const { credential: key, fault, context = {} } = call
  const { method, path, query, body = new Uint8Array() } = call
  const search = query.map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`).join('&')
  const unsigned: Unsigned = { method, target: call.rawTarget ?? (search === '' ? path : `${path}?${search}`), body }
  const stamps = {
    timestamp: fault?.timestamp ? timestampWith(fault, at) : String(Math.floor(at.timestampSeconds)),
    nonce: fault?.nonce ? nonceWith(fault, at, context) : at.nonce,
  }
  const rawQuery = splitTarget(unsigned.target).query
  const canonical = canonicalQueryOrNull(rawQuery)
  // A broken query has no canonical form: it is signed as it stands (CANON-14).
  const parts = partsOf(unsigned, stamps, canonical ?? rawQuery)
  let text = canonicalString(parts)
  if (fault?.canonical) {
    if (canonical === null) throw new FaultHasNoEffectError(fault, 'its query has no canonical form')
    const lines = { parts, rawQuery, body }
    text = differing(fault, text, canonicalStringWith(fault.canonical, lines))
  }
  const digest = hmacSha256Hex(key.secret, text)
  const values = {
    key_id: fault?.key_id ? keyIdWith(fault, key, at) : key.keyId,
    ...stamps,
    signature: fault?.signature ? signatureWith(fault, key, digest, text, context) : SIGNATURE_PREFIX + digest,
  }
  const auth = (Object.keys(HEADER_OF) as AuthHeader[]).flatMap((header) =>
    Array.from({ length: fault ? timesSent(header, fault) : 1 }, () => [HEADER_OF[header], values[header]] as const),
  )
  const own = call.headers ?? []
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  const usual: (readonly [string, string])[] = [...ORDINARY_HEADERS, ...auth]
  if (call.idempotencyKey !== undefined) usual.push([HEADERS.idempotencyKey, call.idempotencyKey])
  if (body.length > 0) usual.push(['content-type', call.contentType ?? 'application/json'])
  const all = [...usual.filter(([name]) => !names.has(name.toLowerCase())), ...own]
  const headers = call.hasLowerCaseHeaders ? all.map(([name, value]) => [name.toLowerCase(), value] as const) : all
  const signed: WireRequest = { ...unsigned, headers }
  const request = fault?.tamper ? tamperWith(fault.tamper, signed) : signed
  if (fault?.tamper) differing(fault, text, validCanonicalString(request))
  return {
    request,
    canonicalString: fault && !signsText(fault) ? null : text,
    nonce: headerIn(request.headers, HEADERS.nonce) ?? stamps.nonce,
    timestamp: headerIn(request.headers, HEADERS.timestamp) ?? stamps.timestamp,
  }
}

/** What of a call counts for its signature. */
type UnsignedCall = Omit<Call, 'op' | 'credential'> & { credential: SigningKey }

type Unsigned = Pick<WireRequest, 'method' | 'target' | 'body'>
type Stamps = { timestamp: string; nonce: string }

const HEADER_OF: Record<AuthHeader, string> = {
  key_id: HEADERS.keyId,
  timestamp: HEADERS.timestamp,
  nonce: HEADERS.nonce,
  signature: HEADERS.signature,
}

/** What should have been signed for a request as it stands; null if that cannot be said (no timestamp, no nonce, a broken query). */
export function validCanonicalString(wire: WireRequest): string | null {
  const timestamp = headerIn(wire.headers, HEADERS.timestamp)
  const nonce = headerIn(wire.headers, HEADERS.nonce)
  const query = canonicalQueryOrNull(splitTarget(wire.target).query)
  if (timestamp === undefined || nonce === undefined || query === null) return null
  return canonicalString(partsOf(wire, { timestamp, nonce }, query))
}

function partsOf({ method, target, body }: Unsigned, stamps: Stamps, query: string): CanonicalParts {
  const verb = method.toUpperCase()
  const hash = hasUnsignedBody(verb) ? EMPTY_BODY_SHA256 : bodySha256(body)
  return { method: verb, path: splitTarget(target).path, query, ...stamps, bodySha256: hash }
}

const ORDINARY_HEADERS: [string, string][] = [
  ['accept', 'application/json'],
  ['accept-encoding', 'identity'], // Nothing is inflated, so nothing can burst.
  ['user-agent', 'partner-sandbox-conformance'],
]

function canonicalQueryOrNull(rawQuery: string): string | null {
  try {
    return canonicalQuery(rawQuery)
  } catch (error) {
    if (error instanceof MalformedQueryError) return null
    throw error
  }
}

type TamperDetail = NonNullable<Fault['tamper']>
type TamperPart = Extract<TamperDetail, string>
type QueryChange = 'add' | 'remove' | 'alter'

/** Changes one part of a request that is signed already; the signature stays as it is. */
function tamperWith(detail: TamperDetail, wire: WireRequest): WireRequest {
  const [part, value] =
    typeof detail === 'string' ? [detail, undefined] : (Object.entries(detail)[0] as [TamperPart, string])
  return CHANGES[part](wire, value)
}

const CHANGES: Record<TamperPart, (wire: WireRequest, value: string | undefined) => WireRequest> = {
  method: (wire, value) => ({ ...wire, method: value ?? (wire.method === 'GET' ? 'POST' : 'GET') }),
  path: (wire, value) => ({ ...wire, target: withPath(wire.target, value) }),
  query: (wire, value) => ({ ...wire, target: withQuery(wire.target, (value ?? 'add') as QueryChange) }),
  body: (wire, value) => ({
    ...wire,
    body: value === undefined ? withOneSpace(wire.body) : Buffer.from(value, 'utf8'),
  }),
  body_padded: (wire) => ({ ...wire, body: Buffer.concat([wire.body, Buffer.from('\n')]) }),
  timestamp: (wire, value) => withHeader(wire, HEADERS.timestamp, (signed) => value ?? String(Number(signed) + 1)),
  timestamp_padded: (wire) => withHeader(wire, HEADERS.timestamp, (signed) => `0${signed}`),
  nonce: (wire, value) => withHeader(wire, HEADERS.nonce, (signed) => value ?? withOtherEnd(signed)),
}

function withPath(target: string, path: string | undefined): string {
  const signed = splitTarget(target).path
  return (path ?? `${signed}/`) + target.slice(signed.length)
}

function withQuery(target: string, change: QueryChange): string {
  const { path, query } = splitTarget(target)
  const pieces = query.split('&').filter((piece) => piece !== '')
  const last = pieces.pop()
  if (change === 'add') return `${path}?${query === '' ? '' : `${query}&`}tampered=1`
  if (last === undefined) throw new FaultHasNoEffectError({ tamper: { query: change } }, 'it has no query')
  if (change === 'alter') pieces.push(withOtherEnd(last.includes('=') ? last : `${last}=`))
  return pieces.length === 0 ? path : `${path}?${pieces.join('&')}`
}

const OPENS_JSON = new Set(['{'.charCodeAt(0), '['.charCodeAt(0)])

/** The body means the same with the space, so that only its bytes can give it away. */
function withOneSpace(body: Uint8Array): Uint8Array {
  const at = OPENS_JSON.has(body[0] ?? 0) ? 1 : body.length
  return Buffer.concat([body.subarray(0, at), Buffer.from(' '), body.subarray(at)])
}

function withHeader(wire: WireRequest, name: string, change: (signed: string) => string): WireRequest {
  return { ...wire, headers: wire.headers.map(([key, value]) => [key, key === name ? change(value) : value]) }
}

const ENDS_IN_PLAIN_CHARACTER = /(?<!%|%[0-9A-Fa-f])[0-9A-Za-z]$/

/** Puts a neighbor in the place of the last letter or digit; after anything else it adds one. */
function withOtherEnd(text: string): string {
  if (!ENDS_IN_PLAIN_CHARACTER.test(text)) return `${text}1`
  const last = text.charCodeAt(text.length - 1)
  const neighbor = '9Zz'.includes(String.fromCharCode(last)) ? last - 1 : last + 1
  return text.slice(0, -1) + String.fromCharCode(neighbor)
}
