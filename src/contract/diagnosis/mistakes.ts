import type { Mistake, MistakeId } from './mistake.ts'

/**
 * Every known mistake with a clause that tells it, in the order in which it is looked for: where several explain a
 * signature equally well, the earlier one is named. docs/signing.md lists them for people.
 */
export const MISTAKES = {
  'prefix-missing': 'the signature header lacks v1= before the digest',
  'prefix-wrong': 'the signature header begins with something else than v1=',
  'prefix-on-webhook': 'the signature has a prefix, and a delivery is signed with the bare hex',
  'digest-upper-case': 'the digest is written in upper-case hex instead of lower-case',
  'digest-base64': 'the digest is written in base64 instead of lower-case hex',
  'digest-base64-of-hex': 'the hex of the digest is written in base64 once more',
  'digest-cut': 'the digest is cut short',
  'digest-too-long': 'there is something behind the digest',
  'digest-algorithm': 'another hash than SHA-256 was used',

  'key-id-as-secret': 'the key id was used as the secret',
  'secret-of-another': 'another secret was used',
  'secret-newline': 'the secret was used with a newline behind it',
  'secret-space': 'the secret was used with white space around it',
  'secret-quoted': 'the secret was used with its quotation marks',
  'secret-without-prefix': 'the secret was used without its sk_ prefix',
  'secret-base64-decoded': 'the secret was decoded from base64 first; its text as it stands is the key',
  'secret-hex-decoded': 'the secret was decoded from hex first; its text as it stands is the key',
  'secret-hashed': 'the SHA-256 of the secret was used instead of the secret',
  'secret-case': 'the secret was used in another case',
  'secret-empty': 'the secret was empty, as where the variable that holds it is not set',

  'method-lower-case': 'the verb was signed in lower case',
  'method-other': 'another verb was signed than the one sent',

  'path-without-root': 'the path was signed without the API root; it is signed whole, /api/partner/v1 included',
  'path-with-query': 'the query was signed as a part of the path',
  'path-lower-case': 'the path was signed in lower case',
  'path-upper-case': 'the path was signed in upper case',
  'path-slash-added': 'the path was signed with a slash at its end that was not sent',
  'path-slash-removed': 'the path was signed without the slash at its end that was sent',
  'path-without-first-slash': 'the path was signed without its first slash',
  'path-decoded': 'the path was signed percent-decoded; it is signed as it is sent',
  'path-with-host': 'the whole URL was signed in place of the path',
  'path-versioned': 'the path was signed with /v1 in it; this one has no version segment',

  'query-unsorted': 'the query was signed in the order of the URL, unsorted',
  'query-sorted-by-key-only': 'the query was sorted by its keys alone; equal keys are sorted by their values too',
  'query-sorted-after-encoding': 'the query was sorted after it was encoded; it is sorted first',
  'query-sorted-as-text': 'the query was sorted by the whole text of each pair; keys are compared first',
  'query-sorted-ignoring-case': 'the query was sorted without regard to case',
  'query-sorted-utf16': 'the query was sorted by UTF-16 unit; here code points decide beyond U+FFFF',
  'query-sorted-code-point': 'the query was sorted by code point; here UTF-16 units decide beyond U+FFFF',
  'query-raw': 'the query was signed raw, as it stands in the URL; it is decoded, sorted and encoded anew',
  'query-sorted-raw': 'the pairs of the query were sorted and left as they stand in the URL; they are encoded anew',
  'query-plus-kept': 'a plus sign in the query was signed as a plus sign (%2B); here it stands for a space',
  'query-plus-as-space': 'a plus sign in the query was signed as a space; here it stands for itself',
  'query-plus': 'spaces in the query were signed as + instead of %20',
  'query-five-bare': "the characters ! ' ( ) * in the query were left unencoded",
  'query-lower-hex': 'the escapes of the query were written in lower-case hex',
  'query-decoded': 'the query was signed decoded; keys and values are percent-encoded',
  'query-encoded-twice': 'the query was percent-encoded twice',
  'query-slash-bare': 'slashes in the query were left unencoded',
  'query-form': 'the query was encoded as a form: + for space, * bare, ~ encoded',
  'query-blank-dropped': 'pairs with a blank value were dropped from the query',
  'query-blank-bare': 'pairs with a blank value were signed without their equals sign',
  'query-duplicates-first': 'of pairs with the same key only the first was signed',
  'query-duplicates-last': 'of pairs with the same key only the last was signed',
  'query-duplicates-joined': 'the values of the same key were joined by commas into one pair',
  'query-empty': 'the query was left out: its line was signed empty',
  'query-with-mark': 'the query was signed with its question mark',

  'timestamp-milliseconds': 'the timestamp was signed in milliseconds; it is Unix time in seconds',
  'timestamp-seconds-signed': 'the timestamp was signed in seconds and sent in milliseconds',
  'timestamp-iso': 'the timestamp was signed as an ISO date; it is signed as its header has it',
  'timestamp-fraction': 'the timestamp was signed with a fraction',
  'timestamp-other-second': 'the timestamp was taken twice: another second was signed than was sent',
  'timestamp-empty': 'the timestamp line was signed empty',
  'nonce-case': 'the nonce was signed in another case than it was sent',
  'nonce-without-dashes': 'the nonce was signed without the dashes that were sent',
  'nonce-empty': 'the nonce line was signed empty',

  'body-json-compact':
    'the body was signed re-serialised: compact JSON, as JSON.stringify writes it, was hashed instead of the bytes sent',
  'body-json-spaced':
    'the body was signed re-serialised: JSON with a space behind commas and colons, as json.dumps writes it, was hashed instead of the bytes sent',
  'body-json-indented-2':
    'the body was signed re-serialised: JSON indented by two spaces was hashed instead of the bytes sent',
  'body-json-indented-4':
    'the body was signed re-serialised: JSON indented by four spaces was hashed instead of the bytes sent',
  'body-json-indented-tab':
    'the body was signed re-serialised: JSON indented by tabs was hashed instead of the bytes sent',
  'body-json-sorted':
    'the body was signed re-serialised: compact JSON with sorted keys was hashed instead of the bytes sent',
  'body-json-sorted-spaced':
    'the body was signed re-serialised: spaced JSON with sorted keys was hashed instead of the bytes sent',
  'body-json-sorted-ascii':
    'the body was signed re-serialised: JSON with sorted keys, spaces and all but ASCII escaped was hashed instead of the bytes sent',
  'body-json-ascii':
    'the body was signed re-serialised: compact JSON with all but ASCII escaped was hashed instead of the bytes sent',
  'body-json-spaced-ascii':
    'the body was signed re-serialised: JSON with spaces and all but ASCII escaped, as json.dumps writes it, was hashed instead of the bytes sent',
  'body-json-slashes':
    'the body was signed re-serialised: compact JSON with escaped slashes, as json_encode writes it, was hashed instead of the bytes sent',
  'body-json-slashes-ascii':
    'the body was signed re-serialised: compact JSON with slashes and all but ASCII escaped, as json_encode writes it, was hashed instead of the bytes sent',
  'body-json-html':
    'the body was signed re-serialised: compact JSON with < > & escaped, as encoding/json writes it, was hashed instead of the bytes sent',
  'body-trimmed': 'the body was hashed without the white space at its ends',
  'body-newline-added': 'the body was hashed with a newline behind it that was not sent',
  'body-crlf': 'the body was hashed with CRLF in place of its line ends',
  'body-lf': 'the body was hashed with LF in place of its CRLF line ends',
  'body-without-bom': 'the body was hashed without the byte order mark that was sent',
  'body-latin1': 'the body was hashed as Latin-1 and sent as UTF-8',
  'body-utf16': 'the body was hashed as UTF-16 and sent as UTF-8',
  'body-form': 'the body was hashed form-encoded and sent as JSON',
  'body-hashed-empty': 'the body was hashed as empty',
  'body-of-get-hashed': 'the body of a GET was hashed; there the hash is always that of nothing',
  'body-empty-object': 'an empty JSON object was hashed where no body was sent',
  'body-null': 'the word null was hashed where no body was sent',
  'body-hash-upper-case': 'the hash of the body was signed in upper-case hex',
  'body-hash-base64': 'the hash of the body was signed in base64 instead of hex',
  'body-unhashed': 'the body itself was signed in place of its hash',
  'body-hash-line-empty': 'the line of the body hash was signed empty; for no body it is the hash of nothing',
  'body-hash-twice': 'the body was hashed twice',

  'lines-crlf': 'the lines were joined by CRLF instead of LF',
  'lines-escaped': 'the lines were joined by a backslash and an n instead of a newline: as in single quotes',
  'lines-joined-otherwise': 'the lines were joined by something else than LF',
  'newline-at-end': 'there was a newline behind the last line; nothing stands behind it',
  'query-line-missing': 'the query line was missing; without a query it is there and empty',
  'line-missing': 'a line was missing',
  'lines-swapped': 'two lines were swapped',

  'webhook-scheme': 'the call was signed by the scheme of webhooks, the raw body alone; a call signs its six lines',
  'call-scheme': 'the delivery was signed by the scheme of calls, six lines; a delivery signs its raw body alone',
  'timestamp-and-body': 'a timestamp and the body were signed; the document has neither scheme',
  'plain-hash': 'a plain SHA-256 of secret and text was made, not an HMAC',
  'hmac-swapped': 'key and message of the HMAC were swapped',
} as const satisfies Record<string, string>

/** What is refused before or beside the signature: seen, not searched for. */
export const REFUSALS = {
  'header-missing': 'an authentication header is missing',
  'header-named-otherwise': 'an authentication header is there under another name',
  'header-twice': 'an authentication header was sent twice',
  'nonce-form': 'the nonce is too long or holds characters that it may not',
  'signature-form': 'the signature is malformed',
  'request-unusual': 'the request is none that a signature can be made for',
  'query-broken': 'the query cannot be decoded',
  'key-id-unknown': 'the key id is unknown here',
  'key-id-live': 'a live key id never works in a sandbox',
  'key-id-misspelt': 'the key id is nearly one that is known',
  'key-id-is-no-key-id': 'something else than a key id was sent in its place',
  'key-id-of-another': 'the call is signed with the secret of another key id',
  'key-revoked': 'the credential is revoked',
  'timestamp-not-seconds': 'the timestamp is no Unix time in whole seconds',
  'timestamp-sent-in-milliseconds': 'the timestamp was sent in milliseconds; it is Unix time in seconds',
  'clock-ahead': 'the clock that made the timestamp is ahead',
  'clock-behind': 'the clock that made the timestamp is behind',
  'nonce-used': 'the nonce was used before; every attempt needs a fresh one',
  'rate-limit': 'the credential made too many calls',
  'scope-lacking': 'the credential may not use this endpoint',
  'verb-wrong': 'the path is that of an endpoint, and the verb is not',
  'path-slash': 'the path has a slash that no endpoint has',
  'path-root': 'the path lacks the API root, or has another one',
  'path-unknown': 'no endpoint has this path',
} as const satisfies Record<string, string>

export const MISTAKE_IDS = Object.keys(MISTAKES) as MistakeId[]
export const REFUSAL_IDS = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]

const WORDS: Record<MistakeId, string> = { ...MISTAKES, ...REFUSALS }

/** @example mistake('lines-swapped', 'the lines METHOD and PATH were swapped') */
export function mistake(id: MistakeId, says?: string): Mistake {
  return { id, says: says ?? WORDS[id] }
}
