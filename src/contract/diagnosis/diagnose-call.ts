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
import { bodyAlternatives, bodyContents, type HashedBodies } from './body-line.ts'
import { FRAMES } from './frames.ts'
import { headerValuesOf, type RawHeaders } from './headers-of.ts'
import { keyAlternatives, type OtherSecret } from './keys.ts'
import { type Alternative, distinct, type Mistake, type MistakeId } from './mistake.ts'
import { mistake } from './mistakes.ts'
import { methodAlternatives, pathAlternatives } from './path-line.ts'
import { type QueryReading, queryAlternatives } from './query-line.ts'
import { atOnce, type Steps } from './run-steps.ts'
import { type Explanation, HMAC, type Search, type SearchSpace, search } from './search.ts'
import { readSignature, type SentDigest } from './signature-header.ts'
import { nonceAlternatives, timestampAlternatives } from './stamp-lines.ts'

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

/** The same in steps of a few milliseconds each, for whoever has others to serve meanwhile. */
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

function* explain(call: ArrivedCall, stamps: Stamps, signer: KnownSigner, sent: readonly SentDigest[]) {
  const { space, hashed } = spaceOf(call, stamps, signer)
  yield undefined
  const found = (yield* search(space, sent)) ?? (yield* searchMilliseconds(call, stamps, space, sent))
  return found && { mistakes: found.mistakes, equally: found.equally, ...clientSide(found, call, hashed) }
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
): Search {
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
  return { ...space, digests: [HMAC], lines, messages: [] }
}

const MILLISECONDS: ReadonlySet<MistakeId> = new Set(['timestamp-milliseconds'])

const LIKELY: ReadonlySet<MistakeId> = new Set([
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

function isOneOf(mistakes: readonly Mistake[], ids: ReadonlySet<MistakeId>): boolean {
  return mistakes.length === 1 && mistakes.every(({ id }) => ids.has(id))
}

function spaceOf(call: ArrivedCall, stamps: Stamps, signer: KnownSigner): { space: SearchSpace; hashed: HashedBodies } {
  const { path, query } = splitTarget(call.target)
  const body = bodyAlternatives(call.method, call.body)
  const lines = [
    methodAlternatives(call.method),
    pathAlternatives(path, query, headerValuesOf(call.rawHeaders, 'host')),
    queryAlternatives(query, signer),
    timestampAlternatives(stamps.timestamp),
    nonceAlternatives(stamps.nonce),
    body.lines,
  ]
  const keys = keyAlternatives(signer.secret, signer.keyId, signer.others ?? [])
  return { space: { keys, lines, messages: otherSchemes(call, stamps) }, hashed: body.hashed }
}

/** Texts of other schemes than that of a call. */
function otherSchemes(call: ArrivedCall, { timestamp }: Stamps): Alternative<Uint8Array | string>[] {
  const bodies = bodyContents(call.method === 'GET' ? 'POST' : call.method, call.body)
  const rawBodies = bodies.map((content) => ({
    value: content.value as Uint8Array | string,
    mistakes: [mistake('webhook-scheme'), ...(content.mistake ? [content.mistake] : [])],
  }))
  const stamped = bodies.flatMap((content) =>
    (content.mistake ? ['.'] : ['.', '', ':', '\n']).map((joint) => ({
      value: Buffer.concat([Buffer.from(timestamp + joint), content.value]),
      mistakes: [mistake('timestamp-and-body'), ...(content.mistake ? [content.mistake] : [])],
    })),
  )
  return distinct<Uint8Array | string>([...rawBodies, ...stamped], (value) =>
    Buffer.from(value as string).toString('latin1'),
  )
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
