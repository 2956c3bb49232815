import {
  CASE_STATES,
  CASE_STEP_NAMES,
  CASE_STEPS,
  type CaseState,
  type CaseStepName,
  type CaseTier,
} from '../../contract/case-states.ts'
import { MOST_CENTS } from '../../contract/limits.ts'
import { integer, object, oneOf, optional } from '../../contract/schema.ts'
import { type CamelCase, camelCase } from '../camel-case.ts'
import {
  domainFilter,
  get,
  instant,
  type Page,
  pageFlags,
  paging,
  partnerFilter,
  post,
  reason,
  returns,
} from '../operation.ts'
import type { TimelineEntry } from './orders.ts'

export interface CaseFacts {
  case_id: string
  domain: string | null
  tier: CaseTier
  status: CaseState
  deal_price_cents: number | null
  partner_cut_cents: number | null
  currency: string
}

export interface BrokerageCase extends CaseFacts {
  buyer_email: string
  budget: number
  progress_url: string
  partner_share_basis_points: number
  created_at: string
  updated_at: string
  partner_id: string
  steps: CaseStepName[]
  timeline: TimelineEntry<CaseState>[]
}

const stepBody = object({ reason })
const dealBody = object({ price_cents: optional(integer({ minimum: 1, maximum: MOST_CENTS })), reason })

/** One for every step of the contract's table. Only a deal has a price. */
const step = (name: CaseStepName) =>
  post(`/v1/worlds/{w}/brokerage/{case_id}/${name}`, {
    summary: `${CASE_STEPS[name].from.join(' or ')} to ${CASE_STEPS[name].to}. The case as it is then; 409 with its state and the steps it allows.`,
    body: name === 'close-deal' ? dealBody : (stepBody as typeof dealBody),
    returns: returns<BrokerageCase>(),
    command: {
      usage: `brokerage ${name} <id>`,
      summary: `${CASE_STEPS[name].from.join(' or ')} -> ${CASE_STEPS[name].to}`,
      flags: {
        ...(name === 'close-deal' && {
          price_cents: ['--price-cents <n>', 'price of the deal in cents (default: the budget)'] as const,
        }),
        reason: ['--reason <text>', 'reason to keep in the timeline'],
      },
      shows: 'timeline',
      stepOf: 'case',
    },
  })

export const caseRows = {
  'cases.list': get('/v1/worlds/{w}/brokerage', {
    summary: 'The brokerage cases of all partners, newest first: `cases`, `next_cursor`.',
    query: object({
      status: optional(oneOf(CASE_STATES)),
      ...partnerFilter,
      ...domainFilter,
      from: instant,
      to: instant,
      ...paging,
    }),
    returns: returns<Page<'cases', BrokerageCase>>(),
    command: {
      usage: 'brokerage list',
      summary: 'list the brokerage cases of all partners, newest first',
      flags: {
        status: ['--status <state>', 'only in this state'],
        domain: ['--domain <name>', 'only for this domain'],
        partner_id: ['--partner <id>', 'only of this partner'],
        from: ['--from <iso>', 'only cases opened at or after this time'],
        to: ['--to <iso>', 'only cases opened at or before this time'],
        ...pageFlags,
      },
      shows: {
        list: 'cases',
        none: 'no cases',
        columns: [
          ['CASE', 'case_id'],
          ['STATUS', 'status'],
          ['TIER', 'tier'],
          ['DOMAIN', 'domain'],
          ['BUDGET', 'budget', 'money'],
          ['DEAL', 'deal_price_cents', 'money'],
          ['CUT', 'partner_cut_cents', 'money'],
          ['PARTNER', 'partner_id'],
          ['CREATED', 'created_at'],
        ],
      },
    },
  }),
  'cases.show': get('/v1/worlds/{w}/brokerage/{case_id}', {
    summary: 'One case as its partner sees it, with `partner_id`, the `steps` it allows now and its `timeline`.',
    returns: returns<BrokerageCase>(),
    command: {
      usage: 'brokerage show <id>',
      summary: 'show one case with its timeline and the steps it allows',
      shows: 'timeline',
    },
  }),
  ...(Object.fromEntries(CASE_STEP_NAMES.map((name) => [`cases.${camelCase(name)}`, step(name)])) as {
    [Name in CaseStepName as `cases.${CamelCase<Name>}`]: ReturnType<typeof step>
  }),
}
