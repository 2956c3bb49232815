import { canonicalQueryOf, EMPTY_BODY_SHA256 } from '../../../contract/canonical-string.ts'
import { API_ROOT } from '../../../contract/endpoints/endpoint.ts'
import { ENDPOINT_IDS, ENDPOINTS } from '../../../contract/endpoints.ts'
import { bodySha256 } from '../../../contract/hmac.ts'
import { checkSignature, signatureRefused } from '../../../sandbox/app/checks.ts'
import { type Call, headerValues } from '../../../sandbox/wire/call.ts'
import { type Defect, defect } from '../defect.ts'
import { acceptsToo, reserialised, signatureCheck, withLineFeeds, withLines } from './signing.ts'

const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const NONCE_ENDINGS = ['', ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const TIMESTAMP_SLACK_SECONDS = 60

/** Parts of a call that can change after signing without a refusal. */
export const coverageDefects: readonly Defect[] = [
  defect('signature-of-writes-not-verified', ['AUTH-06'], {
    summary: 'Signatures are verified on GET only, so the body of a POST can be changed.',
    ...signatureCheck((call) => {
      if (call.method === 'GET') checkSignature(call)
    }),
  }),
  defect('body-reserialised-passes', ['AUTH-06'], {
    summary: 'A body passes if it means the same as the signed one, with any white space.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: bodySha256(reserialised(call.body)) })]),
  }),
  defect('body-line-ends-not-covered', ['CANON-09', 'AUTH-06'], {
    summary: 'A body with CRLF passes under a signature over the same lines with LF.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: bodySha256(withLineFeeds(call.body)) })]),
  }),
  defect('body-left-out-passes', ['CANON-09', 'AUTH-06'], {
    summary: 'A signature that covers no body passes on calls that have one.',
    ...acceptsToo((call) => [withLines(call, { bodySha256: EMPTY_BODY_SHA256 })]),
  }),
  defect('read-with-a-body-signs-more', ['CANON-08'], {
    summary: 'A GET that carries a body is refused with invalid_signature where it signs the hash of no bytes.',
    ...signatureCheck((call) => {
      checkSignature(call)
      if (carriesBody(call)) throw signatureRefused(call)
    }),
  }),
  defect('read-with-a-body-not-verified', ['CANON-08'], {
    summary: 'The signature of a GET that carries a body is not verified, and its body ignored.',
    ...signatureCheck((call) => {
      if (carriesBody(call)) Object.assign(call, { rawHeaders: [] })
      else checkSignature(call)
    }),
  }),
  defect('path-root-optional', ['AUTH-08'], {
    summary: 'A signature over the path without the API root passes.',
    ...acceptsToo((call) => [withLines(call, { path: call.path.replace(API_ROOT, '') })]),
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
  defect('path-of-other-endpoint-passes', ['AUTH-08'], {
    summary: 'A signature for one endpoint opens all of them.',
    ...acceptsToo((call) => ENDPOINT_IDS.map((id) => withLines(call, { path: ENDPOINTS[id].path }))),
  }),
  defect('verb-not-covered', ['AUTH-09'], {
    summary: 'A signature passes for every verb.',
    ...acceptsToo((call) =>
      VERBS.flatMap((method) => bodyHashes(call).map((bodySha256) => withLines(call, { method, bodySha256 }))),
    ),
  }),
  defect('query-additions-not-covered', ['AUTH-10'], {
    summary: 'A parameter added after signing is not noticed.',
    ...acceptsToo((call) => call.query.map((added) => withQuery(call, (pair) => pair !== added))),
  }),
  defect('timestamp-not-covered', ['AUTH-11'], {
    summary: 'The timestamp header may differ from the signed timestamp by some seconds.',
    ...acceptsToo((call) => secondsAround(call.timestamp).map((timestamp) => withLines(call, { timestamp }))),
  }),
  defect('nonce-ending-not-covered', ['AUTH-12'], {
    summary: 'The last character of the nonce header may differ from the signed one.',
    ...acceptsToo((call) => NONCE_ENDINGS.map((end) => withLines(call, { nonce: call.nonce.slice(0, -1) + end }))),
  }),
]

function carriesBody(call: Call): boolean {
  return call.method === 'GET' && headerValues(call, 'content-length').some((length) => length !== '0')
}

function isAuthenticated(call: Call): boolean {
  return call.credential !== null && call.refusedBy === null
}

function bodyHashes(call: Call): string[] {
  return [EMPTY_BODY_SHA256, bodySha256(call.body)]
}

function withQuery(call: Call, keeps: (pair: Call['query'][number]) => boolean): string {
  return withLines(call, { query: canonicalQueryOf(call.query.filter(keeps)) })
}

function secondsAround(timestamp: string): string[] {
  const first = Number(timestamp) - TIMESTAMP_SLACK_SECONDS
  return Array.from({ length: 2 * TIMESTAMP_SLACK_SECONDS + 1 }, (_, i) => String(first + i))
}
