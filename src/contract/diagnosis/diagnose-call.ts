import {
  bodySha256,
  canonicalQueryOf,
  canonicalString,
  decodeQuery,
  EMPTY_BODY_SHA256,
  hasUnsignedBody,
  splitTarget,
} from '../canonical-string.ts'
import { HEADERS, SIGNATURE_PREFIX } from '../headers.ts'
import { hmacSha256Hex } from '../signature.ts'
import { bodyContents, bodyWays } from './body-mistakes.ts'
import { schemeWays } from './frame-mistakes.ts'
import { keyAlternatives, type OtherSecret } from './key-mistakes.ts'
import { methodAlternatives, nonceAlternatives, pathAlternatives, timestampAlternatives } from './line-mistakes.ts'
import { type Alternative, distinct, type Mistake } from './mistake.ts'
import type { MistakeId } from './mistakes.ts'
import { type QueryReading, queryWays } from './query-mistakes.ts'
import { headerValuesOf, type RawHeaders } from './refusals.ts'
import {
  atOnce,
  collected,
  type Explanation,
  FRAMES,
  RIGHT_DIGEST,
  type SearchSpace,
  type Steps,
  search,
} from './search.ts'
import { readSignature, type SentDigest } from './signature-header.ts'

/** A call as it arrived. */
export interface ArrivedCall {
  /** Upper-case verb. */
  readonly method: string
  /** Path and query, byte for byte. */
  readonly target: string
  /** Names and values in turn. */
  readonly rawHeaders: RawHeaders
  readonly body: Uint8Array
  /** Wall time of its arrival, where it is known. */
  readonly arrivedAtMs?: number
}

/** Who ought to have signed it. */
export interface KnownSigner extends QueryReading {
  readonly keyId: string | null
  readonly secret: string
  /** Secrets that may have been used by mistake. */
  readonly others?: readonly OtherSecret[]
}

/** What a call should have been signed with, and what it was. */
export interface CallDiagnosis {
  /** `sound` is signed rightly, `unexplained` wrongly and by no known mistake. */
  readonly verdict: 'sound' | 'explained' | 'unexplained'
  readonly mistakes: readonly Mistake[]
  /** Other mistakes that would have made the very same signature of this call. */
  readonly equally: readonly (readonly Mistake[])[]
  /** What a right signature of the call covers. */
  readonly canonicalString: string
  /** The value that the signature header should have had. */
  readonly expectedSignature: string
  /** What the signer signed, where that was found out. */
  readonly clientString: string | null
  /** How the body that was hashed differs from the one that was sent, where it does. */
  readonly hashedBody: HashedBody | null
}

/** Numbers alone, because a body may hold a secret. */
export interface HashedBody {
  readonly sentBytes: number
  readonly hashedBytes: number
  /** Counted from 1. */
  readonly firstDifferentByte: number
}

/**
 * Finds out what was done wrong where a call is not signed as it ought to be: it makes the signature under each known
 * mistake, alone and in pairs, until it is the one that was sent.
 *
 * @returns null where no signature can be judged: a header is missing or doubled.
 * @throws MalformedQueryError where the query is broken, so that nothing can be signed rightly.
 * @example diagnoseCall(call, { keyId, secret })?.mistakes.map(({ says }) => says) // ['the path was signed in lower case']
 */
export function diagnoseCall(call: ArrivedCall, signer: KnownSigner): CallDiagnosis | null {
  return atOnce(diagnosingCall(call, signer))
}

/** The same in steps of a few milliseconds each, so that a server answers others meanwhile. */
export function* diagnosingCall(call: ArrivedCall, signer: KnownSigner): Steps<CallDiagnosis | null> {
  const timestamp = only(call, HEADERS.timestamp)
  const nonce = only(call, HEADERS.nonce)
  const signature = only(call, HEADERS.signature)
  if (timestamp === null || nonce === null || signature === null) return null
  const text = canonicalStringOf(call, { timestamp, nonce }, signer)
  const expectedSignature = SIGNATURE_PREFIX + hmacSha256Hex(signer.secret, text)
  const rest = { canonicalString: text, expectedSignature }
  if (signature === expectedSignature) return { ...UNEXPLAINED, ...rest, verdict: 'sound' }
  const sent = readSignature(signature, 'call')
  const found = yield* explain(call, { timestamp, nonce }, signer, sent)
  return found ? { ...rest, ...found, verdict: 'explained' } : { ...UNEXPLAINED, ...rest }
}

const UNEXPLAINED = { verdict: 'unexplained', mistakes: [], equally: [], clientString: null, hashedBody: null } as const

interface Stamps {
  timestamp: string
  nonce: string
}

function only(call: ArrivedCall, name: string): string | null {
  const values = headerValuesOf(call.rawHeaders, name)
  return values.length === 1 && values[0] !== '' ? (values[0] as string) : null
}

/**
 * What a right signature of a call covers; null where a header that it needs is missing or doubled.
 *
 * @throws MalformedQueryError where the query is broken.
 */
export function soundStringOf(call: ArrivedCall, reading: QueryReading = {}): string | null {
  const timestamp = only(call, HEADERS.timestamp)
  const nonce = only(call, HEADERS.nonce)
  if (timestamp === null || nonce === null) return null
  return canonicalStringOf(call, { timestamp, nonce }, reading)
}

function canonicalStringOf(call: ArrivedCall, stamps: Stamps, { compare, plus }: QueryReading): string {
  const { path, query } = splitTarget(call.target)
  return canonicalString({
    ...stamps,
    method: call.method,
    path,
    query: canonicalQueryOf(decodeQuery(query, plus), compare),
    bodySha256: hasUnsignedBody(call.method) ? EMPTY_BODY_SHA256 : bodySha256(call.body),
  })
}

/** Secrets that are tried in one step. */
const SECRETS_A_STEP = 100

/**
 * Whose secret a call is signed with, where it is signed rightly but for the form of its header; null where it is that of none of
 * these. There may be thousands of secrets, so it is found out in steps.
 *
 * @throws MalformedQueryError where the query is broken.
 */
export function* rightSigner<Signer extends { readonly secret: string }>(
  call: ArrivedCall,
  signers: Iterable<Signer>,
  reading: QueryReading = {},
): Steps<Signer | null> {
  const text = soundStringOf(call, reading)
  const sent = readSignature(headerValuesOf(call.rawHeaders, HEADERS.signature)[0] ?? '', 'call')[0]
  if (text === null || sent === undefined || sent.hex.length !== 64) return null
  let tried = 0
  for (const signer of signers) {
    if (hmacSha256Hex(signer.secret, text) === sent.hex) return signer
    if (++tried % SECRETS_A_STEP === 0) yield undefined
  }
  return null
}

function* explain(call: ArrivedCall, stamps: Stamps, signer: KnownSigner, sent: readonly SentDigest[]) {
  const { space, hashed } = yield* spaceOf(call, stamps, signer)
  const found = (yield* search(space, sent)) ?? (yield* searchMilliseconds(call, stamps, space, sent))
  return found && { mistakes: found.mistakes, equally: found.equally, ...clientSide(found, call, hashed) }
}

/** The body that was hashed, by the line that came of it. */
type HashedBodies = ReadonlyMap<string, Uint8Array>

function* spaceOf(
  call: ArrivedCall,
  stamps: Stamps,
  signer: KnownSigner,
): Steps<{ space: SearchSpace; hashed: HashedBodies }> {
  const { path, query } = splitTarget(call.target)
  const queries = yield* collected(queryWays(query, signer))
  const bodies = distinct(yield* collected(bodyWays(call.method, call.body)), ({ line }) => line)
  const lines = [
    methodAlternatives(call.method),
    pathAlternatives({ path, query, hosts: headerValuesOf(call.rawHeaders, 'host') }),
    distinct(queries, String),
    timestampAlternatives(stamps.timestamp),
    nonceAlternatives(stamps.nonce),
    bodies.map((body) => ({ ...body, value: body.value.line })),
  ]
  // A call without a body of its own may still have been signed by the scheme of deliveries.
  const contents = bodyContents(call.method === 'GET' ? 'POST' : call.method, call.body)
  const messages = distinct(yield* collected(schemeWays(stamps.timestamp, contents)), latin1)
  return {
    space: { keys: keyAlternatives(signer, signer.others ?? []), lines, messages },
    hashed: new Map(bodies.map(({ value }) => [value.line, value.bytes])),
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

const TIMESTAMP_LINE = 3

/**
 * A client that signs milliseconds seldom meets a whole second. Each of the thousand is a try, so they come last: all
 * of them with what else is done wrong most often, and those just before the arrival with everything else.
 */
function* searchMilliseconds(
  call: ArrivedCall,
  { timestamp }: Stamps,
  space: SearchSpace,
  sent: readonly SentDigest[],
): Steps<Explanation | null> {
  const ofSecond = Array.from({ length: 1_000 }, (_, ms) => ms)
  const { arrivedAtMs } = call
  const sinceSecond = (arrivedAtMs ?? Number.NaN) - Number(timestamp) * 1_000
  const recent = ofSecond.filter((ms) => sinceSecond >= ms && sinceSecond - ms <= RECENT_MS)
  const likely = {
    keys: space.keys.filter(isLikely),
    lines: space.lines.map((line) => line.filter(isLikely)),
    frames: FRAMES.filter(isLikely),
  }
  return (
    (yield* search(withMilliseconds(likely, timestamp, ofSecond), sent)) ??
    (yield* search(withMilliseconds(space, timestamp, recent), sent))
  )
}

/** How long a call may have been under way for this. */
const RECENT_MS = 40

function withMilliseconds(
  space: Omit<SearchSpace, 'messages'>,
  timestamp: string,
  tried: readonly number[],
): SearchSpace {
  const wrong = timestampAlternatives(timestamp, tried).filter(({ mistakes }) => isOneOf(mistakes, MILLISECONDS))
  const lines = space.lines.map((line, at) => (at === TIMESTAMP_LINE ? wrong : line))
  return { ...space, digests: RIGHT_DIGEST, lines, messages: [] }
}

const MILLISECONDS: ReadonlySet<string> = new Set<MistakeId>(['timestamp-milliseconds'])

const LIKELY: ReadonlySet<string> = new Set<MistakeId>([
  'key-id-as-secret',
  'method-lower-case',
  'path-without-root',
  'query-unsorted',
  'query-raw',
  'body-json-compact',
  'newline-at-end',
  'query-line-missing',
])

function isLikely({ mistakes }: Alternative<unknown>): boolean {
  return mistakes.length === 0 || isOneOf(mistakes, LIKELY)
}

function isOneOf(mistakes: readonly Mistake[], ids: ReadonlySet<string>): boolean {
  return mistakes.length === 1 && mistakes.every(({ id }) => ids.has(id))
}

function clientSide({ message, lines }: Explanation, call: ArrivedCall, hashed: HashedBodies) {
  const clientString = typeof message === 'string' ? message : Buffer.from(message).toString('utf8')
  const bytes = hashed.get(lines?.at(-1) ?? '')
  const isOther = bytes && !hasUnsignedBody(call.method) && Buffer.compare(bytes, call.body) !== 0
  return { clientString, hashedBody: isOther ? hashedBodyOf(call.body, bytes) : null }
}

function hashedBodyOf(sent: Uint8Array, hashed: Uint8Array): HashedBody {
  let at = 0
  while (at < sent.length && sent[at] === hashed[at]) at++
  return { sentBytes: sent.length, hashedBytes: hashed.length, firstDifferentByte: at + 1 }
}
