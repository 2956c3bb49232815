import { parseDuration } from '../../clock/duration.ts'
import type { Created } from '../../contract/endpoints/endpoint.ts'
import { wayOf } from '../context/operator-ladder.ts'
import type { Services } from '../context/scenario-run.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { callOf, changesOrder, endpointOf } from '../format/step-names.ts'
import type { RunPlan } from '../result/result.ts'
import { mayRun, stepsOf } from '../steps/capabilities.ts'
import { requestsOfScenario } from '../steps/step-kinds.ts'
import { ordersAllowed } from '../target/target.ts'
import { requestsOfTheRun } from './plan-shared.ts'

/**
 * Adds up what the scenarios that may run can do, cut at the budget, which is a hard limit. What the target file or the
 * flags leave out already is not counted: it sends nothing. The report lists what is cut off beside it.
 */
export function planOf(services: Services, scenarios: readonly LoadedScenario[]): RunPlan {
  const { budget } = services.run.target
  const running = scenarios.filter((loaded) => mayRun(services, loaded))
  const made = (kind: 'orders' | 'quotes' | 'webhooks'): number =>
    running.reduce((total, { scenario }) => total + (scenario.effects?.[kind] ?? 0), 0)
  const ops = [
    ...new Set(running.flatMap(({ scenario }) => stepsOf(scenario).flatMap((step) => callOf(step)?.op ?? []))),
  ]
  // The runner's own, beside what scenarios make: it tries each write once.
  const tried = (kind: Created['kind']): number => ops.filter((op) => endpointOf(op).creates?.kind === kind).length
  const requests = running.reduce((total, loaded) => total + requestsOfScenario(services.run, loaded), 0)
  const ways = running.flatMap((loaded) => waysOf(services, loaded))
  const wanted = {
    requests: requests + (scenarios.length > 0 ? requestsOfTheRun(services, running) : 0),
    orders: made('orders') + tried('order') + ORDERS_BEFORE_A_CHANGE * ops.filter(changesOrder).length,
    quotes: made('quotes') + tried('quote'),
  }
  const allowed = { ...budget, orders: ordersAllowed(services.run.target) }
  return {
    scenarios: scenarios.length,
    requestsAtMost: Math.min(allowed.requests, wanted.requests),
    ordersAtMost: Math.min(allowed.orders, wanted.orders),
    quotesAtMost: Math.min(allowed.quotes, wanted.quotes),
    ...(wanted.requests > allowed.requests && { requestsWanted: wanted.requests }),
    ...(wanted.orders > allowed.orders && { ordersWanted: wanted.orders }),
    ...(wanted.quotes > allowed.quotes && { quotesWanted: wanted.quotes }),
    webhooksAtMost: made('webhooks') + tried('webhook'),
    longestWaitMs: Math.max(0, ...ways.map(waitOf)),
    questionsAtMost: ways.filter((way) => typeof way === 'object' && way !== null && 'ask' in way).length,
  }
}

/** One that shows the unit of prices, and the one that is changed. */
const ORDERS_BEFORE_A_CHANGE = 2

/** How each operator's action of a scenario would come about. */
function waysOf({ run }: Services, { scenario }: LoadedScenario): ReturnType<typeof wayOf>[] {
  return stepsOf(scenario)
    .filter((step) => step.operator !== undefined)
    .map((step) => wayOf(run, step))
}

function waitOf(way: ReturnType<typeof wayOf>): number {
  return typeof way === 'object' && way !== null && 'wait' in way ? (parseDuration(way.wait) ?? 0) : 0
}
