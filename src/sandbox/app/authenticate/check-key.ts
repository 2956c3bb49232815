import { ApiError } from '../../../contract/errors.ts'
import { environmentOf } from '../../../contract/ids.ts'
import type { Call, FindCredential } from '../../wire/call.ts'

/**
 * The key id is known and not revoked. The answer is that of a wrong signature, word for word, so that a caller cannot learn
 * which key ids exist; the request log says more (AUTH-15).
 */
export function checkKey(call: Call, find: FindCredential): void {
  const found = find(call.keyId)
  if (!found) {
    call.detail =
      environmentOf(call.keyId) === 'live' ? 'a live key id never works in a sandbox' : 'the key id is unknown here'
    throw signatureRefused()
  }
  call.world = found.world
  call.credential = found.credential
  if (found.credential.revoked) {
    call.detail = 'the credential is revoked'
    throw signatureRefused()
  }
}

/** The one answer to everything that is wrong with a key or its signature. */
export function signatureRefused(): ApiError {
  return new ApiError('invalid_signature', 'the signature does not fit the request and the credential')
}
