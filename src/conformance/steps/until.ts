import { argumentsOf } from '../context/operator.ts'
import type { CallExchange, ScenarioRun } from '../context/run.ts'
import type { Step } from '../format/scenario.ts'
import { expectationsOf } from '../format/step-facts.ts'
import { type Exchange, isAccepted } from '../http/exchange.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import { callToSend } from './call-plan.ts'
import { concluded } from './judge-call.ts'
import { lookAgain, withDoubt } from './send-until-sure.ts'

/** Repeats a call until what is expected comes, or the time is over. */
export async function runUntil(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const call = await callToSend(scenarioRun, step)
  const before = scenarioRun.exchanges.length
  const exchange = await lookAgain(scenarioRun, step, name, call)
  const doubt = limitInDoubt(scenarioRun, step, exchange, scenarioRun.exchanges.slice(before))
  return concluded(
    scenarioRun,
    step,
    name,
    doubt === null ? await withDoubt(scenarioRun, exchange) : { ...exchange, doubt },
  )
}

/** A limit that the operator has set. */
interface Limit {
  requests: number
  windowMs: number
}

/**
 * Why a limit that refused nothing proves nothing: calls that take long come in windows of their own, however often they are
 * repeated. Null if they were quick enough, or something was refused.
 *
 * @param made by the step, in their order.
 */
export function limitInDoubt(
  { scenario }: Pick<ScenarioRun, 'scenario'>,
  step: Step,
  { answer }: Pick<CallExchange, 'answer'>,
  made: readonly Exchange[],
): string | null {
  const limit = limitBefore(scenario.steps, step)
  if (limit === null || !isAccepted(answer) || !expectsLimit(step)) return null
  if (groupsWithinHalf(limit, made) >= GROUPS_NEEDED) return null
  return `the calls took so long that a window of ${limit.windowMs / 1_000} s hardly held more than ${limit.requests} of them`
}

/** One group may lie across the border of two windows; then the next one does not. */
const GROUPS_NEEDED = 2

function expectsLimit(step: Step): boolean {
  return expectationsOf(step).some(({ refused }) => [refused].flat().includes('rate_limited'))
}

function limitBefore(steps: readonly Step[], step: Step): Limit | null {
  const setting = steps.slice(0, steps.indexOf(step)).findLast(({ operator }) => operator?.rate_limit !== undefined)
  if (!setting) return null
  const { requests, per_seconds: perSeconds } = argumentsOf('rate_limit', setting.operator?.rate_limit)
  return { requests: Number(requests), windowMs: Number(perSeconds) * 1_000 }
}

/** How many times just too many calls in a row began and ended within half a window. */
function groupsWithinHalf({ requests, windowMs }: Limit, made: readonly Exchange[]): number {
  return made.filter((first, index) => {
    const last = made[index + requests]
    return last !== undefined && endOf(last) - first.sentAtMs <= windowMs / 2
  }).length
}

function endOf({ sentAtMs, tookMs }: Exchange): number {
  return sentAtMs + tookMs
}
