import { signWebhook } from '../../contract/signature.ts'
import type { Caller } from '../context/run.ts'
import { record } from '../context/send-call.ts'
import { headerOf } from '../http/exchange.ts'
import { retryAfterMs } from '../http/throttle.ts'
import type { Observation } from '../result/result.ts'
import { bodyTextOf, type Envelope, toldOf } from '../signing/event-maker.ts'
import { type Courier, type Delivery, type PartnerReceiver, requestOf, type Sent } from './delivery.ts'

/** Sends deliveries to the receiver in the name of one scenario, and keeps what it observes of open points. */
export function courierOf(caller: Caller, receiver: PartnerReceiver, observations: Observation[]): Courier {
  return {
    ...receiver,
    valid({ type = 'order.recorded', write = bodyTextOf, headerName, connection, ...change } = {}) {
      const event = receiver.makeEvent(type, change)
      const body = Buffer.from(write(event), 'utf8')
      const signatures = [signWebhook(receiver.secret, body)]
      return { body, signatures, event, ...(headerName && { headerName }), ...(connection && { connection }) }
    },
    deliver: (delivery) => deliverPatiently(caller, receiver, delivery),
    observe(gap, value) {
      observations.push({ gap, value, scenario: caller.id })
    },
  }
}

/** A gateway before the receiver may count calls: a delivery that it refuses is sent again after the pause it asks for. */
const MOST_TRIES = 8
const LONGEST_WAIT_MS = 30_000

async function deliverPatiently(caller: Caller, receiver: PartnerReceiver, delivery: Delivery) {
  let waitedMs = 0
  for (let tries = 1; ; tries++) {
    const sent = await receiver.limit.within(() => deliverOnce(caller, receiver, delivery))
    if (sent.status !== 429 || tries === MOST_TRIES) return sent
    const waitMs = waitOf(sent, caller.run.wall.nowMs())
    waitedMs += waitMs
    if (waitedMs > LONGEST_WAIT_MS) return sent
    await caller.run.pause(waitMs)
  }
}

function waitOf({ answer }: Sent, nowMs: number): number {
  return retryAfterMs(answer ? headerOf(answer, 'retry-after') : undefined, nowMs)
}

async function deliverOnce(caller: Caller, receiver: PartnerReceiver, delivery: Delivery): Promise<Sent> {
  const { run } = caller
  // The scenario then counts as interrupted.
  if (run.signal?.aborted) throw new Error('the run was stopped')
  await run.budget.request(run.signal)
  const request = requestOf(delivery, receiver)
  const sentAtMs = run.wall.nowMs()
  const startedMs = run.wall.monotonicMs()
  const reply = await run.sender.send(request, run.signal ? { signal: run.signal } : {})
  // The service's deadline counts from before the connection, so reports have that figure and no other.
  const tookMs = run.wall.monotonicMs() - startedMs
  const { id } = record(caller, {
    ...{ sentAtMs, request, canonicalString: null, ...reply, tookMs, origin: run.target.url },
    ...(isSigned(receiver, delivery) ? {} : { oddity: 'a delivery that is signed wrongly on purpose' }),
  })
  const status = reply.answer?.status ?? null
  const sent: Sent = { delivery, exchange: id, ...reply, status, tookMs }
  receiver.sent.push(sent)
  if (status !== null && status < 300 && delivery.event) noteTold(caller, delivery.event)
  return sent
}

function isSigned({ secret }: PartnerReceiver, { body, signatures: [signature, ...more] }: Delivery): boolean {
  return more.length === 0 && signature === signWebhook(secret, body)
}

function noteTold({ run: { created } }: Caller, event: Envelope): void {
  for (const thing of toldOf(event)) {
    if (!created.some(({ kind, id }) => kind === thing.kind && id === thing.id)) created.push(thing)
  }
}
