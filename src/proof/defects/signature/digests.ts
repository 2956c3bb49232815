import { SIGNATURE_PREFIX } from '../../../contract/headers.ts'
import { hmacSha256Hex } from '../../../contract/signature.ts'
import { canonicalStringOf, checkSignature } from '../../../sandbox/app/checks.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import { acceptsToo, signatureCheck, withLines } from './signing.ts'

const HEADER_LENGTH = SIGNATURE_PREFIX.length + 64

/** Careless forms of the signed text and of the digest, accepted beside the right ones. */
export const digestDefects: readonly Defect[] = [
  defect('prefix-optional', ['AUTH-07'], {
    summary: 'The bare digest passes without v1= in front of it.',
    ...reading((signature) => (signature.startsWith(SIGNATURE_PREFIX) ? signature : SIGNATURE_PREFIX + signature)),
  }),
  defect('prefix-of-another-version-passes', ['AUTH-07'], {
    summary: 'Any version may be in front of the digest, not v1= alone.',
    ...reading((signature) => signature.replace(/^v\d+=/, SIGNATURE_PREFIX)),
  }),
  defect('prefix-in-any-case-passes', ['AUTH-07'], {
    summary: 'V1= passes for v1=.',
    ...reading((signature) => signature.replace(/^v1=/i, SIGNATURE_PREFIX)),
  }),
  defect('prefix-found-anywhere-passes', ['AUTH-07'], {
    summary: 'A digest is taken from behind v1= wherever that stands in the header.',
    ...reading((signature) => signature.replace(/^.*v1=/, SIGNATURE_PREFIX)),
  }),
  defect('first-digit-of-the-digest-not-compared', ['AUTH-14'], {
    summary: 'All digits of the digest but the first are compared.',
    ...signatureCheck((call) => {
      const [first] = hmacSha256Hex(call.credential.hmacKey, canonicalStringOf(call))
      checkSignature({ ...call, signature: call.signature.replace(/^v1=[0-9a-f]/, `v1=${first}`) })
    }),
  }),
  defect('trailing-newline-passes', ['AUTH-13'], {
    summary: 'A canonical string that ends in a newline passes.',
    ...acceptsToo((call) => [`${canonicalStringOf(call)}\n`]),
  }),
  defect('verb-in-lower-case-passes', ['CANON-11'], {
    summary: 'A signature over the verb in lower case passes.',
    ...acceptsToo((call) => [withLines(call, { method: call.method.toLowerCase() })]),
  }),
  defect('digest-of-other-length-crashes', ['AUTH-14'], {
    summary: 'A digest of another length makes the comparison throw, which is answered 500.',
    ...signatureCheck((call) => {
      if (call.signature.length !== HEADER_LENGTH) throw new RangeError('Input buffers must have the same byte length')
      checkSignature(call)
    }),
  }),
  defect('digest-without-hex-crashes', ['AUTH-14'], {
    summary: 'A digest with characters that are not hex digits is answered 500.',
    ...signatureCheck((call) => {
      if (!/^v1=[0-9a-f]*$/i.test(call.signature)) throw new TypeError('argument must be of type Buffer')
      checkSignature(call)
    }),
  }),
]

/** A server that compares another text than the signature header as it was sent. */
function reading(value: (signature: string) => string): Tampered {
  return signatureCheck((call) => checkSignature({ ...call, signature: value(call.signature) }))
}
