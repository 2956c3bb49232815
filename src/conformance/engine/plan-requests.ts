import { durationOf } from '../format/duration-of.ts'
import { referencesIn } from '../format/expressions.ts'
import type { CallStep, LoadedScenario, Step, SubmitStep, Template } from '../format/scenario.ts'
import { callOf, endpointOf, expectationsOf, expectsRefusal, recordsOrder } from '../format/step-names.ts'
import { looksWithin } from '../http/pauses.ts'
import { MAX_POSITIONS } from '../pages/alter-query.ts'
import { BURST_TRIES } from '../steps/burst.ts'
import { looksForALease } from '../steps/read-earlier-items.ts'
import { longestWaitMs, type Waiting } from '../target/longest-wait.ts'

/** Pages of a list, and of the event history beyond what was read before, that a plan counts with. */
export const PAGES_OF_A_LIST = 3

/** A reading goes over the page that the last one ended on, on to one that may be empty, and to the first one. */
export const REQUESTS_OF_A_READING = 3

/** The call, and once more where the target failed. */
const CALL_AND_SECOND_TRY = 2
/** The same call without its fault, and once wrongly signed to see whether signatures are looked at. */
const TWIN = 2
/** A page, where it leads on to, and each of them once more after a server error. */
const VISIT = 4
/** Many pages of one kind: each, and once more. */
const VISIT_OF_MANY = 2
/** Four pages of a purchase, each sent once more with every field filled in. */
const VISITS_OF_A_PURCHASE = 8

/** How many requests the steps of a scenario, clean-up included, make at most. */
export function requestsOfScenario(run: Waiting, { scenario }: LoadedScenario): number {
  const steps = [...scenario.steps, ...(scenario.cleanup ?? [])]
  return steps.reduce((total, step) => total + requestsOfStep(run, step) + requestsBefore(step), 0)
}

/** What a list holds before the scenario begins, where its rows are known by the name of what is sold. */
function requestsBefore(step: Step): number {
  const call = callOf(step)
  return call && looksForALease(step, call) ? PAGES_OF_A_LIST : 0
}

function requestsOfStep(run: Waiting, step: Step): number {
  if (step.burst) return requestsOfBurst(step.burst.lanes, step.burst.call) + controlsOf(step)
  if (step.until) return requestsOfUntil(run, step) + controlsOf(step)
  if (step.open !== undefined) return requestsOfOpen(step.open)
  if (step.submit) return requestsOfSubmit(step.submit)
  if (step.events || step.receive) return looksOf(run, step) * readingsOf(step)
  if (step.quiet) return 2 * readingsOf(step)
  if (step.mark) return REQUESTS_OF_A_READING
  if (step.operator) return 1 + (step.operator.advance_clock === undefined ? 0 : 3)
  if (step.hook) return 0
  return CALL_AND_SECOND_TRY + (step.call ? lookedUp(step.call) : 0) + requestsOfLooks(run, step) + controlsOf(step)
}

/** What a call takes beside itself: further pages, the words of the target, what an order left behind. */
function lookedUp(call: CallStep): number {
  const pages = call.all_pages ? PAGES_OF_A_LIST - 1 : 0
  const words = referencesIn(call as unknown as Template).some(([first]) => first === 'model') ? 1 : 0
  return pages + words + (recordsOrder(call) ? REQUESTS_OF_A_READING : 0)
}

function controlsOf(step: Step): number {
  const isOdd = expectsRefusal(step) || step.fault !== undefined || step.twin_shows !== undefined
  return (isOdd ? TWIN : 0) + expectationsOf(step).filter(({ authenticated }) => authenticated).length
}

/** Reads are sent again where too few of them were under way at once. */
function requestsOfBurst(lanes: number, call: CallStep): number {
  const isRead = call.op === undefined || endpointOf(call.op).effect === 'read'
  return lanes * (isRead ? BURST_TRIES : 1) + lookedUp(call)
}

function requestsOfUntil(run: Waiting, step: Step): number {
  const looks = looksWithin(longestWaitMs(run, step), durationOf(step.until?.every), run.loopback)
  return looks * (step.until?.call.all_pages ? PAGES_OF_A_LIST : 1)
}

/** A read that does not show yet what is expected of it is made again for a while. */
function requestsOfLooks(run: Waiting, step: Step): number {
  const waitMs = longestWaitMs(run, step)
  return waitMs === 0 ? 0 : looksWithin(waitMs, null, run.loopback) * (step.call?.all_pages ? PAGES_OF_A_LIST : 1)
}

function looksOf(run: Waiting, step: Step): number {
  return 1 + looksWithin(longestWaitMs(run, step), null, run.loopback)
}

/** Deliveries come by themselves; only what compares them with the history reads that. */
function readingsOf(step: Step): number {
  const atAHook = step.receive !== undefined || step.quiet?.hook !== undefined
  const compares = JSON.stringify(step.expect ?? '').includes('delivery.in_history')
  return atAHook && !compares ? 0 : REQUESTS_OF_A_READING
}

function requestsOfOpen(open: NonNullable<Step['open']>): number {
  const alter = typeof open === 'object' ? open.alter : undefined
  return VISIT + (alter ? positionsOf(alter) * VISIT_OF_MANY : 0)
}

function requestsOfSubmit({ button, alter }: SubmitStep): number {
  const each = button === 'pay' ? VISITS_OF_A_PURCHASE * VISIT_OF_MANY : VISIT
  return each * (alter ? positionsOf(alter) : 1)
}

function positionsOf({ at = 'each' }: NonNullable<SubmitStep['alter']>): number {
  return at === 'each' ? MAX_POSITIONS : at.length
}
