import type { CallExchange, ScenarioRun } from '../context/run.ts'
import { exchangeOf, inTurn, noteCreated, sign } from '../context/send-call.ts'
import type { AtOnce, CallStep, Step } from '../format/scenario.ts'
import { atOnceOf, callOf, endpointOf } from '../format/step-facts.ts'
import { sendBurst } from '../http/burst.ts'
import type { Reply } from '../http/exchange.ts'
import { validLanes } from '../judge/judge.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import type { Call, SignedRequest } from '../signing/sign-call.ts'
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
  scenarioRun.records.set(name, { kind: 'calls', exchanges: result.exchanges })
  const outcome = reported(
    scenarioRun,
    step,
    name,
    { kind: 'burst', ...result, wanted },
    result.exchanges[0]?.id ?? null,
  )
  outcome.stop ??= lostStop(scenarioRun, name, result.exchanges)
  return outcome
}

async function sendLanes(
  scenarioRun: ScenarioRun,
  step: Step,
  atOnce: AtOnce,
): Promise<{ exchanges: CallExchange[]; overlapped: number }> {
  const { run } = scenarioRun
  const lanes = await lanesOf(scenarioRun, step, atOnce)
  const requests = lanes.map(({ signed }) => signed.request)
  const send = async () => {
    const sent = await sendBurst(run.senderOptions, requests)
    return { ...sent, ...limitedOf(sent.replies) }
  }
  const { sentAtMs, replies, overlapped } = await inTurn(run, { isValid: false }, send, lanes.length)
  const exchanges = lanes.flatMap(({ call, signed }, index) => {
    const reply = replies[index]
    return reply ? [exchangeOf(scenarioRun, call, signed, reply, sentAtMs)] : []
  })
  for (const exchange of exchanges) noteCreated(run, exchange)
  return { exchanges, overlapped }
}

/** The lane that got a 429, if there was one. */
function limitedOf(replies: readonly Reply[]): Reply {
  const limited = replies.find(({ answer }) => answer?.status === 429 || answer?.status === 503)
  return limited ?? (replies[0] as Reply)
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
    const key = share.includes('idempotency_key') ? first.idempotencyKey : call.idempotencyKey && scenarioRun.run.uuid()
    const lane = { ...call, ...(key !== undefined && { idempotencyKey: key }) }
    made.push({
      call: lane,
      signed: share.includes('nonce') ? sign(scenarioRun, lane, firstSigned.nonce) : sign(scenarioRun, lane),
    })
  }
  return made
}
