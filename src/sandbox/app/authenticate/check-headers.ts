import { DEFAULT_GAPS, GAPS, type GapChoices } from '../../../contract/choices.ts'
import { ApiError } from '../../../contract/errors.ts'
import { HEADERS } from '../../../contract/headers.ts'
import type { Call, FindCredential } from '../../wire/call.ts'
import { signatureRefused } from './check-key.ts'

const WANTED = {
  [HEADERS.keyId.toLowerCase()]: 'keyId',
  [HEADERS.timestamp.toLowerCase()]: 'timestamp',
  [HEADERS.nonce.toLowerCase()]: 'nonce',
  [HEADERS.signature.toLowerCase()]: 'signature',
} as const
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
/** No world refuses a shorter nonce for its length, so that most calls need no look at their world here. */
const NEVER_TOO_LONG = Math.min(...GAPS['nonce-max-length'].values)

type Field = 'keyId' | 'timestamp' | 'nonce' | 'signature'

/** Headers that occur more than once: the name of one, and the first value of each. */
interface Repeated {
  readonly name: string
  readonly first: Partial<Record<Field, string>>
}

/**
 * All four authentication headers are there, once each, and the nonce has a form that can be tracked.
 * No key id at all has a code of its own, no matter what else is there (AUTH-02, AUTH-03, AUTH-19, NONCE-07).
 *
 * @param find looks the call's world up where it is refused: the world decides how, and its log keeps the call.
 */
export function checkHeaders(call: Call, find?: FindCredential): void {
  const repeated = readHeaders(call)
  if (call.keyId === '') {
    throw new ApiError('missing_credentials', `the header ${HEADERS.keyId} is missing`)
  }
  if (repeated) takeOne(call, repeated, gapsOf(call, find))
  if (call.timestamp === '') throw missing(call, find, HEADERS.timestamp)
  if (call.nonce === '') throw missing(call, find, HEADERS.nonce)
  if (call.signature === '') throw missing(call, find, HEADERS.signature)
  if (call.nonce.length > NEVER_TOO_LONG || !VISIBLE_ASCII.test(call.nonce)) checkNonceForm(call, gapsOf(call, find))
}

/** Reads the last value of each header. */
function readHeaders(call: Call): Repeated | null {
  const seen: string[] = []
  let repeated: Repeated | null = null
  for (let i = 0; i + 1 < call.rawHeaders.length; i += 2) {
    const name = call.rawHeaders[i] as string
    // All four names start with X-Partner; most headers are passed over by their first letter.
    if (name[0] !== 'X' && name[0] !== 'x') continue
    const field = WANTED[name.toLowerCase()]
    if (!field) continue
    if (seen.includes(field)) repeated = alsoRepeated(repeated, name, field, call[field])
    seen.push(field)
    call[field] = call.rawHeaders[i + 1] as string
  }
  return repeated
}

function alsoRepeated(before: Repeated | null, name: string, field: Field, first: string): Repeated {
  return { name, first: { [field]: first, ...before?.first } }
}

/** What a header that occurs twice comes to (AUTH-19). */
function takeOne(call: Call, { name, first }: Repeated, gaps: GapChoices): void {
  const choice = gaps['duplicate-header']
  if (choice === 'the last counts') return
  if (choice === 'the first counts') Object.assign(call, first)
  else throw refusal(call, choice, `the header ${name} occurs more than once`)
}

function checkNonceForm(call: Call, gaps: GapChoices): void {
  const longest = gaps['nonce-max-length']
  if (call.nonce.length <= longest && VISIBLE_ASCII.test(call.nonce)) return
  const message = `the header ${HEADERS.nonce} must be 1 to ${longest} visible ASCII characters`
  throw refusal(call, gaps['nonce-form-refusal'], message)
}

/** The choices of the world that the key id belongs to, which from here on is the call's. */
function gapsOf(call: Call, find: FindCredential | undefined): GapChoices {
  call.world ??= find?.(call.keyId)?.world ?? null
  return call.world?.gaps ?? DEFAULT_GAPS
}

function missing(call: Call, find: FindCredential | undefined, header: string): ApiError {
  gapsOf(call, find)
  return new ApiError('missing_signature_headers', `the header ${header} is missing`)
}

function refusal(call: Call, code: GapChoices['nonce-form-refusal'], message: string): ApiError {
  if (code !== 'invalid_signature') return new ApiError(code, message)
  call.detail = message
  return signatureRefused()
}
