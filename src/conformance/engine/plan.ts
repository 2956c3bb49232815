import { parseDuration } from '../../clock/duration.ts'
import type { Created } from '../../contract/endpoints/endpoint.ts'
import { PROBES_A_CREDENTIAL } from '../context/credentials.ts'
import { wayOf } from '../context/operator-ladder.ts'
import { CANDIDATE_REQUESTS } from '../context/params.ts'
import type { Services } from '../context/scenario-run.ts'
import { BODY_OF, BODY_TEMPLATES, bodyNameOf } from '../dialect/body-templates.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { callOf, changesOrder, endpointOf, expectsRefusal, recordsOrder, sellableNeeded } from '../format/step-facts.ts'
import type { RunPlan } from '../result/result.ts'
import { mayRun, stepsOf } from '../steps/capabilities.ts'
import { REQUESTS_OF_A_READING } from '../steps/step-kind.ts'
import { requestsOfScenario } from '../steps/step-kinds.ts'
import { ordersAllowed } from '../target/target.ts'
import { OPEN_PARAMS } from '../target/target-schema.ts'
import { listsToReadFirst } from './open-run.ts'
import { REQUESTS_OF_THE_FIRST_CALLS } from './refused-credential.ts'

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

/** Pages of an event history that is read for the first time. */
export const PAGES_OF_A_HISTORY = 20
/** A domain is looked up twice, or made; sometimes one is already taken. */
const REQUESTS_A_LEASE = 3
/** Searches until there are domains enough. */
const SEARCHES = 20
/** A control call tries the units of a price as well. */
const UNITS_OF_A_PRICE = 3

/** What is done once for all scenarios: greeting, scopes, domains, parameters, the runner's own sound writes. */
function requestsOfTheRun(services: Services, running: readonly LoadedScenario[]): number {
  const steps = running.flatMap(({ scenario }) => stepsOf(scenario))
  return (
    firstCalls(services) +
    listsToReadFirst(services.run.target, steps).length +
    domains(services, running, steps) +
    discoveries(services, steps) +
    controls(steps) +
    histories(steps)
  )
}

function firstCalls({ run: { target } }: Services): number {
  const untold = target.credentials.filter(({ scopes }) => scopes === null).length
  const operator = target.operator?.url ? 2 : 0
  return REQUESTS_OF_THE_FIRST_CALLS + operator + untold * PROBES_A_CREDENTIAL
}

function domains({ run: { target } }: Services, running: readonly LoadedScenario[], steps: readonly Step[]): number {
  const leased = running.reduce((total, { scenario }) => total + sellableNeeded(scenario), 0)
  const made = new Set(steps.flatMap(templatesOf))
  const wanted = leased + made.size + readOnly(running, steps)
  const isSearched = !target.operator?.url && target.fixtures.sellable.length < wanted
  return wanted * REQUESTS_A_LEASE + (isSearched ? SEARCHES : 0)
}

/** Domains that nothing buys: named by scenarios, and one that an ordinary read is about. */
function readOnly(running: readonly LoadedScenario[], steps: readonly Step[]): number {
  const text = JSON.stringify(running.map(({ scenario }) => scenario))
  const named = ['listed', 'live_site', 'topic'].filter((name) => new RegExp(`[{.]${name}\\b`).test(text)).length
  return named + (steps.some((step) => expectsRefusal(step) && step.fault === undefined) ? 1 : 0)
}

/** The runner tries names of parameters that the target file does not name. */
function discoveries({ run: { target } }: Services, steps: readonly Step[]): number {
  const untold = Object.keys(OPEN_PARAMS).filter((name) => target.dialect.params[name as 'orders.to'] === undefined)
  const asked = new Set(
    steps.flatMap((step) => {
      const { op, query = {} } = callOf(step) ?? {}
      const names = Array.isArray(query) ? query.map(([name]) => String(name)) : Object.keys(query)
      return op === undefined ? [] : names.map((name) => `${op} ${name.replace(/\?$/, '')}`)
    }),
  )
  const isOpen = (name: string): boolean => Object.keys(OPEN_PARAMS).some((open) => open.endsWith(`.${name}`))
  const open = [...asked].filter((name) => isOpen(name.slice(name.indexOf(' ') + 1)))
  // The form of dates is tried even if the name is known.
  return open.length * (untold.length > 0 ? CANDIDATE_REQUESTS : 3)
}

/** The templates that the calls of a step start from. */
function templatesOf(step: Step): string[] {
  const call = callOf(step)
  if (call?.op === undefined || BODY_OF[call.op] === undefined) return []
  return [`${call.op} ${bodyNameOf(call.op, call.body?.set ?? {})}`]
}

/** One sound call of each writing operation, with each plausible body until one is taken. */
function controls(steps: readonly Step[]): number {
  const templates = new Set(steps.flatMap(templatesOf))
  const tries = [...templates].reduce((total, key) => {
    const name = key.slice(key.indexOf(' ') + 1) as keyof typeof BODY_TEMPLATES
    return total + BODY_TEMPLATES[name].length * UNITS_OF_A_PRICE
  }, 0)
  const ops = steps.flatMap((step) => callOf(step)?.op ?? [])
  const ordersBefore = ops.some(changesOrder) ? 2 * UNITS_OF_A_PRICE : 0
  const orders = steps.filter((step) => recordsOrder(callOf(step))).length
  // After each template of an order the history is read on.
  return tries + ordersBefore + 2 * orders * REQUESTS_OF_A_READING
}

function histories(steps: readonly Step[]): number {
  const readers = new Set(
    steps.flatMap((step) => {
      const reads = step.mark ?? step.events ?? step.quiet ?? step.receive
      if (reads !== undefined) return [JSON.stringify(step.as ?? 'main')]
      return recordsOrder(callOf(step)) ? [JSON.stringify('main')] : []
    }),
  )
  return readers.size * PAGES_OF_A_HISTORY
}
