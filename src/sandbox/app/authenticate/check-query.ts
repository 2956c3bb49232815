import { decodeQuery, MalformedQueryError } from '../../../contract/canonical-string.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'
import { signatureRefused } from './check-key.ts'

/** The query can be decoded at all; there is no canonical string of one that cannot (CANON-12, CANON-14). */
export function checkQuery(call: AuthenticatedCall): void {
  if (call.rawQuery === '') return
  const { gaps } = call.world
  try {
    call.query = decodeQuery(call.rawQuery, gaps['plus-sign'] === 'a plus sign' ? '+' : ' ')
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error
    if (gaps['malformed-escape'] !== 'invalid_signature') throw new ApiError('validation_error', error.message)
    call.detail = error.message
    throw signatureRefused()
  }
}
