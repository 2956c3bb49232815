import { parseDuration } from '../clock/duration.ts'
import type { LoadedScenario } from './scenario.ts'
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
    webhooksAtMost: sum(({ scenario }) => scenario.effects?.webhooks ?? 0),
    longestWaitMs: Math.max(0, ...scenarios.flatMap(waitsOf).filter((ms) => ms <= maxWaitMs)),
  }
}

function callsOf({ scenario }: LoadedScenario): number {
  return scenario.steps.reduce((total, step) => total + (step.burst?.lanes ?? CALLS_A_STEP), 0)
}

function waitsOf({ scenario }: LoadedScenario): number[] {
  return scenario.steps.flatMap((step) =>
    (step.else ?? []).map((rung) => (typeof rung === 'object' && 'wait' in rung ? (parseDuration(rung.wait) ?? 0) : 0)),
  )
}
