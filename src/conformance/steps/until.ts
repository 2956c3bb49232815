import { durationOf } from '../format/duration-of.ts'
import { looksWithin } from '../http/pauses.ts'
import { longestWaitMs } from '../target/longest-wait.ts'
import { attemptOf } from './call-plan.ts'
import { concluded } from './judge-call.ts'
import { limitInDoubt } from './limit-in-doubt.ts'
import { lookAgain, withDoubt } from './send-until-sure.ts'
import { PAGES_OF_A_LIST, requestsOfTwins, type StepKind } from './step-kind.ts'

/** Repeats a call until what is expected comes, or the time is over. */
export const UNTIL: StepKind = {
  async run(scenarioRun, step, name) {
    const { attempt, twin } = await attemptOf(scenarioRun, step)
    const before = scenarioRun.exchanges.length
    const turn = await lookAgain(scenarioRun, step, name, attempt, { everyMs: durationOf(step.until?.every) })
    const doubt = limitInDoubt(scenarioRun, step, turn, scenarioRun.exchanges.slice(before))
    const made = doubt === null ? await withDoubt(scenarioRun, turn) : { turn, doubt }
    return concluded(scenarioRun, step, name, made, twin)
  },
  requests(run, step) {
    const looks = looksWithin(longestWaitMs(run, step), durationOf(step.until?.every), run.loopback)
    return looks * (step.until?.call.all_pages ? PAGES_OF_A_LIST : 1) + requestsOfTwins(step)
  },
}
