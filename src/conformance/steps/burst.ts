import { noteCreated } from '../context/note-created.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Call, inTurn, sign, type Turn, turnOf } from '../context/send-call.ts'
import type { AtOnce, CallStep, Step } from '../format/scenario.ts'
import { atOnceOf, callOf, endpointOf } from '../format/step-facts.ts'
import { sendBurst } from '../http/burst.ts'
import type { Outcome } from '../http/exchange.ts'
import { validLanes } from '../judge/judge.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import type { SignedRequest } from '../signing/sign-plan.ts'
import { callToSend } from './call-plan.ts'
import { lostStop } from './judge-call.ts'
import { reported } from './report-step.ts'

/** How often a burst of reads is tried until enough of it was in flight at once. */
const BURST_TRIES = 5

/** The pause before a burst of reads that met a bad moment goes out again; it grows with each. */
const AFTER_A_BAD_MOMENT_MS = 1_000

function isRead({ op }: CallStep): boolean {
  return op === undefined || endpointOf(op).effect === 'read'
}

/** Sends several calls at once. */
export async function runBurst(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const call = callOf(step) as CallStep
  const atOnce = atOnceOf(call)
  const wanted = atOnce.overlap ?? Math.min(2, atOnce.calls)
  let result = await sendLanes(scenarioRun, step, atOnce)
  for (let tries = 1; isRead(call) && tries < BURST_TRIES; tries++) {
    const wasBad = validLanes(scenarioRun, result).length < Math.min(atOnce.calls, Math.max(2, wanted))
    if (!wasBad && result.overlapped >= wanted) break
    if (wasBad) await scenarioRun.run.pause(tries * AFTER_A_BAD_MOMENT_MS)
    result = await sendLanes(scenarioRun, step, atOnce)
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
  atOnce: AtOnce,
): Promise<{ turns: Turn[]; overlapped: number }> {
  const { run } = scenarioRun
  const lanes = await lanesOf(scenarioRun, step, atOnce)
  const requests = lanes.map(({ signed }) => signed.wire)
  const send = async () => {
    const sent = await sendBurst(run.senderOptions, requests)
    return { ...sent, outcome: limitedOf(sent.outcomes) }
  }
  const { sentAtMs, outcomes, overlapped } = await inTurn(run, { isValid: false }, send, lanes.length)
  const turns = lanes.flatMap(({ call, signed }, index) => {
    const outcome = outcomes[index]
    return outcome ? [turnOf(scenarioRun, call, signed, outcome, sentAtMs)] : []
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
  { calls, share = [] }: AtOnce,
): Promise<{ call: Call; signed: SignedRequest }[]> {
  const first = await callToSend(scenarioRun, step)
  const firstSigned = sign(scenarioRun, first)
  if (share.includes('request')) return Array.from({ length: calls }, () => ({ call: first, signed: firstSigned }))
  const made = [{ call: first, signed: firstSigned }]
  while (made.length < calls) {
    const call = share.includes('body') ? first : await callToSend(scenarioRun, step)
    const plan = { ...call.plan }
    const key = share.includes('idempotency_key')
      ? first.plan.idempotencyKey
      : plan.idempotencyKey && scenarioRun.run.uuid()
    if (key !== undefined) plan.idempotencyKey = key
    const lane = { ...call, plan }
    made.push({
      call: lane,
      signed: share.includes('nonce') ? sign(scenarioRun, lane, firstSigned.nonce) : sign(scenarioRun, lane),
    })
  }
  return made
}
