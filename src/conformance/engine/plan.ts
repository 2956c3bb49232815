import { parseDuration } from '../../clock/duration.ts'
import { wayOf } from '../context/operator-ladder.ts'
import type { Services } from '../context/scenario-run.ts'
import { effectsOf } from '../format/derived.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import type { RunPlan } from '../result/result.ts'
import { mayRun, stepsOf } from '../steps/capabilities.ts'
import { ordersAllowed } from '../target/target.ts'

/** Adds up what the scenarios declare. What the target file or the flags leave out already is not counted: it sends nothing. */
export function planOf(services: Services, scenarios: readonly LoadedScenario[]): RunPlan {
  const { target } = services.run
  const running = scenarios.filter((loaded) => mayRun(services, loaded))
  const declared = (kind: 'orders' | 'quotes' | 'webhooks'): number =>
    running.reduce((total, { scenario }) => total + (effectsOf(scenario)[kind] ?? 0), 0)
  const ways = running.flatMap((loaded) => waysOf(services, loaded))
  return {
    scenarios: scenarios.length,
    orders: declared('orders'),
    quotes: declared('quotes'),
    webhooks: declared('webhooks'),
    budget: {
      requests: limitOf(target.budget.requests),
      orders: limitOf(ordersAllowed(target)),
      quotes: limitOf(target.budget.quotes),
    },
    longestWaitMs: Math.max(0, ...ways.map(waitOf)),
    questions: ways.filter((way) => typeof way === 'object' && way !== null && 'ask' in way).length,
  }
}

function limitOf(budget: number): number | null {
  return Number.isFinite(budget) ? budget : null
}

/** How each operator's action of a scenario would come about. */
function waysOf({ run }: Services, { scenario }: LoadedScenario): ReturnType<typeof wayOf>[] {
  return stepsOf(scenario)
    .filter((step) => step.operator !== undefined)
    .map((step) => wayOf(run, step))
}

function waitOf(way: ReturnType<typeof wayOf>): number {
  return typeof way === 'object' && way !== null && 'wait' in way ? (parseDuration(way.wait) ?? 0) : 0
}
