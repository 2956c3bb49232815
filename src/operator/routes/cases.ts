import { formatInstant } from '../../clock/instant.ts'
import { CASE_STEP_NAMES, type CaseState, type CaseStepName } from '../../contract/case-states.ts'
import { camelCase } from '../../operator-api/camel-case.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import { caseStepsNow, reservationOf, takeCaseStep } from '../../sandbox/brokerage/case-steps.ts'
import { type BrokerageCase, caseTimelines, findCase, listCases } from '../../sandbox/brokerage/cases.ts'
import { presentCase } from '../../sandbox/brokerage/present.ts'
import type { TimelineEntry } from '../../sandbox/events/events.ts'
import { canonical } from '../../sandbox/wire/fields.ts'
import { pagingOf, windowOf } from '../../sandbox/wire/list-query.ts'
import { required, stepOrProblem } from '../problems.ts'
import { type HandlersOf, ok, okPage } from '../route.ts'

/** The same for every step of the table. */
const step = (name: CaseStepName): HandlersOf<'cases'>['cases.closeDeal'] => {
  return ({ world, params, body }) => {
    const details = { note: body.reason ?? null, priceCents: body.price_cents }
    return ok(
      world.commits.commitNow(() => {
        const current = required(findCase(world, params.case_id), 'no-case')
        const take = () => takeCaseStep(world, current, name, details)
        return presentForOperator(
          world,
          stepOrProblem(take, () => standingOf(world, current)),
        )
      }),
    )
  }
}

export const caseHandlers: HandlersOf<'cases'> = {
  'cases.list'({ world, query }) {
    const page = listCases(world, {
      partnerId: query.partner_id ?? null,
      status: query.status,
      domain: query.domain && canonical(query.domain),
      ...windowOf(query),
      ...pagingOf(query),
    })
    const timelines = caseTimelines.ofAll(world.db, page.rows)
    const present = (found: BrokerageCase) => presentForOperator(world, found, timelines.get(found.seq))
    return okPage('cases', page, present, ({ caseId }) => caseId)
  },
  'cases.show': ({ world, params }) =>
    ok(presentForOperator(world, required(findCase(world, params.case_id), 'no-case'))),
  ...(Object.fromEntries(CASE_STEP_NAMES.map((name) => [`cases.${camelCase(name)}`, step(name)])) as Omit<
    HandlersOf<'cases'>,
    'cases.list' | 'cases.show'
  >),
}

/** The state of a case, what that allows, and until when a quote is in the way. */
function standingOf(world: Environment, current: BrokerageCase) {
  const quote = reservationOf(world, current)
  return {
    state: current.status,
    steps: caseStepsNow(world, current),
    ...(quote && { quote_expires_at: formatInstant(quote.expiresAtMs) }),
  }
}

/** A case as its partner sees it, whose it is, and what an operator may do with it now. */
function presentForOperator(world: Environment, shown: BrokerageCase, entries?: TimelineEntry<CaseState>[]) {
  const { timeline, ...facts } = presentCase(world, shown, entries)
  return { ...facts, partner_id: shown.partnerId, steps: caseStepsNow(world, shown), timeline }
}
