import { noteCreated } from '../context/note-created.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Attempt, inTurn, sign, type Turn, turnOf } from '../context/send-call.ts'
import type { BurstStep, Step } from '../format/scenario.ts'
import { endpointOf } from '../format/step-facts.ts'
import { sendBurst } from '../http/burst.ts'
import type { Outcome } from '../http/exchange.ts'
import { soundLanes } from '../judge/judge.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import type { SignedRequest } from '../signing/sign-plan.ts'
import { attemptOf } from './call-plan.ts'
import { lostStop } from './judge-call.ts'
import { reported } from './report-step.ts'

/** How often a burst of reads is tried until enough of it was in flight at once. */
const BURST_TRIES = 5

/** The pause before a burst of reads that met a bad moment goes out again; it grows with each. */
const AFTER_A_BAD_MOMENT_MS = 1_000

function isRead({ call: { op } }: BurstStep): boolean {
  return op === undefined || endpointOf(op).effect === 'read'
}

/** Sends several calls at once. */
export async function runBurst(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const burst = step.burst as BurstStep
  const wanted = burst.overlap ?? 2
  let result = await sendLanes(scenarioRun, step, burst)
  for (let tries = 1; isRead(burst) && tries < BURST_TRIES; tries++) {
    const wasBad = soundLanes(scenarioRun, result).length < Math.min(burst.lanes, Math.max(2, wanted))
    if (!wasBad && result.overlapped >= wanted) break
    if (wasBad) await scenarioRun.run.pause(tries * AFTER_A_BAD_MOMENT_MS)
    result = await sendLanes(scenarioRun, step, burst)
  }
  scenarioRun.records.set(name, { kind: 'turns', turns: result.turns })
  const outcome = reported(
    scenarioRun,
    step,
    name,
    { kind: 'burst', ...result, wanted },
    result.turns[0]?.exchange.id ?? null,
  )
  outcome.stop ??= lostStop(scenarioRun, name, result.turns)
  return outcome
}

async function sendLanes(
  scenarioRun: ScenarioRun,
  step: Step,
  burst: BurstStep,
): Promise<{ turns: Turn[]; overlapped: number }> {
  const { run } = scenarioRun
  const lanes = await lanesOf(scenarioRun, step, burst)
  const requests = lanes.map(({ signed }) => signed.wire)
  const send = async () => {
    const sent = await sendBurst(run.senderOptions, requests)
    return { ...sent, outcome: limitedOf(sent.outcomes) }
  }
  const { sentAtMs, outcomes, overlapped } = await inTurn(run, { isSound: false }, send, lanes.length)
  const turns = lanes.flatMap(({ attempt, signed }, index) => {
    const outcome = outcomes[index]
    return outcome ? [turnOf(scenarioRun, attempt, signed, outcome, sentAtMs)] : []
  })
  for (const turn of turns) noteCreated(run, turn)
  return { turns, overlapped }
}

/** The lane that got a 429, if there was one. */
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
