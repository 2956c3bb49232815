import { CASE_STATES } from '../case-states.ts'
import { answerShape, bodyShape, type Endpoint, get, makes, post, type Shape } from './endpoint.ts'
import { CASE, DOMAIN } from './example-values.ts'

/** The endpoints under the heading "Brokerage", in the order of the document. */
export const BROKERAGE = {
  'brokerage.eligibility': {
    ...get('/brokerage/eligibility', ['broker'], 'Brokerage'),
    summary: 'Ask whether a domain can be brokered',
    description: 'A name with an active site, or one that is in a case already, cannot.',
    requirements: ['BRK-01', 'SCOPE-04'],
    documentedQuery: ['domain'],
    example: { answer: { domain: DOMAIN, eligible: true, reason: null } },
    hint: { read: '/brokerage/eligibility?domain=stalls-901.test' },
    subject: { kind: 'domain', name: 'domain' },
    openRoles: { answer: ['eligibility.eligible', 'eligibility.reason', 'eligibility.domain'] },
    inScenario: { argument: { in: 'query', name: 'domain', value: '${listed.domain}' }, after: null },
    refusals: [],
  },
  'brokerage.create': {
    ...post('/brokerage', ['broker'], 'Brokerage'),
    summary: 'Open a brokerage case',
    description: 'The answer holds the address of a page on which the buyer follows the case without any login.',
    requirements: ['BRK-02', 'BRK-03', 'BRK-06', 'SCOPE-04'],
    refusals: [{ gap: 'ineligible-case' }],
    example: {
      body: { tier: 'managed', buyer_email: 'buyer@example.com', budget: 500_000, domain: DOMAIN },
      answer: CASE,
    },
    hint: { body: { tier: 'managed', buyer_email: 'buyer@example.test', budget: 500_000 } },
    subject: { kind: 'domain', name: 'domain' },
    timeline: 'case',
    creates: { ...makes('case', 'case.id', 'case_id'), at: 'case.created_at' },
    bodies: ['brokerage'],
  },
  'brokerage.detail': {
    ...get('/brokerage/{case_id}', ['broker'], 'Brokerage'),
    summary: 'Read one brokerage case with its timeline',
    description: "Other partners' cases are answered exactly as if they did not exist.",
    requirements: ['BRK-04', 'BRK-05', 'BRK-06', 'SCOPE-04'],
    refusals: ['not_found'],
    example: { answer: CASE },
    hint: { words: 'GET /brokerage/{case_id} of a case that was opened', see: 'brokerage list' },
    timeline: 'case',
    openRoles: { answer: ['case.status', 'case.domain', 'case.created_at', 'case.progress_url', 'case.timeline'] },
    inScenario: { argument: { in: 'path', name: 'case_id', value: '${made.case.id}' }, after: 'case' },
    subject: null,
  },
} as const satisfies Record<string, Endpoint>

export const BROKERAGE_SHAPES = {
  Eligibility: answerShape('brokerage.eligibility', 'Whether a domain can be brokered, and why not.', []),
  BrokerageRequest: bodyShape('brokerage.create', 'What the buyer wants.', ['tier', 'buyer_email', 'budget']),
  BrokerageCase: {
    ...answerShape('brokerage.detail', 'An acquisition on behalf of a buyer.', [
      ...['case_id', 'tier', 'buyer_email', 'budget', 'status', 'timeline'],
    ]),
    ourStates: CASE_STATES,
  },
  BrokerageTimelineEntry: answerShape('brokerage.detail', 'A step of the case.', [], 'timeline', '[]'),
  BrokerageCaseList: answerShape('brokerage.list', 'A page of cases, newest first.', []),
} as const satisfies Record<string, Shape>
