import { CASE_STATES, CASE_TIERS } from '../../contract/case-states.ts'
import { MOST_CENTS } from '../../contract/limits.ts'
import { flag, id, integer, nullable, object, oneOf, optional, text } from '../../contract/schema.ts'
import { canonical, cents, currency, domain, time, timelineOf } from '../wire/fields.ts'
import { listAnswer, listReply, pagingOf, pagingQuery, windowOf, windowQuery } from '../wire/list-query.ts'
import { created, ok, route } from '../wire/route.ts'
import { caseTimelines, INELIGIBLE_REASONS, ineligibleBecause, listCases, openCase, ownCase } from './cases.ts'
import { presentCase } from './present.ts'

const caseAnswer = object({
  case_id: id('brokerageCase'),
  tier: oneOf(CASE_TIERS),
  buyer_email: text({ format: 'email', maxLength: 320 }),
  budget: integer({ minimum: 1, description: 'What the buyer is ready to pay, in cents.' }),
  domain: nullable(domain),
  currency,
  status: oneOf(CASE_STATES),
  progress_url: text({ description: 'Where the buyer follows the case, without a login.' }),
  partner_share_basis_points: integer({
    minimum: 0,
    maximum: 10_000,
    description: "The partner's share of a deal, in hundredths of a percent, fixed when the case is opened.",
  }),
  deal_price_cents: nullable(integer({ minimum: 1 })),
  partner_cut_cents: nullable(cents),
  created_at: time,
  updated_at: time,
  timeline: timelineOf(CASE_STATES),
})

const eligibility = route({
  query: object({ domain }),
  answer: object({ domain, eligible: flag(), reason: nullable(oneOf(INELIGIBLE_REASONS)) }),
  handle({ world, query }) {
    const name = canonical(query.domain)
    const reason = ineligibleBecause(world, name)
    return ok({ domain: name, eligible: reason === null, reason })
  },
})

const open = route({
  body: object({
    tier: oneOf(CASE_TIERS),
    buyer_email: text({ format: 'email', maxLength: 320 }),
    budget: integer({ minimum: 1, maximum: MOST_CENTS, description: 'What the buyer is ready to pay, in cents.' }),
    domain: optional(domain),
  }),
  answer: caseAnswer,
  handle({ world, caller, body }) {
    const opened = openCase(world, caller, {
      tier: body.tier,
      buyerEmail: body.buyer_email,
      budgetCents: body.budget,
      domain: body.domain === undefined ? undefined : canonical(body.domain),
    })
    return created(presentCase(world, opened))
  },
})

const detail = route({
  answer: caseAnswer,
  handle({ world, caller, params }) {
    return ok(presentCase(world, ownCase(world, caller, params['case_id'] ?? '')))
  },
})

const listOwn = route({
  query: object({ status: optional(oneOf(CASE_STATES)), ...windowQuery, ...pagingQuery }),
  answer: listAnswer('cases', caseAnswer, 'brokerageCase'),
  handle({ world, caller, query }) {
    const page = listCases(world, {
      partnerId: caller.partnerId,
      status: query.status,
      ...windowOf(query),
      ...pagingOf(query),
    })
    const timelines = caseTimelines.ofAll(world.db, page.rows)
    return listReply('cases', page, {
      present: (found) => presentCase(world, found, timelines.get(found.seq)),
      idOf: ({ caseId }) => caseId,
    })
  },
})

export const brokerageRoutes = {
  'brokerage.eligibility': eligibility,
  'brokerage.create': open,
  'brokerage.detail': detail,
  'brokerage.list': listOwn,
}
