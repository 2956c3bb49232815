import {
  type CanonicalParts,
  canonicalQueryOf,
  canonicalString,
  compareByCodePoint,
  EMPTY_BODY_SHA256,
  encodeComponent,
  hasUnsignedBody,
  type QueryPair,
} from '../../../contract/canonical-string.ts'
import { SIGNATURE_PREFIX } from '../../../contract/headers.ts'
import { bodySha256, equalInConstantTime, type HmacKey, hmacSha256Hex } from '../../../contract/signature.ts'
import type { Check } from '../../../sandbox/app/checks.ts'
import { canonicalStringOf, signatureRefused } from '../../../sandbox/app/checks.ts'
import type { AuthenticatedCall, Call } from '../../../sandbox/wire/call.ts'
import type { Tampered } from '../defect.ts'

// Servers that take other texts than the canonical string for the signed one.

/** The six lines of a call as a correct server writes them. */
export function validParts(call: Call): CanonicalParts {
  return {
    method: call.method,
    path: call.path,
    query: canonicalQueryOf(call.query),
    timestamp: call.timestamp,
    nonce: call.nonce,
    bodySha256: hasUnsignedBody(call.method) ? EMPTY_BODY_SHA256 : bodySha256(call.body),
  }
}

/** Puts another check in the place of the signature check. */
export function signatureCheck(check: Check): Tampered {
  return { hooks: { checks: { signature: check } } }
}

/** Whether the call carries the signature of one of these texts, under its own secret or another key. */
export function isSignedOver(
  call: AuthenticatedCall,
  texts: readonly string[],
  key: HmacKey | string = call.credential.hmacKey,
): boolean {
  return texts.some((text) => equalInConstantTime(call.signature, SIGNATURE_PREFIX + hmacSha256Hex(key, text)))
}

/** A server that lets some wrong signatures pass, beside the right one. */
export function acceptsToo(wrongTexts: (call: Call) => readonly string[]): Tampered {
  return signatureCheck((call) => {
    if (!isSignedOver(call, [canonicalStringOf(call)]) && !isSignedOver(call, wrongTexts(call)))
      throw signatureRefused(call)
  })
}

/** A server that takes another text for the right one. */
export function expectsInstead(wrongText: (call: Call) => string): Tampered {
  return signatureCheck((call) => {
    if (!isSignedOver(call, [wrongText(call)])) throw signatureRefused(call)
  })
}

/** The correct text with some lines changed. */
export function withLines(call: Call, change: Partial<CanonicalParts>): string {
  return canonicalString({ ...validParts(call), ...change })
}

/** A server whose query line is wrong. */
export function queryLine(write: (pairs: readonly QueryPair[], call: Call) => string): Tampered {
  return expectsInstead((call) => withLines(call, { query: write(call.query, call) }))
}

/** Pairs as a query, in the order they come in. */
export function joined(pairs: readonly QueryPair[], encode: (text: string) => string): string {
  return pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
}

export function encoded([key, value]: QueryPair): QueryPair {
  return [encodeComponent(key), encodeComponent(value)]
}

/** Sorted as they are, by key and then by value. */
export function sortedPairs(pairs: readonly QueryPair[]): QueryPair[] {
  return [...pairs].sort((a, b) => compareByCodePoint(a[0], b[0]) || compareByCodePoint(a[1], b[1]))
}

/** A JSON body as it comes out of a parser and a serializer; any other body unchanged. */
export function reserialised(body: Uint8Array): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8'))))
  } catch {
    return body
  }
}

/** A body whose lines end in LF. */
export function withLineFeeds(body: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(body).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
}
