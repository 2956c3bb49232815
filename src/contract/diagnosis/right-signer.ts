import { HEADERS } from '../headers.ts'
import { hmacSha256Hex } from '../signature.ts'
import { type ArrivedCall, soundStringOf } from './diagnose-call.ts'
import { headerValuesOf } from './headers-of.ts'
import { readSignature } from './signature-header.ts'

/**
 * Whose secret a call is signed with, where it is signed rightly but for the form of its header; null where nobody's.
 *
 * @throws MalformedQueryError where the query is broken.
 */
export function rightSigner<Signer extends { readonly secret: string }>(
  call: ArrivedCall,
  signers: Iterable<Signer>,
): Signer | null {
  const text = soundStringOf(call)
  const sent = readSignature(headerValuesOf(call.rawHeaders, HEADERS.signature)[0] ?? '', 'call')[0]
  if (text === null || sent === undefined || sent.hex.length !== 64) return null
  for (const signer of signers) if (hmacSha256Hex(signer.secret, text) === sent.hex) return signer
  return null
}
