import { sleep } from '../../clock/wall-clock.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import type { Attempt, Turn } from '../context/send-call.ts'
import { headerOf } from '../http/answer.ts'
import { Unproven } from '../result/signals.ts'

/** No scenario waits longer for a target that asked for it. */
const LONGEST_SECONDS = 60
/** A timer may ring a little early. */
const SLACK_MS = 50

/**
 * Waits for as long as an answer asked, and gives its call to be made anew: with a nonce of its own, and without any
 * patience for a further 429.
 *
 * @throws Unproven where the answer does not say how long.
 */
export async function retryOf(scenarioRun: ScenarioRun, step: string, turn: Turn): Promise<Attempt> {
  const seconds = turn.answer ? headerOf(turn.answer, HEADERS.retryAfter) : undefined
  if (seconds === undefined || !/^\d{1,4}$/.test(seconds) || Number(seconds) > LONGEST_SECONDS) {
    throw new Unproven(`the answer of step ${step} names no whole seconds up to ${LONGEST_SECONDS} in Retry-After`)
  }
  const { run, scenario } = scenarioRun
  const waitMs = Number(seconds) * 1_000 + SLACK_MS
  run.onWait(scenario, 'the target asked for it in Retry-After', waitMs)
  await sleep(waitMs, run.signal)
  const { op, plan, credential } = turn.attempt
  return { op, plan, credential, wants429: true }
}
