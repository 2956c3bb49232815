import type { TestSandbox } from '../support/sandbox.ts'
import { visitor } from '../support/visitor.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

type Look = Probe['look']

// biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
type Fields = any

const open = (sandbox: TestSandbox, changes: Fields = {}, as = 'main') =>
  sandbox.call({
    as,
    path: '/brokerage',
    body: { tier: 'managed', buyer_email: 'buyer@example.test', budget: 500_000, ...changes },
  })

const act = (sandbox: TestSandbox, caseId: string, name: string) =>
  sandbox.operate('POST', `/v1/worlds/default/brokerage/${caseId}/${name}`, {})

const eligible =
  (domain: string, before: (sandbox: TestSandbox) => Promise<unknown> = async () => undefined): Look =>
  async (sandbox) => {
    await before(sandbox)
    const answer = await sandbox.call({ path: `/brokerage/eligibility?domain=${domain}` })
    return answer.status === 200 ? answer.json.eligible : outcome(answer)
  }

const FREE = 'stalls-1.test'
const LIVE = 'live-site-1.test'
const inCase = (as = 'main') => eligible(FREE, (sandbox) => open(sandbox, { domain: FREE }, as))

const opening =
  (look: (json: Fields) => unknown, changes: Fields = {}): Look =>
  async (sandbox) => {
    const answer = await open(sandbox, changes)
    return answer.status === 201 ? look(answer.json) : outcome(answer)
  }

const refused = (changes: Fields): Look => opening(() => '201', changes)

/** The status of the page behind the progress link. */
const progress =
  (changes: Fields = {}): Look =>
  async (sandbox) =>
    (await visitor().get((await open(sandbox, changes)).json.progress_url)).status

const twoLinks: Look = async (sandbox) =>
  new Set([(await open(sandbox)).json.progress_url, (await open(sandbox)).json.progress_url]).size

const foreign: Look = async (sandbox) => {
  const { json } = await open(sandbox, {}, 'other-partner')
  return outcome(await sandbox.call({ path: `/brokerage/${json.case_id}` }))
}

/** The detail of a case after a step. */
const detail =
  (look: (json: Fields) => unknown): Look =>
  async (sandbox) => {
    const { json } = await open(sandbox)
    await act(sandbox, json.case_id, 'close-deal')
    return look((await sandbox.call({ path: `/brokerage/${json.case_id}` })).json)
  }

/** The types of the events that a step of a case leads to. */
const told =
  (name: string): Look =>
  async (sandbox) => {
    await act(sandbox, (await open(sandbox)).json.case_id, name)
    const { json } = await sandbox.call({ path: '/events?limit=200' })
    return json.events.map(({ type }: Fields) => type)
  }

const cuts: Look = async (sandbox) => {
  await act(sandbox, (await open(sandbox)).json.case_id, 'close-deal')
  const { json } = await sandbox.call({ path: '/transactions' })
  return json.transactions.map((sale: Fields) => sale.commission_cents > 0)
}

/** The states of a closed case of one's own and an open one of another partner, as far as they are listed. */
const listed: Look = async (sandbox) => {
  await act(sandbox, (await open(sandbox)).json.case_id, 'close-deal')
  await open(sandbox, {}, 'other-partner')
  return (await sandbox.call({ path: '/brokerage' })).json.cases.map(({ status }: Fields) => status)
}

const MALFORMED = '400 validation_error'
const COMPLETED = 'brokerage.case_completed'

const probes: Probe[] = [
  { defect: 'brokerage-ignores-live-sites', look: eligible(LIVE), sound: false, broken: true },
  { defect: 'brokerage-ignores-open-cases', look: inCase(), sound: false, broken: true },
  { defect: 'brokerage-knows-own-cases-only', look: inCase('other-partner'), sound: false, broken: true },
  { defect: 'brokerage-of-nothing', look: eligible(FREE), sound: true, broken: false },
  { defect: 'brokerage-of-anything', look: eligible(LIVE), sound: false, broken: true },
  { defect: 'brokerage-refuses-instead-of-answering', look: eligible(LIVE), sound: false, broken: '409 conflict' },
  { defect: 'case-without-id', look: opening((json) => typeof json.case_id), sound: 'string', broken: 'undefined' },
  {
    defect: 'case-without-progress-link',
    look: opening((json) => typeof json.progress_url),
    sound: 'string',
    broken: 'undefined',
  },
  {
    defect: 'case-progress-link-without-host',
    look: opening((json) => URL.canParse(json.progress_url)),
    sound: true,
    broken: false,
  },
  { defect: 'case-progress-needs-a-login', look: progress(), sound: 200, broken: 403 },
  { defect: 'case-progress-is-not-found', look: progress(), sound: 200, broken: 404 },
  { defect: 'case-progress-of-self-serve-missing', look: progress({ tier: 'self_serve' }), sound: 200, broken: 404 },
  { defect: 'case-progress-link-shared', look: twoLinks, sound: 2, broken: 1 },
  { defect: 'case-of-self-serve-refused', look: refused({ tier: 'self_serve' }), sound: '201', broken: MALFORMED },
  { defect: 'case-of-any-tier', look: refused({ tier: 'gold' }), sound: MALFORMED, broken: '201' },
  { defect: 'case-of-unreadable-email', look: refused({ buyer_email: 'nobody' }), sound: MALFORMED, broken: '201' },
  { defect: 'case-of-email-with-an-at', look: refused({ buyer_email: 'nobody@' }), sound: MALFORMED, broken: '201' },
  { defect: 'case-of-numeric-email', look: refused({ buyer_email: 5 }), sound: MALFORMED, broken: '201' },
  { defect: 'case-of-zero-budget', look: refused({ budget: 0 }), sound: MALFORMED, broken: '201' },
  { defect: 'case-of-negative-budget', look: refused({ budget: -1 }), sound: MALFORMED, broken: '201' },
  { defect: 'case-of-budget-in-words', look: refused({ budget: 'much' }), sound: MALFORMED, broken: '201' },
  {
    defect: 'case-malformed-is-422',
    look: refused({ tier: 'gold' }),
    sound: MALFORMED,
    broken: '422 validation_error',
  },
  { defect: 'case-malformed-is-conflict', look: refused({ tier: 'gold' }), sound: MALFORMED, broken: '409 conflict' },
  { defect: 'case-of-another-is-readable', look: foreign, sound: '404 not_found', broken: '200' },
  { defect: 'case-of-another-is-forbidden', look: foreign, sound: '404 not_found', broken: '403 forbidden' },
  { defect: 'case-of-another-is-malformed', look: foreign, sound: '404 not_found', broken: MALFORMED },
  { defect: 'case-not-found-is-400', look: foreign, sound: '404 not_found', broken: '400 not_found' },
  {
    defect: 'case-timeline-missing',
    look: detail((json) => typeof json.timeline),
    sound: 'object',
    broken: 'undefined',
  },
  { defect: 'case-timeline-never-grows', look: detail((json) => json.timeline.length), sound: 2, broken: 1 },
  {
    defect: 'case-status-never-changes',
    look: detail((json) => json.status),
    sound: 'DEAL_CLOSED',
    broken: 'OPEN',
  },
  { defect: 'case-without-details', look: detail((json) => json.tier), sound: 'managed', broken: undefined },
  { defect: 'deal-is-not-told', look: told('close-deal'), sound: [COMPLETED], broken: [] },
  { defect: 'deal-is-told-as-settled', look: told('close-deal'), sound: [COMPLETED], broken: ['order.settled'] },
  { defect: 'deal-is-told-twice', look: told('close-deal'), sound: [COMPLETED], broken: [COMPLETED, COMPLETED] },
  { defect: 'no-deal-is-told-as-one', look: told('close-no-deal'), sound: [], broken: [COMPLETED] },
  { defect: 'deal-yields-no-cut', look: cuts, sound: [true], broken: [] },
  { defect: 'deal-yields-a-cut-of-zero', look: cuts, sound: [true], broken: [false] },
  { defect: 'case-list-shows-everyones', look: listed, sound: ['DEAL_CLOSED'], broken: ['OPEN', 'DEAL_CLOSED'] },
  { defect: 'case-list-lacks-closed-cases', look: listed, sound: ['DEAL_CLOSED'], broken: [] },
  { defect: 'case-list-lacks-outcomes', look: listed, sound: ['DEAL_CLOSED'], broken: ['OPEN'] },
  { defect: 'case-list-is-empty', look: listed, sound: ['DEAL_CLOSED'], broken: [] },
]

showDefects(probes)
