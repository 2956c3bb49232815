import { formatInstant } from '../../clock/instant.ts'
import { CASE_STATES, CASE_STEP_NAMES, CASE_STEPS, type CaseStepName } from '../../contract/case-states.ts'
import { ApiError } from '../../contract/errors.ts'
import { integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { type CaseStepDetails, caseStepsNow, reservationOf, takeCaseStep } from '../../sandbox/brokerage/case-steps.ts'
import { findCase, listCases } from '../../sandbox/brokerage/cases.ts'
import { presentCase } from '../../sandbox/brokerage/present.ts'
import type { BrokerageCase } from '../../sandbox/brokerage/types.ts'
import { normaliseDomain } from '../../sandbox/kernel/domain-name.ts'
import { nextCursor, pagingOf, pagingQuery, windowOf, windowQuery } from '../../sandbox/wire/list-query.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { Problem } from '../problem.ts'
import { ok, worldRoute } from '../route.ts'

const LONGEST_REASON = 500
const MOST_CENTS = 1_000_000_000_000

const list = worldRoute('GET', '/brokerage', {
  summary: 'The brokerage cases of all partners, newest first: `cases`, `next_cursor`.',
  query: object({
    status: optional(oneOf(CASE_STATES)),
    partner_id: optional(text({ maxLength: 64 })),
    domain: optional(text({ format: 'domain', maxLength: 255 })),
    ...windowQuery,
    ...pagingQuery,
  }),
  handle({ world, query }) {
    const page = listCases(world, {
      partnerId: query.partner_id ?? null,
      status: query.status,
      domain: query.domain === undefined ? undefined : (normaliseDomain(query.domain) as string),
      ...windowOf(query),
      ...pagingOf(query),
    })
    return ok({
      cases: page.rows.map((found) => presentForOperator(world, found)),
      next_cursor: nextCursor(page, (found) => found.caseId),
    })
  },
})

const show = worldRoute('GET', '/brokerage/{case_id}', {
  summary: 'One case as its partner sees it, with `partner_id`, the `steps` it allows now and its `timeline`.',
  handle: ({ world, params }) => ok(presentForOperator(world, requireCase(world, params['case_id'] ?? ''))),
})

/** One route for every step of the table. */
const steps = CASE_STEP_NAMES.map((name) =>
  worldRoute('POST', `/brokerage/{case_id}/${name}`, {
    summary: `${CASE_STEPS[name].from.join(' or ')} to ${CASE_STEPS[name].to}. The case as it is then; 409 with its state and the steps it allows.`,
    body: object({
      ...(name === 'close-deal' && { price_cents: optional(integer({ minimum: 1, maximum: MOST_CENTS })) }),
      reason: optional(text({ format: 'plain', minLength: 1, maxLength: LONGEST_REASON })),
    }),
    handle({ world, params, body }) {
      const details = { note: body.reason ?? null, priceCents: body.price_cents }
      return ok(
        world.commits.commitNow(() => {
          const current = requireCase(world, params['case_id'] ?? '')
          return presentForOperator(world, stepOrProblem(world, current, name, details))
        }),
      )
    },
  }),
)

/** A refused step says where the case stands, what that allows, and until when a quote is in the way. */
function stepOrProblem(
  world: Environment,
  current: BrokerageCase,
  name: CaseStepName,
  details: CaseStepDetails,
): BrokerageCase {
  try {
    return takeCaseStep(world, current, name, details)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
    const quote = reservationOf(world, current)
    throw new Problem(409, error.message, {
      members: {
        code: error.code,
        state: current.status,
        steps: caseStepsNow(world, current),
        ...(quote && { quote_expires_at: formatInstant(quote.expiresAtMs) }),
      },
    })
  }
}

function requireCase(world: Environment, caseId: string): BrokerageCase {
  const found = findCase(world, caseId)
  if (!found) throw new Problem(404, 'there is no such case in this world')
  return found
}

/** A case as its partner sees it, whose it is, and what an operator may do with it now. */
function presentForOperator(world: Environment, shown: BrokerageCase) {
  const { timeline, ...facts } = presentCase(world, shown)
  return { ...facts, partner_id: shown.partnerId, steps: caseStepsNow(world, shown), timeline }
}

export const brokerageRoutes = [list, show, ...steps]
