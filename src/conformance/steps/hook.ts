import type { OtherSecret } from '../../contract/diagnosis/key-mistakes.ts'
import { eventHas } from '../context/event-history.ts'
import { receivedEvents } from '../context/received-events.ts'
import type { HistoryEvent, ScenarioRun } from '../context/run.ts'
import { record } from '../context/send-call.ts'
import type { HookStep, Step, Template } from '../format/scenario.ts'
import type { Reply } from '../http/exchange.ts'
import { atPath } from '../http/json-body.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import { filled, filledText } from '../judge/references.ts'
import { heldBackMs } from '../target/longest-wait.ts'
import type { Delivery, Hook, HookAnswer } from '../webhooks/delivery.ts'

/** Makes a hook answer otherwise from here on. */
export async function runHook(scenarioRun: ScenarioRun, { hook }: Step): Promise<StepOutcome> {
  const wish = hook as HookStep
  const where = filled(scenarioRun, (wish.where ?? {}) as Template) as Record<string, unknown>
  hookCalled(scenarioRun, wish.name ?? 'main').behave({
    answer: answerOf(scenarioRun, wish.answer),
    times: wish.times ?? null,
    fits: (json) =>
      (wish.type === undefined || atPath(json, 'type') === wish.type) &&
      eventHas({ id: '', type: '', json, position: 0 }, where),
  })
  return { checks: [], stop: null }
}

function answerOf(scenarioRun: ScenarioRun, answer: HookStep['answer']): HookAnswer {
  if (typeof answer === 'number') return { status: answer, afterMs: 0 }
  if (answer === 'hang_up') return { status: null, afterMs: 0 }
  if ('redirect' in answer) return { status: 307, afterMs: 0, location: filledText(scenarioRun, answer.redirect) }
  return { status: answer.status ?? 200, afterMs: heldBackMs(scenarioRun.run.target, answer) }
}

/** Reads the deliveries at the hook of a step, as others read the history. */
export function hookReader(
  scenarioRun: ScenarioRun,
  step: Step,
): () => Promise<{ events: readonly HistoryEvent[]; exchange: string | null }> {
  const { hook: name = 'main', type, after, ...wish } = step.events ?? {}
  const hook = hookCalled(scenarioRun, name)
  const where = filled(scenarioRun, (wish.where ?? {}) as Template) as Record<string, unknown>
  const sinceMs = after === undefined ? Number.NEGATIVE_INFINITY : (scenarioRun.finishedAtMs.get(after) ?? 0)
  const suspects = apiKeysOf(scenarioRun)
  const compares = comparesWithHistory(step)
  const reader = scenarioRun.run.credentials.pick(step.as)
  return async () => {
    for (const delivery of hook.deliveries) noteLag(scenarioRun, delivery)
    const history = compares ? scenarioRun.run.historyOf(reader) : null
    await history?.refresh(scenarioRun)
    const events = receivedEvents(hook, suspects, history?.since(0) ?? null).filter(
      (event) =>
        (hook.deliveries[event.position]?.arrivedMs ?? 0) > sinceMs &&
        (type === undefined || event.type === type) &&
        eventHas(event, where),
    )
    const last = hook.deliveries[events.at(-1)?.position ?? -1]
    return { events, exchange: last ? recordDelivery(scenarioRun, last) : null }
  }
}

/** Whether a step asks if deliveries are also in the event history. */
function comparesWithHistory({ expect }: Step): boolean {
  return JSON.stringify(expect ?? '').includes('delivery.in_history')
}

/** @throws RangeError if the scenario opened no such hook. */
function hookCalled(scenarioRun: ScenarioRun, name: string): Hook {
  const hook = scenarioRun.hooks.get(name)
  if (!hook) throw new RangeError(`no such hook: ${name}`)
  return hook
}

/** Keys of API calls, which some take for the webhook secret. */
function apiKeysOf({ run }: ScenarioRun): OtherSecret[] {
  return run.target.credentials.flatMap(({ name, secret, keyId }) => [
    { whose: `the API secret of ${name}`, secret },
    { whose: `the key id of ${name}`, secret: keyId },
  ])
}

/** How long an order's first event took to arrive, at most. The time of what happens to an order later is unknown. */
function noteLag({ run }: ScenarioRun, { json, atMs }: Delivery): void {
  const { pace } = run
  if (atPath(json, 'type') !== 'order.recorded') return
  const id = String(atPath(json, 'data.order.public_id'))
  const recordedAtMs = pace.recordedAtMs.get(id)
  if (recordedAtMs === undefined || pace.deliveredOrders.has(id)) return
  pace.deliveredOrders.add(id)
  pace.hookLagMs = Math.max(pace.hookLagMs ?? 0, atMs - recordedAtMs)
}

/** Puts a delivery into the log of the run, once, as an exchange in which the target asks and we answer. */
function recordDelivery(scenarioRun: ScenarioRun, delivery: Delivery): string {
  if (delivery.exchange !== undefined) return delivery.exchange
  const { method, target, headers, body, atMs } = delivery
  const request = { method, target, headers, body }
  const { id } = record(scenarioRun, {
    sentAtMs: atMs,
    request,
    canonicalString: null,
    ...replyTo(delivery),
    speaker: 'target',
  })
  delivery.exchange = id
  return id
}

function replyTo({ ending }: Delivery): Reply {
  if (ending?.kind === 'answered') {
    const { status, afterMs } = ending
    const answer = { op: null, status, headers: [], body: new Uint8Array(), json: undefined }
    return { answer, broken: null, tookMs: afterMs }
  }
  const tookMs = ending?.afterMs ?? 0
  const how = ending === null ? 'it still waits' : ending.kind === 'hung-up' ? 'we hung up' : 'the target gave up'
  return { answer: null, broken: { reason: 'reset', message: `a delivery without an answer: ${how}` }, tookMs }
}
