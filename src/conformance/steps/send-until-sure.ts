import { sleep } from '../../clock/wall-clock.ts'
import { noteRegistration } from '../context/event-history.ts'
import type { CallExchange, ScenarioRun } from '../context/run.ts'
import { converse, isRepeatable, isTrouble, noteCreated, PAUSES_MS, probe } from '../context/send-call.ts'
import type { Step } from '../format/scenario.ts'
import { callOf, expectationsOf } from '../format/step-facts.ts'
import { type Answer, isServerError, statusWord } from '../http/exchange.ts'
import { firstPauseMs, longerPauseMs } from '../http/throttle.ts'
import { judge } from '../judge/judge.ts'
import type { Call } from '../signing/sign-call.ts'
import { longestWaitMs } from '../target/longest-wait.ts'
import { wholeList } from './all-pages.ts'
import { somethingHappened } from './report-step.ts'

/**
 * Makes the call of a step. If the target itself says that it failed, the call gets another try; a write without a key, only after a
 * pause and an ordinary read that is answered.
 */
export async function make(scenarioRun: ScenarioRun, step: Step, call: Call): Promise<CallExchange> {
  const exchange = await once(scenarioRun, step, call)
  if (call.takesAnyAnswer || !isServerError(exchange.answer) || isTrouble(scenarioRun, exchange.answer))
    return withDoubt(scenarioRun, exchange)
  if (call.exactly) return { ...exchange, doubt: noSecondTry(exchange) }
  if (!isRepeatable(call)) {
    await scenarioRun.run.pause(PAUSES_MS[0] as number)
    const doubt = await doubtByAnOrdinaryRead(scenarioRun, exchange.answer)
    if (doubt !== null) return { ...exchange, doubt }
  }
  const second = await once(scenarioRun, step, call)
  return isServerError(second.answer) ? second : { ...second, doubt: changed(exchange.answer, second.answer) }
}

function noSecondTry({ answer }: CallExchange): string {
  return `the target answered ${statusWord(answer)}, and trying this again could do harm`
}

async function once(scenarioRun: ScenarioRun, step: Step, call: Call): Promise<CallExchange> {
  const first = await converse(scenarioRun, call)
  noteCreated(scenarioRun.run, first)
  noteRegistration(scenarioRun.run, first)
  return callOf(step)?.all_pages ? wholeList(scenarioRun, first) : first
}

function changed(before: CallExchange['answer'], after: CallExchange['answer']): string {
  return `the target answered ${statusWord(before)} at first and ${statusWord(after)} when asked again`
}

/** A failure that came at every try is the target's answer only where it answers an ordinary read, and fails at this all the same. */
export async function withDoubt(
  scenarioRun: ScenarioRun,
  { doubt: _, ...exchange }: CallExchange,
): Promise<CallExchange> {
  const { call, answer, troubles = [] } = exchange
  if (call.takesAnyAnswer || answer === null) return exchange
  if (!isTrouble(scenarioRun, answer)) {
    const failed = troubles.find((trouble) => trouble !== null)
    return failed ? { ...exchange, doubt: changed(failed, answer) } : exchange
  }
  if (!isRepeatable(call) || call.exactly) return { ...exchange, doubt: noSecondTry(exchange) }
  const doubt = await doubtByAnOrdinaryRead(scenarioRun, answer)
  if (doubt !== null) return { ...exchange, doubt }
  const last = await converse(scenarioRun, { ...call, takesAnyAnswer: true })
  return isTrouble(scenarioRun, last.answer) ? last : { ...last, doubt: changed(answer, last.answer) }
}

/** Why a failure may be a bad moment of the whole target: it fails at an ordinary read as well. Null if it does not. */
export async function doubtByAnOrdinaryRead(scenarioRun: ScenarioRun, failure: Answer): Promise<string | null> {
  const read = await probe(scenarioRun, scenarioRun.run.credentials.main, true)
  if (!isTrouble(scenarioRun, read) && read?.status !== 429) return null
  return `the target answered ${statusWord(failure)}, and ${statusWord(read)} to an ordinary read`
}

/**
 * Makes a read again until it shows what is expected, or has had its time: a target may be late with what it does on its own.
 *
 * @param first what it came to before; nothing of it is looked at if absent.
 */
export async function lookAgain(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  call: Call,
  first?: CallExchange,
): Promise<CallExchange> {
  const { run } = scenarioRun
  const untilMs = run.wall.monotonicMs() + longestWaitMs(run, step)
  let pauseMs = firstPauseMs(run.loopback)
  for (let exchange = first; ; exchange = undefined) {
    exchange ??= await once(scenarioRun, step, call)
    // What is expected may speak of this very answer.
    scenarioRun.records.set(name, { kind: 'calls', exchanges: [exchange] })
    const leftMs = untilMs - run.wall.monotonicMs()
    if (isShown(scenarioRun, step, exchange) || leftMs <= 0 || run.signal?.aborted) return exchange
    // The last look comes at the very end, however long the pause has grown.
    await sleep(Math.min(pauseMs, leftMs), run.signal)
    pauseMs = longerPauseMs(pauseMs)
  }
}

function isShown(scenarioRun: ScenarioRun, step: Step, exchange: CallExchange): boolean {
  return expectationsOf(step).every(
    (expectation) => judge(scenarioRun, expectation, { kind: 'call', exchange }).verdict === 'pass',
  )
}

/** Whether a read failed to show what may only be late: something was done in this scenario before. */
export function mayBeLate(scenarioRun: ScenarioRun, step: Step, exchange: CallExchange): boolean {
  if (longestWaitMs(scenarioRun.run, step) === 0 || !somethingHappened(scenarioRun)) return false
  return expectationsOf(step).some(
    (expectation) => judge(scenarioRun, expectation, { kind: 'call', exchange }).verdict === 'fail',
  )
}
