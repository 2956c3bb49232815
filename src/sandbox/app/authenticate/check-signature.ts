import {
  canonicalQueryOf,
  canonicalString,
  compareByUtf16Unit,
  EMPTY_BODY_SHA256,
  hasUnsignedBody,
} from '../../../contract/canonical-string.ts'
import { SIGNATURE_PREFIX } from '../../../contract/headers.ts'
import { bodySha256, hmacSha256Hex } from '../../../contract/hmac.ts'
import { equalInConstantTime } from '../../../contract/signature.ts'
import type { AuthenticatedCall, Call } from '../../wire/call.ts'
import { signatureRefused } from './check-key.ts'

/** The signature is the one that the credential's secret gives for the call as it arrived (AUTH-04..16). */
export function checkSignature(call: AuthenticatedCall): void {
  if (!call.signature.startsWith(SIGNATURE_PREFIX)) {
    call.detail = `the signature does not start with ${SIGNATURE_PREFIX}`
    throw signatureRefused()
  }
  const digest = hmacSha256Hex(call.credential.hmacKey, canonicalStringOf(call))
  if (!equalInConstantTime(call.signature, SIGNATURE_PREFIX + digest)) throw signatureRefused()
}

/** The six lines as they are computed here, from the bytes as they arrived. */
export function canonicalStringOf(call: Call): string {
  return canonicalString({
    method: call.method,
    path: call.path,
    query: canonicalQueryOf(call.query, call.world?.gaps['astral-sort'] === 'utf-16' ? compareByUtf16Unit : undefined),
    timestamp: call.timestamp,
    nonce: call.nonce,
    bodySha256: hasUnsignedBody(call.method) ? EMPTY_BODY_SHA256 : bodySha256(call.body),
  })
}
