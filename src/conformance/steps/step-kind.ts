import type { ScenarioRun } from '../context/scenario-run.ts'
import { referencesIn } from '../format/expressions.ts'
import type { CallStep, Step, Template } from '../format/scenario.ts'
import { expectationsOf, expectsRefusal, recordsOrder } from '../format/step-facts.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import type { Waiting } from '../target/longest-wait.ts'

/** A kind of step: what it does, and what that costs. */
export interface StepKind {
  run(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome>
  /** How many requests it makes at most. */
  requests(run: Waiting, step: Step): number
}

/** Pages of a list that a plan counts with. */
export const PAGES_OF_A_LIST = 3

/** A reading goes over the page that the last one ended on, on to one that may be empty, and to the first one. */
export const REQUESTS_OF_A_READING = 3

/** The same call without its fault, and once wrongly signed to see whether signatures are looked at. */
const TWIN = 2

/** What a call takes beside itself: further pages, the words of the target, what an order left behind. */
export function requestsBeside(call: CallStep): number {
  const pages = call.all_pages ? PAGES_OF_A_LIST - 1 : 0
  const words = referencesIn(call as unknown as Template).some(([first]) => first === 'model') ? 1 : 0
  return pages + words + (recordsOrder(call) ? REQUESTS_OF_A_READING : 0)
}

export function requestsOfTwins(step: Step): number {
  const isOdd = expectsRefusal(step) || step.fault !== undefined || step.twin_shows !== undefined
  return (isOdd ? TWIN : 0) + expectationsOf(step).filter(({ authenticated }) => authenticated).length
}
