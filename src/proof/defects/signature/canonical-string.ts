import { canonicalQueryOf, encodeComponent, type QueryPair } from '../../../contract/canonical-string.ts'
import { API_ROOT } from '../../../contract/endpoints/endpoint.ts'
import { ENDPOINTS } from '../../../contract/endpoints.ts'
import { bodySha256 } from '../../../contract/signature.ts'
import { canonicalStringOf } from '../../../sandbox/app/checks.ts'
import type { Call } from '../../../sandbox/wire/call.ts'
import { type Defect, defect } from '../defect.ts'
import {
  acceptsToo,
  encoded,
  expectsInstead,
  joined,
  queryLine,
  reserialised,
  sortedPairs,
  validParts,
  withLines,
} from './signing.ts'

const EXTRA_FIVE = /%(?:21|27|28|29|2A)/g

/** Canonical strings that a server builds wrongly, so that calls which trigger the mistake are refused. */
export const canonicalStringDefects: readonly Defect[] = [
  defect('trailing-newline-demanded', ['CANON-01', 'AUTH-01'], {
    summary: 'The canonical string must end in a newline.',
    ...expectsInstead((call) => `${canonicalStringOf(call)}\n`),
  }),
  defect('lines-in-another-order', ['CANON-01', 'AUTH-01'], {
    summary: 'The nonce is signed before the timestamp.',
    ...expectsInstead((call) => withLines(call, { timestamp: call.nonce, nonce: call.timestamp })),
  }),
  defect('empty-query-line-left-out', ['CANON-02'], {
    summary: 'A call without a query is expected to sign five lines.',
    ...expectsInstead((call) => {
      const text = canonicalStringOf(call)
      return call.query.length === 0 ? text.replace('\n\n', '\n') : text
    }),
  }),
  defect('bare-question-mark-signed', ['CANON-02'], {
    summary: 'A question mark with nothing after it becomes part of the signed path.',
    ...expectsInstead((call) => withLines(call, call.target.endsWith('?') ? { path: call.target } : {})),
  }),
  defect('query-not-sorted', ['CANON-03'], {
    summary: 'Query pairs are signed in the order of the URL.',
    ...queryLine((pairs) => joined(pairs, encodeComponent)),
  }),
  defect('query-keys-kept-once', ['CANON-04'], {
    summary: 'Of query pairs with equal keys only the last is signed.',
    ...queryLine((pairs) => canonicalQueryOf([...new Map(pairs)])),
  }),
  defect('query-blanks-dropped', ['CANON-05'], {
    summary: 'Parameters without a value are not signed.',
    ...queryLine((pairs) => canonicalQueryOf(pairs.filter(([, value]) => value !== ''))),
  }),
  defect('query-extra-five-left-alone', ['CANON-06'], {
    summary: "The characters ! ' ( ) * are signed unencoded.",
    ...queryLine((pairs) => canonicalQueryOf(pairs).replace(EXTRA_FIVE, decodeURIComponent)),
  }),
  defect('query-asterisk-left-alone', ['CANON-06'], {
    summary: 'The asterisk is signed unencoded, as form encoders have it.',
    ...queryLine((pairs) => canonicalQueryOf(pairs).replaceAll('%2A', '*')),
  }),
  defect('query-beyond-ten-pairs-not-signed', ['CANON-07'], {
    summary: 'Ten query pairs are signed at most.',
    ...queryLine((pairs) => canonicalQueryOf(sortedPairs(pairs).slice(0, 10))),
  }),
  defect('query-plus-for-space', ['CANON-07'], {
    summary: 'A space is signed as a plus sign.',
    ...queryLine((pairs) => canonicalQueryOf(pairs).replaceAll('%20', '+')),
  }),
  defect('query-tilde-encoded', ['CANON-07'], {
    summary: 'A tilde is signed percent-encoded.',
    ...queryLine((pairs) => canonicalQueryOf(pairs).replaceAll('~', '%7E')),
  }),
  defect('query-encoded-twice', ['CANON-07'], {
    summary: 'The query is encoded without having been decoded, so that a percent sign becomes %25.',
    ...queryLine((pairs) => joined(sortedPairs(pairs.map(encoded)), encodeComponent)),
  }),
  defect('query-keys-sorted-as-numbers', ['CANON-07'], {
    summary: 'Keys that are numbers are sorted by their value, as members of an object are.',
    ...queryLine((pairs) => joined(sortedAsMembers(pairs), encodeComponent)),
  }),
  defect('query-values-sorted-as-numbers', ['CANON-07'], {
    summary: 'Of equal keys, values that are numbers are sorted by size.',
    ...queryLine((pairs) =>
      joined(
        [...sortedPairs(pairs)].sort(([a, one], [b, other]) => (a === b ? Number(one) - Number(other) || 0 : 0)),
        encodeComponent,
      ),
    ),
  }),
  defect('query-dots-signed-as-underscores', ['CANON-07'], {
    summary: 'Dots in keys are signed as underscores, as PHP has them in its variables.',
    ...queryLine((pairs) => canonicalQueryOf(pairs.map(([key, value]) => [key.replaceAll('.', '_'), value]))),
  }),
  defect('query-proto-dropped', ['CANON-07'], {
    summary: 'Query pairs are collected in a plain object, so that __proto__ is not signed.',
    ...queryLine((pairs) => canonicalQueryOf(pairs.filter(([key]) => key !== '__proto__'))),
  }),
  defect('query-sorted-without-case', ['CANON-07'], {
    summary: 'Keys are sorted without regard to letter case.',
    ...queryLine((pairs) =>
      joined(
        [...sortedPairs(pairs)].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
        encodeComponent,
      ),
    ),
  }),
  defect('query-values-sorted-without-case', ['CANON-07'], {
    summary: 'Of equal keys, values are sorted as in a dictionary, without regard to letter case.',
    ...queryLine((pairs) =>
      joined(
        [...sortedPairs(pairs)].sort(([a, one], [b, other]) => (a === b ? one.localeCompare(other, 'en') : 0)),
        encodeComponent,
      ),
    ),
  }),
  defect('empty-body-hash-left-out', ['CANON-08'], {
    summary: 'Calls without a body are expected to sign an empty sixth line.',
    ...expectsInstead((call) => withLines(call, call.body.length === 0 ? { bodySha256: '' } : {})),
  }),
  defect('body-reserialised-before-hashing', ['CANON-09'], {
    summary: 'The body hash is taken over the parsed and rewritten body.',
    ...expectsInstead((call) => withLines(call, { bodySha256: bodySha256(reserialised(call.body)) })),
  }),
  defect('path-without-root-demanded', ['CANON-10', 'AUTH-01'], {
    summary: 'The signed path is expected without the API root.',
    ...expectsInstead((call) => withLines(call, { path: call.path.replace(API_ROOT, '') })),
  }),
  defect('verb-signed-in-lower-case', ['CANON-11', 'AUTH-01'], {
    summary: 'The signed verb is expected in lower case.',
    ...expectsInstead((call) => withLines(call, { method: call.method.toLowerCase() })),
  }),
  defect('query-sorted-after-encoding', ['CANON-13'], {
    summary: 'Query pairs are sorted by their encoded form.',
    ...queryLine((pairs) => joined(sortedPairs(pairs.map(encoded)), (text) => text)),
  }),
  defect('path-of-the-route-demanded', ['AUTH-01'], {
    summary: 'The signed path is expected as the route has it, with the name of an id in place of the id.',
    ...expectsInstead((call) => withLines(call, call.endpoint ? { path: ENDPOINTS[call.endpoint].path } : {})),
  }),
]

const PLAIN_CHARACTERS = ['', ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']

/** Other readings of the canonical string, accepted beside the right one by lenient servers. */
export const canonicalLeniencyDefects: readonly Defect[] = [
  defect('query-unsorted-passes', ['CANON-03', 'CANON-04'], {
    summary: 'A signature over the query pairs in the order of the URL passes.',
    ...acceptsToo((call) => [withLines(call, { query: joined(call.query, encodeComponent) })]),
  }),
  defect('query-as-sent-passes', ['CANON-05', 'CANON-07'], {
    summary: 'A signature over the query as the URL has it passes.',
    ...acceptsToo((call) => [withLines(call, { query: call.rawQuery })]),
  }),
  defect('body-hash-in-upper-case-passes', ['CANON-08', 'CANON-09'], {
    summary: 'A signature over the body hash in upper-case hex passes.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: validParts(call).bodySha256.toUpperCase() })]),
  }),
  defect('body-hash-in-base64-passes', ['CANON-08', 'CANON-09'], {
    summary: 'A signature over the body hash in base64 passes.',
    ...acceptsToo((call) => [
      withLines(call, { bodySha256: Buffer.from(validParts(call).bodySha256, 'hex').toString('base64') }),
    ]),
  }),
  defect('path-case-ignored', ['CANON-10', 'AUTH-08'], {
    summary: 'A signature over the path in lower case passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.toLowerCase() })]),
  }),
  defect('path-first-segment-optional', ['CANON-10', 'AUTH-08'], {
    summary: 'A signature over the path without its first segment passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.replace('/api/', '/') })]),
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
  defect('query-repetition-not-covered', ['AUTH-10', 'CANON-04'], {
    summary: 'A pair that was signed twice may be sent once.',
    ...acceptsToo((call) =>
      call.query.map((pair) => withLines(call, { query: canonicalQueryOf([...call.query, pair]) })),
    ),
  }),
]

function asItIs(text: string): string {
  return text
}

function withOtherEndings(call: Call, pair: QueryPair): string[] {
  return PLAIN_CHARACTERS.map((end): QueryPair => [pair[0], pair[1].slice(0, -1) + end]).map((other) =>
    withLines(call, { query: canonicalQueryOf(call.query.map((one) => (one === pair ? other : one))) }),
  )
}

/** Keys that are whole numbers first, by their value, as JavaScript has them in an object. */
function sortedAsMembers(pairs: readonly QueryPair[]): QueryPair[] {
  const isNumber = (key: string): boolean => /^(?:0|[1-9]\d*)$/.test(key)
  const sorted = sortedPairs(pairs)
  const numbers = sorted.filter(([key]) => isNumber(key)).sort(([a], [b]) => Number(a) - Number(b))
  return [...numbers, ...sorted.filter(([key]) => !isNumber(key))]
}
