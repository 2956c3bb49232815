import { bodySha256, canonicalQueryOf, EMPTY_BODY_SHA256 } from '../contract/canonical-string.ts'
import { API_ROOT, ENDPOINT_IDS, ENDPOINTS } from '../contract/endpoints.ts'
import { SIGNATURE_PREFIX } from '../contract/headers.ts'
import { hmacSha256Hex } from '../contract/signature.ts'
import { checkHeaders } from '../sandbox/http/authenticate/check-headers.ts'
import { signatureRefused } from '../sandbox/http/authenticate/check-key.ts'
import { canonicalStringOf, checkSignature } from '../sandbox/http/authenticate/check-signature.ts'
import { reserialised } from './bodies.ts'
import { changing, type Defect } from './defect.ts'
import { acceptsToo, signatureCheck, withLines } from './signing.ts'

const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const NONCE_ENDINGS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']

/** Mistakes in what a signature proves. */
export const authenticationDefects: readonly Defect[] = [
  {
    id: 'signature-never-verified',
    breaks: ['AUTH-04', 'AUTH-05', 'AUTH-06', 'AUTH-08', 'AUTH-09', 'AUTH-10', 'AUTH-11', 'AUTH-12', 'AUTH-13', 'AUTH-16'],
    summary: 'Any v1= followed by 64 hex digits passes as a signature.',
    ...signatureCheck((call) => {
      if (!/^v1=[0-9a-f]{64}$/.test(call.signature)) throw signatureRefused()
    }),
  },
  {
    id: 'signature-of-writes-not-verified',
    breaks: ['AUTH-06'],
    summary: 'Signatures are verified on GET only, so the body of a POST can be changed.',
    ...signatureCheck((call, find) => {
      if (call.method === 'GET') checkSignature(call, find)
    }),
  },
  {
    id: 'writes-hash-no-body',
    breaks: ['AUTH-01', 'CANON-09'],
    summary: 'The body hash of every call is that of no bytes, so soundly signed writes are refused.',
    ...signatureCheck((call) => checkSignature({ ...call, body: new Uint8Array(0) })),
  },
  {
    id: 'secret-of-key-id',
    breaks: ['AUTH-05'],
    summary: 'A signature made with the key id in the place of the secret passes.',
    ...changing('signature', { secretOf: 'credential-or-key-id' }),
  },
  {
    id: 'secret-of-anybody',
    breaks: ['AUTH-16'],
    summary: 'A signature made with any known secret passes, whoever it belongs to.',
    ...changing('signature', { secretOf: 'any-credential' }),
  },
  {
    id: 'body-reserialised-passes',
    breaks: ['AUTH-06'],
    summary: 'A body passes where it has the signed one’s meaning, whatever its white space.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: bodySha256(reserialised(call.body)) })]),
  },
  {
    id: 'body-left-out-passes',
    breaks: ['CANON-08', 'CANON-09', 'AUTH-06'],
    summary: 'A signature that covers no body passes on calls that have one.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: EMPTY_BODY_SHA256 })]),
  },
  {
    id: 'prefix-optional',
    breaks: ['AUTH-07'],
    summary: 'The bare digest passes without v1= in front of it.',
    ...changing('signature', { prefix: 'optional' }),
  },
  {
    id: 'path-root-optional',
    breaks: ['AUTH-08'],
    summary: 'A signature over the path without the API root passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.replace(API_ROOT, '') })]),
  },
  {
    id: 'path-trailing-slash-ignored',
    breaks: ['AUTH-08'],
    summary: 'A signature passes whether its path ends in a slash or not.',
    ...acceptsToo((call) => {
      const bare = call.path.replace(/\/+$/, '')
      return [withLines(call, { path: bare }), withLines(call, { path: `${bare}/` })]
    }),
  },
  {
    id: 'path-of-other-endpoint-passes',
    breaks: ['AUTH-08'],
    summary: 'A signature for one endpoint opens all of them.',
    ...acceptsToo((call) => ENDPOINT_IDS.map((id) => withLines(call, { path: ENDPOINTS[id].path }))),
  },
  {
    id: 'verb-not-covered',
    breaks: ['AUTH-09'],
    summary: 'A signature passes for every verb.',
    ...acceptsToo((call) =>
      VERBS.flatMap((method) =>
        [EMPTY_BODY_SHA256, bodySha256(call.body)].map((hash) => withLines(call, { method, bodySha256: hash })),
      ),
    ),
  },
  {
    id: 'query-additions-not-covered',
    breaks: ['AUTH-10'],
    summary: 'A parameter added after signing is not noticed.',
    ...acceptsToo((call) =>
      call.query.map((added) => withLines(call, { query: canonicalQueryOf(call.query.filter((pair) => pair !== added)) })),
    ),
  },
  {
    id: 'timestamp-not-covered',
    breaks: ['AUTH-11'],
    summary: 'The timestamp header may differ from the signed timestamp by some seconds.',
    ...acceptsToo((call) =>
      Array.from({ length: 121 }, (_, i) => withLines(call, { timestamp: String(Number(call.timestamp) + i - 60) })),
    ),
  },
  {
    id: 'nonce-ending-not-covered',
    breaks: ['AUTH-12'],
    summary: 'The last character of the nonce header may differ from the signed one.',
    ...acceptsToo((call) =>
      ['', ...NONCE_ENDINGS].map((ending) => withLines(call, { nonce: call.nonce.slice(0, -1) + ending })),
    ),
  },
  {
    id: 'trailing-newline-passes',
    breaks: ['AUTH-13'],
    summary: 'A canonical string that ends in a newline passes.',
    ...acceptsToo((call) => [`${canonicalStringOf(call)}\n`]),
  },
  {
    id: 'crlf-passes',
    breaks: ['AUTH-13'],
    summary: 'A canonical string with CRLF between its lines passes.',
    ...acceptsToo((call) => [canonicalStringOf(call).replaceAll('\n', '\r\n')]),
  },
  {
    id: 'empty-query-line-optional',
    breaks: ['AUTH-13'],
    summary: 'A canonical string without its empty query line passes.',
    ...acceptsToo((call) => (call.rawQuery === '' ? [canonicalStringOf(call).replace('\n\n', '\n')] : [])),
  },
  {
    id: 'digest-in-upper-case-passes',
    breaks: ['AUTH-14'],
    summary: 'A digest in upper-case hex passes.',
    ...changing('signature', { digest: 'any-case-hex' }),
  },
  {
    id: 'digest-in-base64-passes',
    breaks: ['AUTH-14'],
    summary: 'A digest in base64 passes.',
    ...changing('signature', { digest: 'hex-or-base64' }),
  },
  {
    id: 'digest-cut-short-passes',
    breaks: ['AUTH-14'],
    summary: 'Only as much of the digest is compared as the caller sent, from 16 digits on.',
    ...signatureCheck((call, find) => {
      const sent = call.signature.slice(SIGNATURE_PREFIX.length)
      const right = hmacSha256Hex(call.credential?.hmacKey as never, canonicalStringOf(call))
      if (sent.length < 16 || !right.startsWith(sent)) checkSignature(call, find)
    }),
  },
  {
    id: 'digest-lengthened-passes',
    breaks: ['AUTH-14'],
    summary: 'What follows the 64 digits of a digest is ignored.',
    ...signatureCheck((call, find) => checkSignature({ ...call, signature: call.signature.slice(0, 67) }, find)),
  },
  {
    id: 'digest-of-other-length-crashes',
    breaks: ['AUTH-14'],
    summary: 'A digest of another length makes the comparison throw, which is answered 500.',
    ...signatureCheck((call, find) => {
      if (call.signature.length !== 67) throw new RangeError('Input buffers must have the same byte length')
      checkSignature(call, find)
    }),
  },
  {
    id: 'nonce-header-optional',
    breaks: ['AUTH-03'],
    summary: 'A call without a nonce passes when it signed an empty nonce line.',
    tampering: {
      checks: {
        headers(call, find) {
          try {
            checkHeaders(call, find)
          } catch (error) {
            if (call.keyId === '' || call.timestamp === '' || call.signature === '' || call.nonce !== '') throw error
          }
        },
        // Without a nonce there is nothing to remember.
        ...{},
      },
    },
  },
]
