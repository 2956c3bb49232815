import { HEADERS } from '../headers.ts'
import { hmacSha256Hex } from '../signature.ts'
import { type ArrivedCall, soundStringOf } from './diagnose-call.ts'
import { headerValuesOf } from './headers-of.ts'
import type { QueryReading } from './query-line.ts'
import type { Steps } from './run-steps.ts'
import { readSignature } from './signature-header.ts'

/** Secrets that are tried in one step. */
const STEP = 500

/**
 * Whose secret a call is signed with, where it is signed rightly but for the form of its header; null where nobody's. There may be
 * thousands of secrets, so it is found out in steps.
 *
 * @throws MalformedQueryError where the query is broken.
 */
export function* rightSigner<Signer extends { readonly secret: string }>(
  call: ArrivedCall,
  signers: Iterable<Signer>,
  reading: QueryReading = {},
): Steps<Signer | null> {
  const text = soundStringOf(call, reading)
  const sent = readSignature(headerValuesOf(call.rawHeaders, HEADERS.signature)[0] ?? '', 'call')[0]
  if (text === null || sent === undefined || sent.hex.length !== 64) return null
  let tried = 0
  for (const signer of signers) {
    if (hmacSha256Hex(signer.secret, text) === sent.hex) return signer
    if (++tried % STEP === 0) yield undefined
  }
  return null
}
