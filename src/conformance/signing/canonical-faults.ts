import { hash } from 'node:crypto'
import {
  type CanonicalParts,
  canonicalString,
  compareByCodePoint,
  EMPTY_BODY_SHA256,
  encodeComponent,
  hasUnsignedBody,
  type QueryPair,
} from '../../contract/canonical-string.ts'
import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { bodySha256 } from '../../contract/hmac.ts'
import { type FaultDetail, FaultHasNoEffectError } from './signature-faults.ts'

/** The six valid lines of a call, with what they were made from. */
interface ValidLines {
  parts: CanonicalParts
  rawQuery: string
  /** Decoded, in the order of the URL. */
  pairs: readonly QueryPair[]
  body: Uint8Array
}

type CanonicalDetail = FaultDetail<'canonical'>
type CanonicalWord = Extract<CanonicalDetail, string>

/** Writes the canonical string with the fault in it; the caller sees to it that it differs from the valid one. */
export function canonicalStringWith(detail: CanonicalDetail, valid: ValidLines): string {
  if (typeof detail === 'string') return REWRITES[detail](valid)
  if ('verb' in detail) return changed(valid, { method: detail.verb })
  return changed(valid, { path: detail.path })
}

function changed(valid: ValidLines, parts: Partial<CanonicalParts>): string {
  return canonicalString({ ...valid.parts, ...parts })
}

const EXTRA_ENCODED = /%(?:21|27|28|29|2A)/g

const REWRITES: Record<CanonicalWord, (valid: ValidLines) => string> = {
  verb_lower: (valid) => changed(valid, { method: valid.parts.method.toLowerCase() }),
  path_without_root: (valid) => changed(valid, { path: withoutRoot(valid.parts.path) }),
  path_cut: (valid) => changed(valid, { path: valid.parts.path.replace(/\/[^/]*$/, '') }),
  query_unsorted: (valid) => changed(valid, { query: joined(valid.pairs.map(encoded)) }),
  query_sorted_by_key_only: (valid) => changed(valid, { query: joined(sorted(valid.pairs, byKey).map(encoded)) }),
  query_sorted_after_encoding: (valid) => changed(valid, { query: joined(sorted(valid.pairs.map(encoded), byPair)) }),
  query_raw: (valid) => changed(valid, { query: valid.rawQuery }),
  query_lower: (valid) => changed(valid, { query: valid.parts.query.toLowerCase() }),
  query_empty: (valid) => changed(valid, { query: '' }),
  plus_for_space: (valid) => changed(valid, { query: valid.parts.query.replaceAll('%20', '+') }),
  blank_dropped: (valid) =>
    changed(valid, { query: joined(sorted(valid.pairs.filter(hasValue), byPair).map(encoded)) }),
  extra_unencoded: (valid) =>
    changed(valid, {
      query: valid.parts.query.replace(EXTRA_ENCODED, (encodedText) => decodeURIComponent(encodedText)),
    }),
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

function encoded([key, value]: QueryPair): QueryPair {
  return [encodeComponent(key), encodeComponent(value)]
}

function joined(pairs: readonly QueryPair[]): string {
  return pairs.map(([key, value]) => `${key}=${value}`).join('&')
}

function sorted(pairs: readonly QueryPair[], compare: (a: QueryPair, b: QueryPair) => number): QueryPair[] {
  return [...pairs].sort(compare)
}

function byKey(a: QueryPair, b: QueryPair): number {
  return compareByCodePoint(a[0], b[0])
}

function byPair(a: QueryPair, b: QueryPair): number {
  return byKey(a, b) || compareByCodePoint(a[1], b[1])
}

function hasValue([, value]: QueryPair): boolean {
  return value !== ''
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
