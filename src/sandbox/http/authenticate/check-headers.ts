import { ApiError } from '../../../contract/errors.ts'
import { HEADERS } from '../../../contract/headers.ts'
import { LIMITS } from '../../../contract/limits.ts'
import type { Call } from '../call.ts'

const WANTED = {
  [HEADERS.keyId.toLowerCase()]: 'keyId',
  [HEADERS.timestamp.toLowerCase()]: 'timestamp',
  [HEADERS.nonce.toLowerCase()]: 'nonce',
  [HEADERS.signature.toLowerCase()]: 'signature',
} as const
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/**
 * All four authentication headers are there, once each, and the nonce has a form that can be tracked.
 * No key id at all is a code of its own, whatever else is there (AUTH-02, AUTH-03, AUTH-19, NONCE-07).
 */
export function checkHeaders(call: Call): void {
  const repeated = readHeaders(call)
  if (call.keyId === '') {
    throw new ApiError('missing_credentials', `the header ${HEADERS.keyId} is missing`)
  }
  if (repeated) throw missing(`the header ${repeated} occurs more than once`)
  if (call.timestamp === '') throw missing(`the header ${HEADERS.timestamp} is missing`)
  if (call.nonce === '') throw missing(`the header ${HEADERS.nonce} is missing`)
  if (call.signature === '') throw missing(`the header ${HEADERS.signature} is missing`)
  if (call.nonce.length > LIMITS.nonceMaxLength || !VISIBLE_ASCII.test(call.nonce)) {
    throw missing(`the header ${HEADERS.nonce} must be 1 to ${LIMITS.nonceMaxLength} visible ASCII characters`)
  }
}

/** @returns the name of a header that occurs twice, or null. */
function readHeaders(call: Call): string | null {
  const seen: string[] = []
  let repeated: string | null = null
  for (let i = 0; i + 1 < call.rawHeaders.length; i += 2) {
    const name = call.rawHeaders[i] as string
    // All four names start with X-Partner; most headers are passed over by their first letter.
    if (name[0] !== 'X' && name[0] !== 'x') continue
    const field = WANTED[name.toLowerCase()]
    if (!field) continue
    if (seen.includes(field)) repeated = name
    seen.push(field)
    call[field] = call.rawHeaders[i + 1] as string
  }
  return repeated
}

function missing(message: string): ApiError {
  return new ApiError('missing_signature_headers', message)
}
