import { signWebhook } from '../../contract/signature.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { record } from '../context/send-call.ts'
import type { Step } from '../format/scenario.ts'
import { headerOf } from '../http/answer.ts'
import type { Outcome } from '../http/exchange.ts'
import { retryAfterMs } from '../http/throttle.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import {
  type Courier,
  type DeliverStep,
  type Delivery,
  type PartnerReceiver,
  requestOf,
  type Sent,
} from '../signing/delivery.ts'
import { bodyTextOf, type Envelope, toldOf } from '../signing/event-maker.ts'

/** Sends deliveries to a receiver of the partner's own, sound and forged ones. */
export async function runDeliver(scenarioRun: ScenarioRun, { deliver }: Step): Promise<StepOutcome> {
  const { carryOut } = deliver as DeliverStep
  const { receiver } = scenarioRun.services
  if (!receiver) throw new RangeError('this run judges no receiver')
  return { checks: await carryOut(courierOf(scenarioRun, receiver)), stop: null }
}

function courierOf(scenarioRun: ScenarioRun, receiver: PartnerReceiver): Courier {
  return {
    ...receiver,
    sound({ type = 'order.recorded', write = bodyTextOf, headerName, connection, ...change } = {}) {
      const event = receiver.makeEvent(type, change)
      const body = Buffer.from(write(event), 'utf8')
      const signatures = [signWebhook(receiver.secret, body)]
      return { body, signatures, event, ...(headerName && { headerName }), ...(connection && { connection }) }
    },
    deliver: (delivery) => deliverPatiently(scenarioRun, receiver, delivery),
    observe(gap, value) {
      scenarioRun.observations.push({ gap, value, scenario: scenarioRun.scenario })
    },
  }
}

/** A gateway before the receiver may count calls: a delivery that it refuses is sent again after the pause it asks for. */
const MOST_TRIES = 8
const LONGEST_WAIT_MS = 30_000

async function deliverPatiently(scenarioRun: ScenarioRun, receiver: PartnerReceiver, delivery: Delivery) {
  let waitedMs = 0
  for (let tries = 1; ; tries++) {
    const sent = await receiver.limit.within(() => deliverOnce(scenarioRun, receiver, delivery))
    if (sent.status !== 429 || tries === MOST_TRIES) return sent
    const waitMs = waitOf(sent, scenarioRun.run.wall.nowMs())
    waitedMs += waitMs
    if (waitedMs > LONGEST_WAIT_MS) return sent
    await scenarioRun.run.pause(waitMs)
  }
}

function waitOf({ outcome }: Sent, nowMs: number): number {
  const asked = outcome.kind === 'response' ? headerOf(outcome.response, 'retry-after') : undefined
  return retryAfterMs(asked, nowMs)
}

async function deliverOnce(scenarioRun: ScenarioRun, receiver: PartnerReceiver, delivery: Delivery): Promise<Sent> {
  const { run } = scenarioRun
  // The engine then says that the scenario was interrupted.
  if (run.signal?.aborted) throw new Error('the run was stopped')
  await run.budget.request(run.signal)
  const request = requestOf(delivery, receiver)
  const sentAtMs = run.wall.nowMs()
  const startedMs = run.wall.monotonicMs()
  const answered = await run.sender.send(request, run.signal ? { signal: run.signal } : {})
  const tookMs = run.wall.monotonicMs() - startedMs
  const outcome = withDuration(answered, tookMs)
  const { id } = record(scenarioRun, {
    ...{ sentAtMs, request, canonicalString: null, outcome, origin: run.target.url },
    ...(isSigned(receiver, delivery) ? {} : { oddity: 'a delivery that is signed wrongly on purpose' }),
  })
  const status = outcome.kind === 'response' ? outcome.response.status : null
  const sent: Sent = { delivery, exchange: id, outcome, status, tookMs }
  receiver.sent.push(sent)
  if (status !== null && status < 300 && delivery.event) noteTold(scenarioRun, delivery.event)
  return sent
}

function isSigned({ secret }: PartnerReceiver, { body, signatures: [signature, ...more] }: Delivery): boolean {
  return more.length === 0 && signature === signWebhook(secret, body)
}

/** The service's deadline counts from before the connection, so reports have that figure and no other. */
function withDuration(outcome: Outcome, tookMs: number): Outcome {
  if (outcome.kind === 'broken') return { ...outcome, tookMs }
  return { ...outcome, response: { ...outcome.response, tookMs } }
}

function noteTold({ run: { created } }: ScenarioRun, event: Envelope): void {
  for (const thing of toldOf(event)) {
    if (!created.some(({ kind, id }) => kind === thing.kind && id === thing.id)) created.push(thing)
  }
}
