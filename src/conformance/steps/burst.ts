import { sleep } from '../../clock/wall-clock.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { noteCreated } from '../context/note-created.ts'
import { argumentsOf, canOperate, operate } from '../context/operator.ts'
import { ladderOf, openRung } from '../context/operator-ladder.ts'
import type { Campaign } from '../context/run-context.ts'
import type { Session } from '../context/scenario-run.ts'
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
export async function carryOutBurst(
  session: Session,
  step: Step,
  name: string,
  burst: BurstStep,
): Promise<StepOutcome> {
  const wanted = burst.overlap ?? 2
  const isRead = burst.call.op === undefined || ENDPOINTS[burst.call.op].effect === 'read'
  let result = await sendLanes(session, step, burst)
  for (let tries = 1; isRead && tries < BURST_TRIES; tries++) {
    const wasBad = soundLanes(session, result).length < Math.min(burst.lanes, Math.max(2, wanted))
    if (!wasBad && result.overlapped >= wanted) break
    if (wasBad) await session.campaign.pause(tries * AFTER_A_BAD_MOMENT_MS)
    result = await sendLanes(session, step, burst)
  }
  session.records.set(name, { kind: 'turns', turns: result.turns })
  const outcome = reported(session, step, name, { kind: 'burst', ...result, wanted }, exchangeOf(result.turns))
  outcome.stop ??= lostStop(session, name, result.turns)
  return outcome
}

function exchangeOf([first]: readonly Turn[]): string | null {
  return first?.exchange.id ?? null
}

async function sendLanes(
  session: Session,
  step: Step,
  burst: BurstStep,
): Promise<{ turns: Turn[]; overlapped: number }> {
  const { campaign } = session
  const lanes = await lanesOf(session, step, burst)
  const { sentAtMs, outcomes, overlapped } = await campaign.traffic.through({ isSound: false }, async () => {
    for (const _lane of lanes) await campaign.budget.request(campaign.signal)
    const sentAtMs = campaign.wall.nowMs()
    const sent = await sendBurst(
      campaign.senderOptions,
      lanes.map(({ signed }) => signed.wire),
    )
    return { ...sent, sentAtMs, outcome: limitedOf(sent.outcomes) }
  })
  const turns = lanes.flatMap(({ attempt, signed }, index) => {
    const outcome = outcomes[index]
    return outcome ? [turnOf(session, attempt, signed, outcome, sentAtMs)] : []
  })
  for (const turn of turns) noteCreated(campaign, turn)
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
  session: Session,
  step: Step,
  { lanes, share = [] }: BurstStep,
): Promise<{ attempt: Attempt; signed: SignedRequest }[]> {
  const { attempt: first } = await attemptOf(session, step)
  const firstSigned = sign(session, first)
  if (share.includes('request')) return Array.from({ length: lanes }, () => ({ attempt: first, signed: firstSigned }))
  const made = [{ attempt: first, signed: firstSigned }]
  while (made.length < lanes) {
    const attempt = share.includes('body') ? first : (await attemptOf(session, step)).attempt
    const plan = { ...attempt.plan }
    const key = share.includes('idempotency_key')
      ? first.plan.idempotencyKey
      : plan.idempotencyKey && session.campaign.uuid()
    if (key !== undefined) plan.idempotencyKey = key
    const lane = { ...attempt, plan }
    made.push({
      attempt: lane,
      signed: share.includes('nonce') ? sign(session, lane, firstSigned.nonce) : sign(session, lane),
    })
  }
  return made
}

/** Repeats a call until what is expected comes, or the time is over. */
export async function carryOutUntil(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const { attempt, twin } = await attemptOf(session, step)
  const turn = await lookAgain(session, step, name, attempt, { everyMs: durationOf(step.until?.every) })
  return concluded(session, step, name, await withDoubt(session, turn), twin)
}

/** Has the operator act, or takes the next best way that the step allows. */
export async function carryOutOperator(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const [[action, template] = []] = Object.entries(step.operator ?? {})
  if (action === undefined || !isOperatorAction(action)) throw new RangeError(`${action} is no operator action`)
  const values = argumentsOf(action, filled(session, template as Template))
  const { campaign } = session
  if (canOperate(campaign.target, action)) {
    const outcome = await operate(session, action, values)
    if (!outcome.done && !step.else?.includes('go_on'))
      return { drafts: [], stop: { verdict: 'inconclusive', note: `${stepInWords(name)}: ${outcome.why}` } }
    session.records.set(name, { kind: 'operated' })
  } else await otherwise(session, ladderOf(step, action, values))
  if (action === 'skew_clock') campaign.learnt.skewMs = Number(values.seconds) * 1_000
  if (action === 'advance_clock') {
    const movedMs = Number(values.seconds) * 1_000
    const { clockOffsetMs } = campaign.learnt
    await recheckClock(session, session.desk.cast.main, movedMs)
    // Where its clock went along, that tells the time already.
    if (campaign.learnt.clockOffsetMs === clockOffsetMs) campaign.learnt.advancedMs += movedMs
  }
  return { drafts: [], stop: null }
}

async function otherwise(session: Session, rungs: readonly ElseRung[]): Promise<void> {
  const { campaign } = session
  const rung = openRung(campaign, rungs)
  if (rung === 'go_on') return
  if (rung === null || rung === 'not_run')
    throw new NotRun('needs-operator', 'there is no operator, and no other way was open')
  if ('wait' in rung) return reallyWait(campaign, session.scenario, durationOf(rung.wait) ?? 0)
  if (await campaign.ask?.(rung.ask, session.scenario)) return
  throw new NotRun('needs-operator', `the person who was asked did not do it: ${rung.ask}`)
}

async function reallyWait(campaign: Campaign, scenario: string, ms: number): Promise<void> {
  campaign.onWait(scenario, 'nobody can move the clock of the target', ms)
  await sleep(ms, campaign.signal)
  // Time that really passed is in nobody's clock offset.
  campaign.learnt.advancedMs -= ms
}
