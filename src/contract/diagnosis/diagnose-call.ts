import {
  canonicalQueryOf,
  canonicalString,
  decodeQuery,
  EMPTY_BODY_SHA256,
  hasUnsignedBody,
  splitTarget,
} from '../canonical-string.ts'
import { HEADERS, headerValuesOf, type RawHeaders, SIGNATURE_PREFIX } from '../headers.ts'
import { bodySha256, hmacSha256Hex } from '../signature.ts'
import { bodyContents, bodyWays } from './body-mistakes.ts'
import { FRAMES, otherOrders, schemeWays } from './frame-mistakes.ts'
import { DIGESTS, keysFor, type OtherSecret } from './key-mistakes.ts'
import { METHOD_MISTAKES, millisecondsOf, NONCE_MISTAKES, PATH_MISTAKES, TIMESTAMP_MISTAKES } from './line-mistakes.ts'
import { distinct, type Mistake, rightAndWrong, type Way } from './mistake.ts'
import { type MistakeId, mistake } from './mistakes.ts'
import { type QueryReading, queryWays } from './query-mistakes.ts'
import {
  inPieces,
  type Match,
  type Rest,
  type SearchSpace,
  search,
  type TextSpace,
  WITHOUT_REST,
  wholeTexts,
} from './search.ts'
import { readSignature, type SentDigest } from './signature-header.ts'

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
  /** `valid` is signed rightly, `unexplained` wrongly and by no known mistake. */
  readonly verdict: 'valid' | 'explained' | 'unexplained'
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
 * @param rest called between pieces of a few milliseconds, so that a server can answer others meanwhile.
 * @returns null where no signature can be judged: a header is missing or doubled.
 * @throws MalformedQueryError where the query is broken, so that nothing can be signed rightly.
 * @example (await diagnoseCall(call, { keyId, secret }))?.mistakes.map(({ says }) => says) // ['the path was signed in lower case']
 */
export async function diagnoseCall(
  call: ArrivedCall,
  signer: KnownSigner,
  rest: Rest = WITHOUT_REST,
): Promise<CallDiagnosis | null> {
  const timestamp = only(call, HEADERS.timestamp)
  const nonce = only(call, HEADERS.nonce)
  const signature = only(call, HEADERS.signature)
  if (timestamp === null || nonce === null || signature === null) return null
  const text = canonicalStringOf(call, { timestamp, nonce }, signer)
  const expectedSignature = SIGNATURE_PREFIX + hmacSha256Hex(signer.secret, text)
  const right = { canonicalString: text, expectedSignature }
  if (signature === expectedSignature) return { ...UNEXPLAINED, ...right, verdict: 'valid' }
  const sent = readSignature(signature, 'call')
  const found = await explain(call, { timestamp, nonce }, signer, { sent, rest })
  return found ? { ...right, ...found, verdict: 'explained' } : { ...UNEXPLAINED, ...right }
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
export function validStringOf(call: ArrivedCall, reading: QueryReading = {}): string | null {
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

/** Secrets that are tried between two rests. */
const SECRETS_A_PIECE = 100

/**
 * Whose secret a call is signed with, where it is signed rightly but for the form of its header; null where it is that of none of
 * these. There may be thousands of secrets.
 *
 * @throws MalformedQueryError where the query is broken.
 */
export async function rightSigner<Signer extends { readonly secret: string }>(
  call: ArrivedCall,
  signers: readonly Signer[],
  reading: QueryReading = {},
  rest: Rest = WITHOUT_REST,
): Promise<Signer | null> {
  const text = validStringOf(call, reading)
  const sent = readSignature(headerValuesOf(call.rawHeaders, HEADERS.signature)[0] ?? '', 'call')[0]
  if (text === null || sent === undefined || sent.hex.length !== 64) return null
  for (const [at, signer] of signers.entries()) {
    if (hmacSha256Hex(signer.secret, text) === sent.hex) return signer
    if (at % SECRETS_A_PIECE === SECRETS_A_PIECE - 1) await rest()
  }
  return null
}

interface Search {
  /** The readings of the signature header. */
  readonly sent: readonly SentDigest[]
  readonly rest: Rest
}

async function explain(call: ArrivedCall, stamps: Stamps, signer: KnownSigner, { sent, rest }: Search) {
  const keys = keysFor(signer, signer.others ?? [])
  const bodies = distinct(await inPieces(bodyWays(call.method, call.body), rest), ({ line }) => line)
  const lines = [
    ...headLinesOf(call, stamps, await inPieces(queryWays(splitTarget(call.target).query, signer), rest)),
    bodies.map((way) => ({ ...way, value: way.value.line })),
  ]
  // A call without a body of its own may still have been signed by the scheme of deliveries.
  const contents = await inPieces(bodyContents(call.method === 'GET' ? 'POST' : call.method, call.body), rest)
  const schemes = contents.flatMap((content) => schemeWays(stamps.timestamp, content))
  const texts = [
    { frames: FRAMES, lines },
    wholeTexts(distinct(schemes, (bytes) => Buffer.from(bytes).toString('latin1'))),
  ]
  const ingredients = { keys, frames: FRAMES, lines }
  const found =
    (await search({ keys, texts }, sent, rest)) ??
    (await searchOrders(likelyOf(ingredients), { sent, rest })) ??
    (await searchMilliseconds(call, stamps, ingredients, { sent, rest }))
  const hashed = new Map(bodies.map(({ value }) => [value.line, value.bytes]))
  return found && { mistakes: found.mistakes, equally: found.equally, ...clientSide(found, call, hashed) }
}

/** The lines before that of the body. */
function headLinesOf(
  { method, target, rawHeaders }: ArrivedCall,
  { timestamp, nonce }: Stamps,
  queries: Way<string>[],
): Way<string>[][] {
  const { path, query } = splitTarget(target)
  return [
    rightAndWrong(method, METHOD_MISTAKES, method),
    rightAndWrong(path, PATH_MISTAKES, { path, query, hosts: headerValuesOf(rawHeaders, 'host') }),
    distinct(queries),
    rightAndWrong(timestamp, TIMESTAMP_MISTAKES, timestamp),
    rightAndWrong(nonce, NONCE_MISTAKES, nonce),
  ]
}

type Ingredients = TextSpace & Omit<SearchSpace, 'texts'>

/** Each order of the lines is a try, so they come last, and only with what else is done wrong most often. */
function searchOrders({ lines, ...likely }: Ingredients, { sent, rest }: Search): Promise<Match | null> {
  return search({ ...likely, texts: [{ frames: otherOrders(), lines }] }, sent, rest)
}

/** How long a call may have been under way for this. */
const RECENT_MS = 40

/**
 * A client that signs milliseconds seldom meets a whole second. Each of the thousand is a try, so they come last: all
 * of them with what else is done wrong most often, and those just before the arrival with everything else.
 */
async function searchMilliseconds(
  { arrivedAtMs = Number.NaN }: ArrivedCall,
  { timestamp }: Stamps,
  { keys, frames, lines }: Ingredients,
  { sent, rest }: Search,
): Promise<Match | null> {
  const ofSecond = Array.from({ length: 1_000 }, (_, ms) => ms)
  const sinceSecond = arrivedAtMs - Number(timestamp) * 1_000
  const recent = ofSecond.filter((ms) => sinceSecond >= ms && sinceSecond - ms <= RECENT_MS)
  const likely = likelyOf({ keys, frames, lines })
  return (
    (await search(withMilliseconds(likely, timestamp, ofSecond), sent, rest)) ??
    (await search(withMilliseconds({ keys, frames, lines }, timestamp, recent), sent, rest))
  )
}

function likelyOf({ keys, frames, lines }: Ingredients): Ingredients {
  return {
    keys: keys.filter(isLikely),
    digests: DIGESTS.slice(0, 1),
    frames: frames.filter(isLikely),
    lines: lines.map((line) => line.filter(isLikely)),
  }
}

const TIMESTAMP_LINE = 3

function withMilliseconds(
  { frames, lines, ...others }: Ingredients,
  timestamp: string,
  tried: readonly number[],
): SearchSpace {
  const mistakes = [mistake('timestamp-milliseconds')]
  const wrong = millisecondsOf(timestamp, tried).map((value) => ({ value, mistakes }))
  const replaced = lines.map((line, at) => (at === TIMESTAMP_LINE ? wrong : line))
  return { ...others, texts: [{ frames, lines: replaced }] }
}

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

function isLikely({ mistakes }: Way<unknown>): boolean {
  return mistakes.length <= 1 && mistakes.every(({ id }) => LIKELY.has(id))
}

/** The body that was hashed, by the line that came of it. */
type HashedBodies = ReadonlyMap<string, Uint8Array>

function clientSide({ message, lines }: Match, call: ArrivedCall, hashed: HashedBodies) {
  const clientString = typeof message === 'string' ? message : Buffer.from(message).toString('utf8')
  const bytes = hashed.get(lines.at(-1) ?? '')
  const isOther = bytes && !hasUnsignedBody(call.method) && Buffer.compare(bytes, call.body) !== 0
  return { clientString, hashedBody: isOther ? hashedBodyOf(call.body, bytes) : null }
}

function hashedBodyOf(sent: Uint8Array, hashed: Uint8Array): HashedBody {
  let at = 0
  while (at < sent.length && sent[at] === hashed[at]) at++
  return { sentBytes: sent.length, hashedBytes: hashed.length, firstDifferentByte: at + 1 }
}
