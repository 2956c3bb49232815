import { SIGNATURE_PREFIX } from '../../../contract/headers.ts'
import { hmacSha256Hex } from '../../../contract/hmac.ts'
import { canonicalStringOf, checkSignature } from '../../../sandbox/app/checks.ts'
import type { AuthenticatedCall } from '../../../sandbox/wire/call.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import { acceptsToo, signatureCheck, withLines } from './signing.ts'

const HEADER_LENGTH = SIGNATURE_PREFIX.length + 64
/** The length of a digest in base64, with its padding. */
const BASE64_LENGTH = 44
const SHORTEST_DIGEST = 16

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
  defect('trailing-newline-passes', ['AUTH-13'], {
    summary: 'A canonical string that ends in a newline passes.',
    ...acceptsToo((call) => [`${canonicalStringOf(call)}\n`]),
  }),
  defect('crlf-passes', ['AUTH-13'], {
    summary: 'A canonical string with CRLF between its lines passes.',
    ...acceptsToo((call) => [canonicalStringOf(call).replaceAll('\n', '\r\n')]),
  }),
  defect('empty-query-line-optional', ['AUTH-13'], {
    summary: 'A canonical string without its empty query line passes.',
    ...acceptsToo((call) => (call.query.length === 0 ? [canonicalStringOf(call).replace('\n\n', '\n')] : [])),
  }),
  defect('verb-in-lower-case-passes', ['CANON-11'], {
    summary: 'A signature over the verb in lower case passes.',
    ...acceptsToo((call) => [withLines(call, { method: call.method.toLowerCase() })]),
  }),
  defect('digest-in-upper-case-passes', ['AUTH-14'], {
    summary: 'A digest in upper-case hex passes.',
    ...reading((signature) => signature.toLowerCase()),
  }),
  defect('digest-in-base64-passes', ['AUTH-14'], {
    summary: 'A digest in base64 passes.',
    ...reading((signature) => {
      const digest = signature.slice(SIGNATURE_PREFIX.length)
      return digest.length === BASE64_LENGTH
        ? SIGNATURE_PREFIX + Buffer.from(digest, 'base64').toString('hex')
        : signature
    }),
  }),
  defect('digest-cut-short-passes', ['AUTH-14'], {
    summary: 'Only as many digits of the digest are compared as the caller sent.',
    ...signatureCheck((call) => {
      if (!startsRight(call)) checkSignature(call)
    }),
  }),
  defect('digest-lengthened-passes', ['AUTH-14'], {
    summary: 'What follows the 64 digits of a digest is ignored.',
    ...reading((signature) => signature.slice(0, HEADER_LENGTH)),
  }),
  defect('digest-with-spaces-passes', ['AUTH-14'], {
    summary: 'White space inside the signature is taken out before it is compared.',
    ...reading((signature) => signature.replace(/\s/g, '')),
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

function startsRight(call: AuthenticatedCall): boolean {
  if (!call.signature.startsWith(SIGNATURE_PREFIX)) return false
  const sent = call.signature.slice(SIGNATURE_PREFIX.length)
  const right = hmacSha256Hex(call.credential.hmacKey, canonicalStringOf(call))
  return sent.length >= SHORTEST_DIGEST && right.startsWith(sent)
}
