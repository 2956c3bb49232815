/** One decoded key/value pair of a query, in the order the URL has them. */
export type QueryPair = readonly [key: string, value: string]

/** The six lines that are signed, each already in its canonical form. */
export interface CanonicalParts {
  /** Upper-case HTTP verb. */
  method: string
  /** Full path as requested, API root included, never decoded. */
  path: string
  /** Canonical query; the empty string if there is none. */
  query: string
  /** The timestamp header's text, digit for digit. */
  timestamp: string
  /** The nonce header's text. */
  nonce: string
  /** Lower-case hex SHA-256 of the raw body. */
  bodySha256: string
}

/** The lines of a canonical string by the names that the document gives them, in their order. */
export const LINE_NAMES = ['METHOD', 'PATH', 'QUERY_STRING', 'TIMESTAMP', 'NONCE', 'BODY_SHA256_HEX'] as const

/** A query whose percent-encoding cannot be decoded as UTF-8 (CANON-14). */
export class MalformedQueryError extends Error {
  override name = 'MalformedQueryError'
}

/** SHA-256 of no bytes at all: what GET, HEAD and any call without a body sign (CANON-08). */
export const EMPTY_BODY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * Splits a request target at its first `?`. The path is never decoded or normalized (CANON-10).
 *
 * @example splitTarget('/api/partner/v1/orders?limit=2') // { path: '/api/partner/v1/orders', query: 'limit=2' }
 */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  if (mark === -1) return { path: target, query: '' }
  return { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/**
 * Decodes a raw query the way the signature rules read it: blank values stay, empty pairs are dropped,
 * a plus sign is a space (CANON-05, CANON-12). Handlers read these very pairs, so that what was signed is what is used.
 *
 * @param plus what a literal plus sign stands for; the document leaves it open.
 * @throws MalformedQueryError if a percent escape is broken or is not UTF-8 (CANON-14).
 * @example decodeQuery('b=2&a=&a') // [['b', '2'], ['a', ''], ['a', '']]
 */
export function decodeQuery(rawQuery: string, plus: ' ' | '+' = ' '): QueryPair[] {
  const pairs: QueryPair[] = []
  for (const piece of rawQuery.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    if (equals === -1) pairs.push([decodePart(piece, plus), ''])
    else pairs.push([decodePart(piece.slice(0, equals), plus), decodePart(piece.slice(equals + 1), plus)])
  }
  return pairs
}

// Node hands the target over as Latin-1, so a byte beyond ASCII here was sent without being encoded.
const NEEDS_DECODING = /[%+]/
const NOT_ASCII = /[^\x21-\x7e]/

function decodePart(text: string, plus: ' ' | '+'): string {
  if (NOT_ASCII.test(text)) throw new MalformedQueryError('the query holds a character that must be percent-encoded')
  if (!NEEDS_DECODING.test(text)) return text
  try {
    return decodeURIComponent(plus === '+' ? text : text.replaceAll('+', plus))
  } catch {
    throw new MalformedQueryError('the query holds a percent escape that cannot be decoded as UTF-8')
  }
}

const UNRESERVED_ONLY = /^[A-Za-z0-9\-._~]*$/
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g

/**
 * A text as UTF-8 can carry it: half of a surrogate pair, which JSON can hold and UTF-8 cannot, becomes U+FFFD.
 *
 * @example wellFormed('a\ud800') // 'a\ufffd'
 */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd')
}

/**
 * Percent-encodes a key or value: everything but letters, digits, `-`, `.`, `_` and `~`, with upper-case hex (CANON-06, CANON-07).
 *
 * @example encodeComponent("it's 5*") // 'it%27s%205%2A'
 */
export function encodeComponent(text: string): string {
  if (UNRESERVED_ONLY.test(text)) return text
  return encodeURIComponent(wellFormed(text)).replace(
    LEFT_BY_ENCODE_URI_COMPONENT,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Orders two texts by code point, which is UTF-8 byte order too. JavaScript's own `<` compares UTF-16 units and
 * differs beyond U+FFFF (CANON-15).
 */
export function compareByCodePoint(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return surrogatesLast(left) - surrogatesLast(right)
  }
  return a.length - b.length
}

/** Moves surrogate units above U+E000..U+FFFF, where the code points they stand for belong. */
function surrogatesLast(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** The other legal order of CANON-15: JavaScript's own, by UTF-16 unit. */
export function compareByUtf16Unit(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/**
 * Writes decoded pairs as the canonical query: sorted by key, then by value, and only then encoded (CANON-03, 04, 13).
 *
 * @param compare how texts are ordered; the choice matters beyond U+FFFF only (CANON-15).
 * @example canonicalQueryOf([['b', '2'], ['a', '']]) // 'a=&b=2'
 */
export function canonicalQueryOf(
  pairs: readonly QueryPair[],
  compare: (a: string, b: string) => number = compareByCodePoint,
): string {
  if (pairs.length === 0) return ''
  const sorted = pairs.length === 1 ? pairs : [...pairs].sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
  return sorted.map(([key, value]) => `${encodeComponent(key)}=${encodeComponent(value)}`).join('&')
}

/**
 * The canonical form of a raw query (document: Canonical string, query rules 1-4).
 *
 * @throws MalformedQueryError where a percent escape is broken.
 * @example canonicalQuery('b=2&a') // 'a=&b=2'
 */
export function canonicalQuery(rawQuery: string): string {
  return canonicalQueryOf(decodeQuery(rawQuery))
}

/** Verbs whose body is never part of the signature (CANON-08). */
export function hasUnsignedBody(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * The six lines, joined by LF with no newline at the end (CANON-01).
 *
 * @example
 * canonicalString({ method: 'GET', path: '/api/partner/v1/orders', query: '', timestamp: '1700000000', nonce: 'n', bodySha256: EMPTY_BODY_SHA256 })
 */
export function canonicalString(parts: CanonicalParts): string {
  return `${parts.method}\n${parts.path}\n${parts.query}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`
}

/**
 * The string that a call signs, from its parts as they go over the wire (CANON-01).
 *
 * @param bodySha256 what {@link hasUnsignedBody} asks for: {@link EMPTY_BODY_SHA256}, or the digest of the raw body.
 * @throws MalformedQueryError where the target's query is broken.
 * @example canonicalStringOf({ method: 'GET', target: '/api/partner/v1/orders', timestampSeconds: 1_700_000_000, nonce: 'n' }, EMPTY_BODY_SHA256)
 */
export function canonicalStringOf({ method, target, timestampSeconds, nonce }: SentParts, bodySha256: string): string {
  const { path, query } = splitTarget(target)
  return canonicalString({
    method,
    path,
    query: canonicalQuery(query),
    timestamp: String(timestampSeconds),
    nonce,
    bodySha256,
  })
}

/** What of a call is signed, but for its body. */
export interface SentParts {
  /** Upper-case HTTP verb. */
  method: string
  /** Path and query exactly as they will be requested, e.g. `/api/partner/v1/orders?limit=2`. */
  target: string
  /** Unix time in whole seconds. */
  timestampSeconds: number
  /** Unique per attempt; a UUID v4 is a good one. */
  nonce: string
}
