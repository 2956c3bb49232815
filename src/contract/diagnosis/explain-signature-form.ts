import { SIGNATURE_PREFIX } from '../headers.ts'
import type { Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'
import type { Scheme } from './signature-header.ts'

const HEX_DIGITS = 64

/**
 * What is wrong with the form of a signature, whatever it was made from; null where nothing is.
 *
 * @example explainSignatureForm('zz', 'webhook')?.says // 'the signature is malformed: it is 64 lower-case hex digits, and this has 2 characters, …'
 */
export function explainSignatureForm(value: string, scheme: Scheme): Mistake | null {
  const prefix = scheme === 'call' ? SIGNATURE_PREFIX : ''
  const digest = value.startsWith(prefix) ? value.slice(prefix.length) : value
  const faults = [
    ...(value.startsWith(prefix) ? [] : [`does not begin with ${prefix}`]),
    ...(digest.length === HEX_DIGITS ? [] : [`has ${countOf(digest.length)}${prefix === '' ? '' : ' as its digest'}`]),
    ...(/[^0-9a-fA-F]/.test(digest) ? ['holds what is no hex digit'] : []),
    ...(/[A-F]/.test(digest) ? ['holds upper-case letters'] : []),
  ]
  if (faults.length === 0) return null
  const form = `${prefix === '' ? '' : `${prefix} and `}${HEX_DIGITS} lower-case hex digits`
  return mistake('signature-form', `the signature is malformed: it is ${form}, and this one ${faults.join(', ')}`)
}

function countOf(characters: number): string {
  return characters === 1 ? '1 character' : `${characters} characters`
}
