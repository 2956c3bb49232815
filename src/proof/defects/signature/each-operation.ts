import { ENDPOINT_IDS, type EndpointId } from '../../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../../contract/endpoints.ts'
import { checkNonce, checkSignature, checkTimestamp, type OtherChecks } from '../../../sandbox/app/checks.ts'
import type { AuthenticatedCall } from '../../../sandbox/wire/call.ts'
import { answeringWhere, codeOf } from '../answers.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import { refusingTooLate } from '../routes.ts'

/** What is tried there is not what the profile core is about. */
const TAKES_ORDER: readonly EndpointId[] = ['orders.create', 'orders.detail', 'refunds.create']

/** What a call that should only be refused may have made. */
const MADE = [
  ['webhooks.put', 'registration'],
  ['quotes.create', 'quote'],
  ['links.create', 'link'],
  ['brokerage.create', 'case'],
  ['refunds.create', 'refund'],
] as const

/** Mistakes about a single operation, verb or length of body, where all others are judged as they should be. */
export const eachOperationDefects: readonly Defect[] = [
  ...ENDPOINT_IDS.flatMap((id) => [
    defect(`signature-of-${named(id)}-unchecked`, TAKES_ORDER.includes(id) ? ['AUTH-16'] : ['AUTH-04'], {
      summary: `The signature of ${id} is not checked.`,
      ...sparing(id, { signature: checkSignature }),
    }),
    defect(`nonce-of-${named(id)}-untracked`, ['NONCE-02'], {
      summary: `The nonces of ${id} are not tracked.`,
      ...sparing(id, { nonce: checkNonce }),
    }),
    defect(
      `timestamp-of-${named(id)}-unchecked`,
      ['TIME-02', 'TIME-03', ...(TAKES_ORDER.includes(id) || ENDPOINTS[id].method !== 'GET' ? ['TIME-04'] : [])],
      {
        summary: `The timestamp of ${id} is not checked.`,
        ...sparing(id, { timestamp: checkTimestamp }),
      },
    ),
    defect(`answer-of-${named(id)}-is-text`, ['WIRE-01'], {
      summary: `An accepted call of ${id} is answered with the Content-Type text/plain.`,
      ...answeringWhere(
        ({ status }, call) => call.endpoint === id && status < 300,
        (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain; charset=utf-8' } }),
      ),
    }),
  ]),
  ...ENDPOINT_IDS.filter((id) => ENDPOINTS[id].method === 'GET').map((id) =>
    defect(`head-of-${named(id)}-unsigned`, ['CANON-08'], {
      summary: `HEAD of ${id} is served with any signature.`,
      ...sparing(id, { signature: checkSignature }, ({ method }) => method === 'HEAD'),
    }),
  ),
  defect('heads-need-no-credentials', ['CANON-08'], {
    summary: 'HEAD is served to a caller without credentials.',
    ...answeringWhere(
      (answer, { method }) => method === 'HEAD' && codeOf(answer) === 'missing_credentials',
      (answer) => ({ ...answer, status: 200 }),
    ),
  }),
  defect('timestamps-of-heads-unchecked', ['CANON-08'], {
    summary: 'HEAD is served with any timestamp.',
    hooks: { checks: { timestamp: (call) => call.method === 'HEAD' || checkTimestamp(call) } },
  }),
  defect('nonces-of-heads-untracked', ['CANON-08'], {
    summary: 'HEAD is served with a used nonce.',
    hooks: { checks: { nonce: (call) => call.method === 'HEAD' || checkNonce(call) } },
  }),
  ...MADE.flatMap(([id, what]) => [
    defect(`forged-${what}-is-made`, ['AUTH-04'], {
      summary: `A call of ${id} with a wrong signature is refused after it was carried out.`,
      ...refusingTooLate(id, 'signature', checkSignature),
    }),
    defect(`stale-${what}-is-made`, ['TIME-02'], {
      summary: `A call of ${id} with an old timestamp is refused after it was carried out.`,
      ...refusingTooLate(id, 'timestamp', checkTimestamp),
    }),
    defect(`replayed-${what}-is-made`, ['NONCE-02'], {
      summary: `A call of ${id} with a used nonce is refused after it was carried out.`,
      ...refusingTooLate(id, 'nonce', checkNonce),
    }),
  ]),
  defect('case-opened-again-without-a-signature', ['AUTH-04', 'AUTH-05', 'AUTH-07'], {
    summary:
      'The signature of brokerage.create is not checked, and a domain that is in a case is answered as if it were opened again.',
    hooks: {
      ...sparing('brokerage.create', { signature: checkSignature }).hooks,
      ...answeringWhere(
        (answer, call) => call.endpoint === 'brokerage.create' && codeOf(answer) === 'conflict',
        (answer) => ({ ...answer, status: 201, body: JSON.stringify({ case_id: 'cas_again', status: 'OPEN' }) }),
      ).hooks,
    },
  }),
]

/** A server that makes a check of all calls but some of one operation. */
function sparing(
  id: EndpointId,
  checks: { readonly [Name in 'signature' | 'nonce' | 'timestamp']?: (call: AuthenticatedCall) => void },
  which: (call: AuthenticatedCall) => boolean = () => true,
): Tampered {
  const spared = Object.entries(checks).map(([name, check]) => [
    name,
    (call: AuthenticatedCall) => {
      if (call.endpoint !== id || !which(call)) check(call)
    },
  ])
  return { hooks: { checks: Object.fromEntries(spared) as OtherChecks } }
}

function named(id: EndpointId): string {
  return id.replace('.', '-')
}
