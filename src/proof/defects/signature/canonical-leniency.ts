import {
  canonicalQueryOf,
  compareByCodePoint,
  encodeComponent,
  type QueryPair,
} from '../../../contract/canonical-string.ts'
import { API_ROOT } from '../../../contract/endpoints/endpoint.ts'
import type { Call } from '../../../sandbox/wire/call.ts'
import { type Defect, defect } from '../defect.ts'
import { acceptsToo, encoded, joined, sortedPairs, soundParts, withLines } from './signing.ts'

const PLAIN_CHARACTERS = ['', ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const VERSION_SEGMENT = API_ROOT.slice(API_ROOT.lastIndexOf('/'))

/** Other readings of the canonical string, accepted beside the right one by lenient servers. */
export const canonicalLeniencyDefects: readonly Defect[] = [
  defect('query-as-sent-passes', ['CANON-05', 'CANON-07'], {
    summary: 'A signature over the query as the URL has it passes.',
    ...acceptsToo((call) => [withLines(call, { query: call.rawQuery })]),
  }),
  defect('query-unsorted-passes', ['CANON-03', 'CANON-04'], {
    summary: 'A signature over the query pairs in the order of the URL passes.',
    ...acceptsToo((call) => [withLines(call, { query: joined(call.query, encodeComponent) })]),
  }),
  defect('query-sorted-by-key-only-passes', ['CANON-04'], {
    summary: 'A signature over query pairs that are sorted by key only passes.',
    ...acceptsToo((call) => [withLines(call, { query: joined([...call.query].sort(byKey), encodeComponent) })]),
  }),
  defect('query-sorted-after-encoding-passes', ['CANON-13'], {
    summary: 'A signature over query pairs that are sorted by their encoded form passes.',
    ...acceptsToo((call) => [withLines(call, { query: joined(sortedPairs(call.query.map(encoded)), asItIs) })]),
  }),
  defect('query-left-out-passes', ['AUTH-10', 'CANON-07'], {
    summary: 'A signature over an empty query line passes on calls that have a query.',
    ...acceptsToo((call) => [withLines(call, { query: '' })]),
  }),
  defect('query-value-ending-not-covered', ['AUTH-10', 'CANON-07'], {
    summary: 'The last character of a query value may differ from the signed one.',
    ...acceptsToo((call) => call.query.flatMap((pair) => withOtherEndings(call, pair))),
  }),
  defect('query-case-not-covered', ['AUTH-10'], {
    summary: 'A signature over the query line in lower case passes.',
    ...acceptsToo((call) => [withLines(call, { query: soundParts(call).query.toLowerCase() })]),
  }),
  defect('query-repetition-not-covered', ['AUTH-10', 'CANON-04'], {
    summary: 'A pair that was signed twice may be sent once.',
    ...acceptsToo((call) =>
      call.query.map((pair) => withLines(call, { query: canonicalQueryOf([...call.query, pair]) })),
    ),
  }),
  defect('path-case-ignored', ['CANON-10', 'AUTH-08'], {
    summary: 'A signature over the path in lower case passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.toLowerCase() })]),
  }),
  defect('path-first-segment-optional', ['CANON-10', 'AUTH-08'], {
    summary: 'A signature over the path without its first segment passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.replace('/api/', '/') })]),
  }),
  defect('path-version-not-covered', ['CANON-10'], {
    summary: 'A signature passes whether its path has the version segment or not.',
    ...acceptsToo((call) => [
      withLines(call, { path: call.path.replace(VERSION_SEGMENT, '') }),
      withLines(call, { path: call.path.replace('/partner/', `/partner${VERSION_SEGMENT}/`) }),
    ]),
  }),
  defect('body-hash-in-upper-case-passes', ['CANON-08', 'CANON-09'], {
    summary: 'A signature over the body hash in upper-case hex passes.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: soundParts(call).bodySha256.toUpperCase() })]),
  }),
  defect('body-hash-in-base64-passes', ['CANON-08', 'CANON-09'], {
    summary: 'A signature over the body hash in base64 passes.',
    ...acceptsToo((call) => [
      withLines(call, { bodySha256: Buffer.from(soundParts(call).bodySha256, 'hex').toString('base64') }),
    ]),
  }),
]

function byKey(a: QueryPair, b: QueryPair): number {
  return compareByCodePoint(a[0], b[0])
}

function asItIs(text: string): string {
  return text
}

function withOtherEndings(call: Call, pair: QueryPair): string[] {
  return PLAIN_CHARACTERS.map((end): QueryPair => [pair[0], pair[1].slice(0, -1) + end]).map((other) =>
    withLines(call, { query: canonicalQueryOf(call.query.map((one) => (one === pair ? other : one))) }),
  )
}
