import {
  AUTH_HEADERS,
  FIRST_MILLISECONDS,
  HEADERS,
  headerValuesOf,
  type RawHeaders,
  VISIBLE_ASCII,
  WHOLE_SECONDS,
} from '../headers.ts'
import { environmentOf } from '../ids.ts'
import { LIMITS } from '../limits.ts'
import { closestTo, counted, sharedEnd, sharedStart } from '../words.ts'
import type { Mistake } from './mistake.ts'

/** What is refused before or beside the signature: seen, not searched for. */
export const REFUSALS = {
  'header-missing': 'an authentication header is missing',
  'header-named-otherwise': 'an authentication header was sent under another name',
  'header-twice': 'an authentication header was sent twice',
  'nonce-form': 'the nonce is too long or has characters that are not allowed',
  'signature-form': 'the signature is malformed',
  'request-unusual': 'no signature can be computed for this request',
  'query-broken': 'the query cannot be decoded',
  'key-id-unknown': 'the key id is unknown here',
  'key-id-live': 'a live key id never works in a sandbox',
  'key-id-misspelt': 'the key id differs slightly from a known one',
  'key-id-is-no-key-id': 'the header of the key id has something else in it',
  'key-id-of-another': 'the call is signed with the secret of another key id',
  'key-revoked': 'the credential is revoked',
  'timestamp-not-seconds': 'the timestamp is not a Unix time in whole seconds',
  'timestamp-sent-in-milliseconds': 'the timestamp was sent in milliseconds; it is Unix time in seconds',
  'clock-ahead': 'the clock that made the timestamp is ahead',
  'clock-behind': 'the clock that made the timestamp is behind',
  'nonce-used': 'the nonce was used before; every attempt needs a fresh one',
  'rate-limit': 'the credential made too many calls',
  'scope-lacking': 'the credential may not use this endpoint',
  'verb-wrong': 'the path is right, but the endpoint has another verb',
  'path-slash': 'the path has a slash that no endpoint has',
  'path-root': 'the path does not begin with the API root',
  'path-unknown': 'no endpoint has this path',
  'key-used': 'the Idempotency-Key was used before',
  'request-refused': 'the request was refused',
  'failed-inside': 'something went wrong inside the sandbox',
} as const satisfies Record<string, string>

export type RefusalId = keyof typeof REFUSALS

/** @example refusal('header-missing', 'X-Partner-Nonce is missing') */
export function refusal(id: RefusalId, says: string = REFUSALS[id]): Mistake {
  return { id, says }
}

/**
 * What is wrong with the four authentication headers: which are missing, under which other name they may have been
 * sent, which came twice.
 *
 * @example explainHeaders(['X-Partner-Key', 'pk_test_1']).map(({ says }) => says)[0] // 'X-Partner-Key-Id is missing; X-Partner-Key is there'
 */
export function explainHeaders(rawHeaders: RawHeaders, nonceMaxLength: number = LIMITS.nonceMaxLength): Mistake[] {
  const found = AUTH_HEADERS.map((name) => {
    const values = headerValuesOf(rawHeaders, name)
    return { name, values, lookAlike: values.length === 0 ? lookAlikeOf(name, rawHeaders) : undefined }
  })
  const absent = found.filter(({ values, lookAlike }) => values.length === 0 && lookAlike === undefined)
  const others = found.flatMap(({ name, values, lookAlike }) => {
    if (lookAlike !== undefined)
      return [refusal('header-named-otherwise', `${name} is missing; ${lookAlike} was sent, which is another header`)]
    if (values.length > 1) return [refusal('header-twice', `${name} was sent ${values.length} times`)]
    if (values[0] === '') return [refusal('header-missing', `${name} was sent empty`)]
    return name === HEADERS.nonce && values[0] !== undefined ? nonceForm(values[0], nonceMaxLength) : []
  })
  return [...missing(absent.map(({ name }) => name)), ...others]
}

/** One mistake, however many are missing: most often the call was not signed at all. */
function missing(names: readonly string[]): Mistake[] {
  const [last, ...before] = names.toReversed()
  if (last === undefined) return []
  if (before.length === 0) return [refusal('header-missing', `${last} is missing`)]
  return [refusal('header-missing', `${before.toReversed().join(', ')} and ${last} are missing`)]
}

function lookAlikeOf(name: string, rawHeaders: RawHeaders): string | undefined {
  return rawHeaders.filter((_, at) => at % 2 === 0).find((found) => isLike(found, name))
}

/** What each header is about, and what it is called elsewhere. */
const WORDS: Record<string, RegExp> = {
  [HEADERS.keyId]:
    /^(?:x?(?:partner)?(?:api)?(?:access)?key(?:id)?|x?partnerid|x?(?:api)?clientid|apikey|authorization)$/,
  [HEADERS.timestamp]: /^x?(?:partner)?(?:request)?(?:timestamp|time|ts|date)$/,
  [HEADERS.nonce]: /^x?(?:partner)?(?:request)?(?:nonce|requestid|uuid)$/,
  [HEADERS.signature]:
    /^(?:x?(?:partner|hub|webhook|request)?(?:signature|sig|sign|hmac|signature256|signaturesha256)|authorization)$/,
}

function isLike(found: string, wanted: string): boolean {
  if ((AUTH_HEADERS as readonly string[]).some((name) => name.toLowerCase() === found.toLowerCase())) return false
  const plain = found.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return plain === wanted.toLowerCase().replaceAll('-', '') || (WORDS[wanted]?.test(plain) ?? false)
}

function nonceForm(nonce: string, maxLength: number): Mistake[] {
  if (nonce.length > maxLength) {
    return [refusal('nonce-form', `the nonce has ${nonce.length} characters; at most ${maxLength} are allowed`)]
  }
  return VISIBLE_ASCII.test(nonce) ? [] : [refusal('nonce-form', 'the nonce has characters other than visible ASCII')]
}

/** A credential that is known here. */
export interface KnownKey {
  readonly keyId: string
  /** E.g. `main of the world default`. */
  readonly words: string
  readonly name: string
}

/** Key ids that differ by no more than so many letters were meant to be the same. */
const NEAR = 3

/**
 * Why a key id is not known.
 *
 * @param signer whose secret the call is signed with, where that is known.
 * @example explainKeyId('pk_live_1', [], null).id // 'key-id-live'
 */
export function explainKeyId(sent: string, known: readonly KnownKey[], signer: KnownKey | null): Mistake {
  if (/^["']?sk_/i.test(sent)) {
    return refusal(
      'key-id-is-no-key-id',
      'a secret was sent instead of the key id; others may have seen it on the way, so replace it',
    )
  }
  if (signer) {
    return refusal(
      'key-id-of-another',
      `the key id is unknown here, but the signature is that of ${signer.words}: send ${signer.keyId}`,
    )
  }
  if (environmentOf(sent) === 'live') return refusal('key-id-live')
  return misspelled(sent, known) ?? namedOtherwise(sent, known) ?? refusal('key-id-unknown', unknownWords(sent))
}

function misspelled(sent: string, known: readonly KnownKey[]): Mistake | null {
  const near = closestTo(sent, candidatesFor(sent, known))
  const meant = known.find(({ keyId }) => keyId === near)
  return meant
    ? refusal('key-id-misspelt', `the key id is unknown here; it looks like ${meant.keyId}, that of ${meant.words}`)
    : null
}

/** Only those that are near enough; `closestTo` alone would take a third of the letters for a slip. */
function candidatesFor(sent: string, known: readonly KnownKey[]): string[] {
  const bare = sent.replaceAll(/["'\s]/g, '').toLowerCase()
  return known
    .map(({ keyId }) => keyId)
    .filter((keyId) => {
      const wanted = keyId.toLowerCase()
      if (wanted === bare) return true
      if (Math.abs(wanted.length - bare.length) > NEAR || bare.length < 8) return false
      const common = Math.min(sharedStart(wanted, bare) + sharedEnd(wanted, bare), wanted.length)
      return common >= wanted.length - NEAR
    })
}

function namedOtherwise(sent: string, known: readonly KnownKey[]): Mistake | null {
  const named = known.find(({ name, keyId }) => name === sent || keyId.endsWith(`_${sent}`))
  if (named) {
    return refusal(
      'key-id-is-no-key-id',
      `only a part or the name of a key id was sent; the key id of ${named.words} is ${named.keyId}`,
    )
  }
  return sent.startsWith('ptr_')
    ? refusal('key-id-is-no-key-id', 'a partner id was sent instead of the key id; a key id starts with pk_')
    : null
}

function unknownWords(sent: string): string {
  return sent.startsWith('pk_')
    ? 'the key id is unknown here: is it that of another sandbox, or of a world that was deleted or reset?'
    : 'what was sent is not a key id; a key id starts with pk_'
}

/**
 * Why a timestamp is refused; null where it is none of the reasons.
 *
 * @param nowMs the time that it is judged by.
 * @param allowedSeconds either side of it.
 * @example explainTimestamp('1767225600000', nowMs, 300)?.id // 'timestamp-sent-in-milliseconds'
 */
export function explainTimestamp(text: string, nowMs: number, allowedSeconds: number): Mistake | null {
  if (!WHOLE_SECONDS.test(text)) return refusal('timestamp-not-seconds', notSeconds(text))
  const seconds = Number(text)
  if (seconds >= FIRST_MILLISECONDS) return refusal('timestamp-sent-in-milliseconds')
  const ahead = seconds - Math.floor(nowMs / 1_000)
  if (Math.abs(ahead) <= allowedSeconds) return null
  return ahead > 0
    ? refusal('clock-ahead', `the clock that made the timestamp is ${spanOf(ahead)} ahead`)
    : refusal(
        'clock-behind',
        `the clock that made the timestamp is ${spanOf(-ahead)} behind, or the call took that long to arrive`,
      )
}

function notSeconds(text: string): string {
  const form = FORMS.find(({ pattern }) => pattern.test(text))
  return `the timestamp is ${form?.words ?? 'not a whole number'}; send Unix time in whole seconds, digits only`
}

const FORMS = [
  { pattern: /^\d{4}-\d{2}-\d{2}/, words: 'an ISO date' },
  { pattern: /^[A-Z][a-z]{2},? /, words: 'an HTTP date' },
  { pattern: /^\d+[.,]\d+$/, words: 'a number with a fraction' },
  { pattern: /^["'].*["']$/, words: 'in quotation marks' },
  { pattern: /^\d+(?:\.\d+)?e\+?\d+$/i, words: 'written with an exponent' },
  { pattern: /^0\d+$/, words: 'written with a leading zero' },
]

const UNITS = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
]

/** @example spanOf(420) // '7 minutes' */
function spanOf(seconds: number): string {
  const unit = UNITS.find((each) => seconds >= 2 * each.seconds)
  const count = Math.round(seconds / (unit?.seconds ?? 1))
  return counted(count, unit?.name ?? 'second')
}
