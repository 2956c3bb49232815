import { sleep } from '../../clock/wall-clock.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { noteCreated } from '../context/note-created.ts'
import { argumentsOf, canOperate, operate } from '../context/operator.ts'
import { ladderOf, openRung } from '../context/operator-ladder.ts'
import type { Run } from '../context/run-context.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Attempt, sign, type Turn, turnOf } from '../context/send-call.ts'
import { recheckClock } from '../context/target-clock.ts'
import { durationOf } from '../format/duration-of.ts'
import { isOperatorAction } from '../format/operator-actions.ts'
import type { BurstStep, ElseRung, Step, Template } from '../format/scenario.ts'
import { sendBurst } from '../http/burst.ts'
import type { Outcome } from '../http/exchange.ts'
import { soundLanes } from '../judge/judge.ts'
import { type StepOutcome, stepInWords } from '../judge/pending-checks.ts'
import { filled } from '../judge/references.ts'
import { NotRun } from '../result/signals.ts'
import type { SignedRequest } from '../signing/sign-plan.ts'
import { attemptOf, concluded, lostStop } from './call.ts'
import { reported } from './report-step.ts'
import { lookAgain, withDoubt } from './send-until-sure.ts'

/** How often a burst of reads is tried until enough of it was in flight at once. */
export const BURST_TRIES = 5

/** The pause before a burst of reads that met a bad moment goes out again; it grows with each. */
const AFTER_A_BAD_MOMENT_MS = 1_000

/** Sends several calls at once. */
export async function runBurst(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  burst: BurstStep,
): Promise<StepOutcome> {
  const wanted = burst.overlap ?? 2
  const isRead = burst.call.op === undefined || ENDPOINTS[burst.call.op].effect === 'read'
  let result = await sendLanes(scenarioRun, step, burst)
  for (let tries = 1; isRead && tries < BURST_TRIES; tries++) {
    const wasBad = soundLanes(scenarioRun, result).length < Math.min(burst.lanes, Math.max(2, wanted))
    if (!wasBad && result.overlapped >= wanted) break
    if (wasBad) await scenarioRun.run.pause(tries * AFTER_A_BAD_MOMENT_MS)
    result = await sendLanes(scenarioRun, step, burst)
  }
  scenarioRun.records.set(name, { kind: 'turns', turns: result.turns })
  const outcome = reported(scenarioRun, step, name, { kind: 'burst', ...result, wanted }, exchangeOf(result.turns))
  outcome.stop ??= lostStop(scenarioRun, name, result.turns)
  return outcome
}

function exchangeOf([first]: readonly Turn[]): string | null {
  return first?.exchange.id ?? null
}

async function sendLanes(
  scenarioRun: ScenarioRun,
  step: Step,
  burst: BurstStep,
): Promise<{ turns: Turn[]; overlapped: number }> {
  const { run } = scenarioRun
  const lanes = await lanesOf(scenarioRun, step, burst)
  const { sentAtMs, outcomes, overlapped } = await run.throttle.through({ isSound: false }, async () => {
    for (const _lane of lanes) await run.budget.request(run.signal)
    const sentAtMs = run.wall.nowMs()
    const sent = await sendBurst(
      run.senderOptions,
      lanes.map(({ signed }) => signed.wire),
    )
    return { ...sent, sentAtMs, outcome: limitedOf(sent.outcomes) }
  })
  const turns = lanes.flatMap(({ attempt, signed }, index) => {
    const outcome = outcomes[index]
    return outcome ? [turnOf(scenarioRun, attempt, signed, outcome, sentAtMs)] : []
  })
  for (const turn of turns) noteCreated(run, turn)
  return { turns, overlapped }
}

/** The lane that was told to wait, where one was. */
function limitedOf(outcomes: readonly Outcome[]): Outcome {
  const limited = outcomes.find(
    (outcome) => outcome.kind === 'response' && (outcome.response.status === 429 || outcome.response.status === 503),
  )
  return limited ?? (outcomes[0] as Outcome)
}

async function lanesOf(
  scenarioRun: ScenarioRun,
  step: Step,
  { lanes, share = [] }: BurstStep,
): Promise<{ attempt: Attempt; signed: SignedRequest }[]> {
  const { attempt: first } = await attemptOf(scenarioRun, step)
  const firstSigned = sign(scenarioRun, first)
  if (share.includes('request')) return Array.from({ length: lanes }, () => ({ attempt: first, signed: firstSigned }))
  const made = [{ attempt: first, signed: firstSigned }]
  while (made.length < lanes) {
    const attempt = share.includes('body') ? first : (await attemptOf(scenarioRun, step)).attempt
    const plan = { ...attempt.plan }
    const key = share.includes('idempotency_key')
      ? first.plan.idempotencyKey
      : plan.idempotencyKey && scenarioRun.run.uuid()
    if (key !== undefined) plan.idempotencyKey = key
    const lane = { ...attempt, plan }
    made.push({
      attempt: lane,
      signed: share.includes('nonce') ? sign(scenarioRun, lane, firstSigned.nonce) : sign(scenarioRun, lane),
    })
  }
  return made
}

/** Repeats a call until what is expected comes, or the time is over. */
export async function runUntil(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const { attempt, twin } = await attemptOf(scenarioRun, step)
  const turn = await lookAgain(scenarioRun, step, name, attempt, { everyMs: durationOf(step.until?.every) })
  return concluded(scenarioRun, step, name, await withDoubt(scenarioRun, turn), twin)
}

/** Has the operator act, or takes the next best way that the step allows. */
export async function runOperator(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const [[action, template] = []] = Object.entries(step.operator ?? {})
  if (action === undefined || !isOperatorAction(action)) throw new RangeError(`${action} is no operator action`)
  const values = argumentsOf(action, filled(scenarioRun, template as Template))
  const { run } = scenarioRun
  if (canOperate(run.target, action)) {
    const outcome = await operate(scenarioRun, action, values)
    if (!outcome.done && !step.else?.includes('go_on'))
      return { checks: [], stop: { verdict: 'inconclusive', note: `${stepInWords(name)}: ${outcome.why}` } }
    scenarioRun.records.set(name, { kind: 'operated' })
  } else await otherwise(scenarioRun, ladderOf(step, action, values))
  if (action === 'skew_clock') run.learned.skewMs = Number(values.seconds) * 1_000
  if (action === 'advance_clock') {
    const movedMs = Number(values.seconds) * 1_000
    const { clockOffsetMs } = run.learned
    await recheckClock(scenarioRun, scenarioRun.services.credentials.main, movedMs)
    // Where its clock went along, that tells the time already.
    if (run.learned.clockOffsetMs === clockOffsetMs) run.learned.advancedMs += movedMs
  }
  return { checks: [], stop: null }
}

async function otherwise(scenarioRun: ScenarioRun, rungs: readonly ElseRung[]): Promise<void> {
  const { run } = scenarioRun
  const rung = openRung(run, rungs)
  if (rung === 'go_on') return
  if (rung === null || rung === 'not_run')
    throw new NotRun('needs-operator', 'there is no operator, and no other way was open')
  if ('wait' in rung) return reallyWait(run, scenarioRun.scenario, durationOf(rung.wait) ?? 0)
  if (await run.ask?.(rung.ask, scenarioRun.scenario)) return
  throw new NotRun('needs-operator', `the person who was asked did not do it: ${rung.ask}`)
}

async function reallyWait(run: Run, scenario: string, ms: number): Promise<void> {
  run.onWait(scenario, 'nobody can move the clock of the target', ms)
  await sleep(ms, run.signal)
  // Time that really passed is in nobody's clock offset.
  run.learned.advancedMs -= ms
}
