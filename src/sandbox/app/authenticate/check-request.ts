import { ApiError } from '../../../contract/errors.ts'
import { type Call, headerValues } from '../../wire/call.ts'

const ORDINARY_TARGET = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * The request is an ordinary one, so that path and query mean the same to everybody who reads them: it names a Host once,
 * and its target is neither absolute nor has a fragment or bytes beyond visible ASCII.
 */
export function checkRequest(call: Call): void {
  if (!ORDINARY_TARGET.test(call.target)) {
    throw new ApiError('validation_error', 'the request target must be a path with an optional query, percent-encoded')
  }
  if (headerValues(call, 'host').length !== 1) {
    throw new ApiError('validation_error', 'the header Host must be there, once')
  }
}
