import { EMPTY_BODY_SHA256 } from '../../../contract/canonical-string.ts'
import { bodySha256 } from '../../../contract/signature.ts'
import { checkSignature, checkTimestamp, signatureRefused } from '../../../sandbox/app/checks.ts'
import { type Call, headerValues } from '../../../sandbox/wire/call.ts'
import { refusingWith } from '../answers.ts'
import { type Defect, defect } from '../defect.ts'
import { acceptsToo, isSignedOver, signatureCheck, withLineFeeds, withLines } from './signing.ts'

const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const NONCE_ENDINGS = ['', ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']

/** Parts of a call that can change after signing without a refusal. */
export const coverageDefects: readonly Defect[] = [
  defect('bodies-are-trimmed', ['AUTH-06'], {
    summary: 'White space around a body is not hashed.',
    ...acceptsToo((call) => [withTrimmedBody(call)]),
  }),
  defect('path-trailing-slash-ignored', ['AUTH-08'], {
    summary: 'A slash at the end of the path makes no difference, signed or requested.',
    hooks: {
      ...acceptsToo((call) => {
        const bare = call.path.replace(/\/+$/, '')
        return [withLines(call, { path: bare }), withLines(call, { path: `${bare}/` })]
      }).hooks,
      // The answer of the endpoint does not matter here: the call got through to it.
      answer: (answer, call) =>
        isAuthenticated(call) && call.path.endsWith('/') ? { ...answer, status: 200, body: '{}' } : answer,
    },
  }),
  defect('verb-not-covered', ['AUTH-09'], {
    summary: 'A signature passes for every verb.',
    ...acceptsToo((call) =>
      VERBS.flatMap((method) => bodyHashes(call).map((bodySha256) => withLines(call, { method, bodySha256 }))),
    ),
  }),
  defect('timestamp-is-signed-as-a-number', ['AUTH-11'], {
    summary: 'The number that the timestamp header says is signed, whatever zeros are in front of it.',
    hooks: {
      checks: {
        timestamp: (call) => checkTimestamp({ ...call, timestamp: withoutZeros(call.timestamp) }),
        signature: (call) => {
          if (!isSignedOver(call, [withLines(call, { timestamp: withoutZeros(call.timestamp) })]))
            throw signatureRefused(call)
        },
      },
    },
  }),
  defect('nonce-ending-not-covered', ['AUTH-12'], {
    summary: 'The last character of the nonce header may differ from the signed one.',
    ...acceptsToo((call) => NONCE_ENDINGS.map((end) => withLines(call, { nonce: call.nonce.slice(0, -1) + end }))),
  }),
  defect('read-with-a-body-not-verified', ['CANON-08'], {
    summary: 'The signature of a GET that carries a body is not verified, and its body ignored.',
    ...signatureCheck((call) => {
      if (carriesBody(call)) Object.assign(call, { rawHeaders: [] })
      else checkSignature(call)
    }),
  }),
  defect('body-line-ends-not-covered', ['CANON-09', 'AUTH-06'], {
    summary: 'A body with CRLF passes under a signature over the same lines with LF.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: bodySha256(withLineFeeds(call.body)) })]),
  }),
  defect('signature-of-long-bodies-unchecked', ['CANON-09'], {
    summary: 'The signature of a call with a body of more than 4,096 bytes is not checked.',
    ...signatureCheck((call) => {
      if (call.body.length <= 4_096) checkSignature(call)
    }),
  }),
  defect('signature-of-longest-bodies-unchecked', ['CANON-09'], {
    summary: 'A call with a body of more than 64 KB is handled without a look at its signature.',
    ...refusingWith(({ status }) => status === 413, 404, 'not_found'),
  }),
]

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

function withTrimmedBody(call: Call): string {
  return withLines(call, { bodySha256: bodySha256(Buffer.from(Buffer.from(call.body).toString().trim())) })
}

function carriesBody(call: Call): boolean {
  return call.method === 'GET' && headerValues(call, 'content-length').some((length) => length !== '0')
}

function isAuthenticated(call: Call): boolean {
  return call.credential !== null && call.refusedBy === null
}

function bodyHashes(call: Call): string[] {
  return [EMPTY_BODY_SHA256, bodySha256(call.body)]
}
