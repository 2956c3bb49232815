import { parseDuration } from '../clock/duration.ts'
import { MAX_PAGES } from './all-pages.ts'
import { MAX_POSITIONS } from './pages/alter-query.ts'
import type { LoadedScenario, Step } from './scenario.ts'
import { callOf } from './steps.ts'
import type { Budget } from './target.ts'

/** The most a run can do to a target, told before anything is sent. */
export interface RunPlan {
  scenarios: number
  requestsAtMost: number
  ordersAtMost: number
  quotesAtMost: number
  webhooksAtMost: number
  longestWaitMs: number
}

/** A step is a call, its second try and its twin; a burst is its lanes. */
const CALLS_A_STEP = 3

/** Orders and quotes of the runner's own: one that is the control of all refusals, and one for refunds. */
const OWN_ORDERS = 3
const OWN_QUOTES = 1
/** Its own registration of a webhook, where scenarios have any: the control of those that are refused. */
const OWN_WEBHOOKS = 1

/** Adds up what scenarios declare, cut at the budget, which is a hard limit. */
export function planOf(scenarios: readonly LoadedScenario[], budget: Budget, maxWaitMs: number): RunPlan {
  const sum = (count: (loaded: LoadedScenario) => number): number =>
    scenarios.reduce((total, loaded) => total + count(loaded), 0)
  const orders = sum(({ scenario }) => scenario.effects?.orders ?? 0)
  const quotes = sum(({ scenario }) => scenario.effects?.quotes ?? 0)
  return {
    scenarios: scenarios.length,
    requestsAtMost: Math.min(budget.requests, sum(callsOf)),
    ordersAtMost: Math.min(budget.orders, orders + OWN_ORDERS),
    quotesAtMost: Math.min(budget.quotes, quotes + OWN_QUOTES),
    webhooksAtMost:
      sum(({ scenario }) => scenario.effects?.webhooks ?? 0) + (scenarios.some(registers) ? OWN_WEBHOOKS : 0),
    longestWaitMs: Math.max(0, ...scenarios.flatMap(waitsOf).filter((ms) => ms <= maxWaitMs)),
  }
}

function callsOf({ scenario }: LoadedScenario): number {
  return scenario.steps.reduce((total, step) => total + callsOfStep(step), 0)
}

function callsOfStep(step: Step): number {
  if (step.burst) return step.burst.lanes
  if (callOf(step)?.all_pages) return MAX_PAGES
  const alter = typeof step.open === 'object' ? step.open.alter : undefined
  if (!alter) return CALLS_A_STEP
  return CALLS_A_STEP + 2 * (Array.isArray(alter.at) ? alter.at.length : MAX_POSITIONS)
}

function registers({ scenario }: LoadedScenario): boolean {
  return scenario.steps.some((step) => callOf(step)?.op === 'webhooks.put')
}

function waitsOf({ scenario }: LoadedScenario): number[] {
  return scenario.steps.flatMap((step) =>
    (step.else ?? []).map((rung) => (typeof rung === 'object' && 'wait' in rung ? (parseDuration(rung.wait) ?? 0) : 0)),
  )
}
