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

/** The six sound lines of a call, with what they were made from. */
export interface SoundLines {
  parts: CanonicalParts
  rawQuery: string
  /** Decoded, in the order of the URL. */
  pairs: readonly QueryPair[]
  body: Uint8Array
}

type CanonicalDetail = FaultDetail<'canonical'>
type CanonicalWord = Extract<CanonicalDetail, string>

/** Writes the canonical string with the fault in it; the caller sees to it that it differs from the sound one. */
export function canonicalStringWith(detail: CanonicalDetail, sound: SoundLines): string {
  if (typeof detail === 'string') return REWRITES[detail](sound)
  if ('verb' in detail) return changed(sound, { method: detail.verb })
  return changed(sound, { path: detail.path })
}

function changed(sound: SoundLines, parts: Partial<CanonicalParts>): string {
  return canonicalString({ ...sound.parts, ...parts })
}

const EXTRA_ENCODED = /%(?:21|27|28|29|2A)/g

const REWRITES: Record<CanonicalWord, (sound: SoundLines) => string> = {
  verb_lower: (sound) => changed(sound, { method: sound.parts.method.toLowerCase() }),
  path_without_root: (sound) => changed(sound, { path: withoutRoot(sound.parts.path) }),
  query_unsorted: (sound) => changed(sound, { query: joined(sound.pairs.map(encoded)) }),
  query_sorted_by_key_only: (sound) => changed(sound, { query: joined(sorted(sound.pairs, byKey).map(encoded)) }),
  query_sorted_after_encoding: (sound) => changed(sound, { query: joined(sorted(sound.pairs.map(encoded), byPair)) }),
  query_raw: (sound) => changed(sound, { query: sound.rawQuery }),
  query_lower: (sound) => changed(sound, { query: sound.parts.query.toLowerCase() }),
  query_empty: (sound) => changed(sound, { query: '' }),
  plus_for_space: (sound) => changed(sound, { query: sound.parts.query.replaceAll('%20', '+') }),
  blank_dropped: (sound) =>
    changed(sound, { query: joined(sorted(sound.pairs.filter(hasValue), byPair).map(encoded)) }),
  extra_unencoded: (sound) =>
    changed(sound, {
      query: sound.parts.query.replace(EXTRA_ENCODED, (encodedText) => decodeURIComponent(encodedText)),
    }),
  body_empty: (sound) => changed(sound, { bodySha256: EMPTY_BODY_SHA256 }),
  body_sent: (sound) => changed(sound, { bodySha256: bodySha256(sound.body) }),
  body_reserialised: (sound) => changed(sound, { bodySha256: bodySha256(reserialized(sound)) }),
  body_as_braces: (sound) =>
    sound.body.length > 0 ? changed(sound, {}) : changed(sound, { bodySha256: bodySha256(Buffer.from('{}')) }),
  body_hash_upper: (sound) => changed(sound, { bodySha256: sound.parts.bodySha256.toUpperCase() }),
  body_hash_base64: (sound) => changed(sound, { bodySha256: hash('sha256', signedBody(sound), 'base64') }),
  crlf: (sound) => changed(sound, {}).replaceAll('\n', '\r\n'),
  trailing_newline: (sound) => `${changed(sound, {})}\n`,
  missing_query_line: ({ parts }) =>
    [parts.method, parts.path, parts.timestamp, parts.nonce, parts.bodySha256].join('\n'),
  lines_swapped: (sound) => changed(sound, { timestamp: sound.parts.nonce, nonce: sound.parts.timestamp }),
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

function signedBody({ parts, body }: SoundLines): Uint8Array {
  return hasUnsignedBody(parts.method) ? new Uint8Array() : body
}

function reserialized(sound: SoundLines): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(signedBody(sound)).toString('utf8'))))
  } catch {
    throw new FaultHasNoEffectError({ canonical: 'body_reserialised' }, 'it has no JSON body')
  }
}
