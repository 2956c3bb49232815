import {
  canonicalQueryOf,
  canonicalString,
  decodeQuery,
  EMPTY_BODY_SHA256,
  hasUnsignedBody,
} from '../contract/canonical-string.ts'
import { explainTimestamp } from '../contract/diagnosis/refusals.ts'
import { ApiError } from '../contract/errors.ts'
import { HEADERS, SIGNATURE_PREFIX } from '../contract/headers.ts'
import { equalInConstantTime, hmacSha256Hex } from '../contract/signature.ts'
import { identify, runChecks } from '../sandbox/app/checks.ts'
import type { Environment } from '../sandbox/app/environment.ts'
import type { AuthenticatedCall, Call } from '../sandbox/wire/call.ts'
import type { Answer, Exchange } from '../sandbox/wire/route.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import { hasHeader } from './forwarded-headers.ts'
import type { SignedBody } from './kept-body.ts'

/**
 * Makes the checks of a sandbox that need nothing of its past: headers, key, timestamp, signature and scope.
 *
 * @returns why a sandbox would refuse the call; null if it would not, or for a page that is visited without a key.
 */
export function checkCall({ call, answer }: Exchange, body: SignedBody, worlds: Worlds): ApiError | null {
  if (call.endpoint === null && !hasHeader(call.rawHeaders, HEADERS.keyId.toLowerCase())) return null
  try {
    const known: AuthenticatedCall = identify(call as Call<Environment>, worlds.findCredential)
    if (explainTimestamp(call.timestamp, call.receivedAtMs, known.world.rules.timestamp.pastSeconds))
      throw refusedBy('timestamp', call, 'the timestamp is too far from the time of arrival')
    runChecks(['query'], known, worlds.findCredential)
    if (!isSigned(known, body, answer))
      throw refusedBy('signature', call, 'the signature does not fit the request as it arrived')
    runChecks(['scope'], known, worlds.findCredential)
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function refusedBy(name: 'timestamp' | 'signature', call: Call, message: string): ApiError {
  call.refusedBy = name
  return new ApiError(`invalid_${name}`, message)
}

/**
 * Whether the signature is right for the call. A target that accepts it may read plus signs in a query as what they are, and not as
 * spaces, which the document leaves open (CANON-12).
 */
function isSigned(call: AuthenticatedCall, body: SignedBody, answer: Answer): boolean {
  const { method, path, timestamp, nonce, signature, rawQuery, credential } = call
  const isUnsigned = hasUnsignedBody(method)
  // The target may have answered before the client had sent all of it.
  if (!isUnsigned && !body.hasEnded) return true
  const digest = isUnsigned ? EMPTY_BODY_SHA256 : body.sha256()
  const readings =
    isAccepted(answer) && rawQuery.includes('+') ? [call.query, decodeQuery(rawQuery, '+')] : [call.query]
  return readings.some((pairs) => {
    const text = canonicalString({ method, path, query: canonicalQueryOf(pairs), timestamp, nonce, bodySha256: digest })
    return equalInConstantTime(signature, SIGNATURE_PREFIX + hmacSha256Hex(credential.hmacKey, text))
  })
}

export function isAccepted({ status }: Answer): boolean {
  return status >= 200 && status < 400
}
