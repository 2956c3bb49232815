import { decodeQuery, MalformedQueryError } from '../../../contract/canonical-string.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Call } from '../call.ts'

/** The query can be decoded at all; there is no canonical string of one that cannot (CANON-14). */
export function checkQuery(call: Call): void {
  if (call.rawQuery === '') return
  try {
    call.query = decodeQuery(call.rawQuery)
  } catch (error) {
    if (error instanceof MalformedQueryError) throw new ApiError('validation_error', error.message)
    throw error
  }
}
