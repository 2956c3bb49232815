import { signWebhook } from '../../contract/signature.ts'
import type { Client } from '../context/run-context.ts'
import { record } from '../context/send-call.ts'
import { headerOf } from '../http/answer.ts'
import type { Outcome } from '../http/exchange.ts'
import { retryAfterMs } from '../http/throttle.ts'
import type { Observation } from '../result/result.ts'
import { bodyTextOf, type Envelope, toldOf } from '../signing/event-maker.ts'
import { type Courier, type Delivery, type PartnerReceiver, requestOf, type Sent } from './delivery.ts'

/** Sends deliveries to the receiver in the name of one scenario, and keeps what it observes of open points. */
export function courierOf(client: Client, receiver: PartnerReceiver, observations: Observation[]): Courier {
  return {
    ...receiver,
    sound({ type = 'order.recorded', write = bodyTextOf, headerName, connection, ...change } = {}) {
      const event = receiver.makeEvent(type, change)
      const body = Buffer.from(write(event), 'utf8')
      const signatures = [signWebhook(receiver.secret, body)]
      return { body, signatures, event, ...(headerName && { headerName }), ...(connection && { connection }) }
    },
    deliver: (delivery) => deliverPatiently(client, receiver, delivery),
    observe(gap, value) {
      observations.push({ gap, value, scenario: client.caller })
    },
  }
}

/** A gateway before the receiver may count calls: a delivery that it refuses is sent again after the pause it asks for. */
const MOST_TRIES = 8
const LONGEST_WAIT_MS = 30_000

async function deliverPatiently(client: Client, receiver: PartnerReceiver, delivery: Delivery) {
  let waitedMs = 0
  for (let tries = 1; ; tries++) {
    const sent = await receiver.limit.within(() => deliverOnce(client, receiver, delivery))
    if (sent.status !== 429 || tries === MOST_TRIES) return sent
    const waitMs = waitOf(sent, client.run.wall.nowMs())
    waitedMs += waitMs
    if (waitedMs > LONGEST_WAIT_MS) return sent
    await client.run.pause(waitMs)
  }
}

function waitOf({ outcome }: Sent, nowMs: number): number {
  const asked = outcome.kind === 'response' ? headerOf(outcome.response, 'retry-after') : undefined
  return retryAfterMs(asked, nowMs)
}

async function deliverOnce(client: Client, receiver: PartnerReceiver, delivery: Delivery): Promise<Sent> {
  const { run } = client
  // The scenario then counts as interrupted.
  if (run.signal?.aborted) throw new Error('the run was stopped')
  await run.budget.request(run.signal)
  const request = requestOf(delivery, receiver)
  const sentAtMs = run.wall.nowMs()
  const startedMs = run.wall.monotonicMs()
  const answered = await run.sender.send(request, run.signal ? { signal: run.signal } : {})
  const tookMs = run.wall.monotonicMs() - startedMs
  const outcome = withDuration(answered, tookMs)
  const { id } = record(client, {
    ...{ sentAtMs, request, canonicalString: null, outcome, origin: run.target.url },
    ...(isSigned(receiver, delivery) ? {} : { oddity: 'a delivery that is signed wrongly on purpose' }),
  })
  const status = outcome.kind === 'response' ? outcome.response.status : null
  const sent: Sent = { delivery, exchange: id, outcome, status, tookMs }
  receiver.sent.push(sent)
  if (status !== null && status < 300 && delivery.event) noteTold(client, delivery.event)
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

function noteTold({ run: { created } }: Client, event: Envelope): void {
  for (const thing of toldOf(event)) {
    if (!created.some(({ kind, id }) => kind === thing.kind && id === thing.id)) created.push(thing)
  }
}
