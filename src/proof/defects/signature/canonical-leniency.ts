import {
  canonicalQueryOf,
  compareByCodePoint,
  encodeComponent,
  type QueryPair,
} from '../../../contract/canonical-string.ts'
import { API_ROOT } from '../../../contract/endpoints/endpoint.ts'
import type { Call } from '../../../sandbox/wire/call.ts'
import type { Defect } from '../defect.ts'
import { acceptsToo, encoded, joined, sortedPairs, soundParts, withLines } from '../webhooks/signing.ts'

const PLAIN_CHARACTERS = ['', ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const VERSION_SEGMENT = API_ROOT.slice(API_ROOT.lastIndexOf('/'))

/** Other readings of the canonical string, accepted beside the right one by servers that mean to be helpful. */
export const canonicalLeniencyDefects: readonly Defect[] = [
  {
    id: 'query-as-sent-passes',
    breaks: ['CANON-05', 'CANON-07'],
    summary: 'A signature over the query as the URL has it passes.',
    ...acceptsToo((call) => [withLines(call, { query: call.rawQuery })]),
  },
  {
    id: 'query-unsorted-passes',
    breaks: ['CANON-03', 'CANON-04'],
    summary: 'A signature over the query pairs in the order of the URL passes.',
    ...acceptsToo((call) => [withLines(call, { query: joined(call.query, encodeComponent) })]),
  },
  {
    id: 'query-sorted-by-key-only-passes',
    breaks: ['CANON-04'],
    summary: 'A signature over query pairs that are sorted by key only passes.',
    ...acceptsToo((call) => [withLines(call, { query: joined([...call.query].sort(byKey), encodeComponent) })]),
  },
  {
    id: 'query-sorted-after-encoding-passes',
    breaks: ['CANON-13'],
    summary: 'A signature over query pairs that are sorted by their encoded form passes.',
    ...acceptsToo((call) => [withLines(call, { query: joined(sortedPairs(call.query.map(encoded)), asItIs) })]),
  },
  {
    id: 'query-left-out-passes',
    breaks: ['AUTH-10', 'CANON-07'],
    summary: 'A signature over an empty query line passes on calls that have a query.',
    ...acceptsToo((call) => [withLines(call, { query: '' })]),
  },
  {
    id: 'query-value-ending-not-covered',
    breaks: ['AUTH-10', 'CANON-07'],
    summary: 'The last character of a query value may differ from the signed one.',
    ...acceptsToo((call) => call.query.flatMap((pair) => withOtherEndings(call, pair))),
  },
  {
    id: 'query-case-not-covered',
    breaks: ['AUTH-10'],
    summary: 'A signature over the query line in lower case passes.',
    ...acceptsToo((call) => [withLines(call, { query: soundParts(call).query.toLowerCase() })]),
  },
  {
    id: 'query-repetition-not-covered',
    breaks: ['AUTH-10', 'CANON-04'],
    summary: 'A pair that was signed twice may be sent once.',
    ...acceptsToo((call) =>
      call.query.map((pair) => withLines(call, { query: canonicalQueryOf([...call.query, pair]) })),
    ),
  },
  {
    id: 'path-case-ignored',
    breaks: ['CANON-10', 'AUTH-08'],
    summary: 'A signature over the path in lower case passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.toLowerCase() })]),
  },
  {
    id: 'path-first-segment-optional',
    breaks: ['CANON-10', 'AUTH-08'],
    summary: 'A signature over the path without its first segment passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.replace('/api/', '/') })]),
  },
  {
    id: 'path-version-not-covered',
    breaks: ['CANON-10'],
    summary: 'A signature passes whether its path has the version segment or not.',
    ...acceptsToo((call) => [
      withLines(call, { path: call.path.replace(VERSION_SEGMENT, '') }),
      withLines(call, { path: call.path.replace('/partner/', `/partner${VERSION_SEGMENT}/`) }),
    ]),
  },
  {
    id: 'body-hash-in-upper-case-passes',
    breaks: ['CANON-08', 'CANON-09'],
    summary: 'A signature over the body hash in upper-case hex passes.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: soundParts(call).bodySha256.toUpperCase() })]),
  },
  {
    id: 'body-hash-in-base64-passes',
    breaks: ['CANON-08', 'CANON-09'],
    summary: 'A signature over the body hash in base64 passes.',
    ...acceptsToo((call) => [
      withLines(call, { bodySha256: Buffer.from(soundParts(call).bodySha256, 'hex').toString('base64') }),
    ]),
  },
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
