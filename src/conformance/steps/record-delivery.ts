import type { ScenarioRun } from '../context/scenario-run.ts'
import { record } from '../context/send-call.ts'
import type { Outcome } from '../http/exchange.ts'
import type { Delivery } from '../webhooks/delivery.ts'

/** Puts a delivery into the log of the run, once, as an exchange in which the target asks and we answer. */
export function recordDelivery(scenarioRun: ScenarioRun, delivery: Delivery): string {
  if (delivery.exchange !== undefined) return delivery.exchange
  const { method, target, headers, body, atMs } = delivery
  const request = { method, target, headers, body }
  const { id } = record(scenarioRun, {
    sentAtMs: atMs,
    request,
    canonicalString: null,
    outcome: outcomeOf(delivery),
    speaker: 'target',
  })
  delivery.exchange = id
  return id
}

function outcomeOf({ ending }: Delivery): Outcome {
  if (ending?.kind === 'answered') {
    const { status, afterMs } = ending
    return { kind: 'response', response: { status, headers: [], body: new Uint8Array(), tookMs: afterMs } }
  }
  const tookMs = ending?.afterMs ?? 0
  const how = ending === null ? 'it still waits' : ending.kind === 'hung-up' ? 'we hung up' : 'the target gave up'
  return { kind: 'broken', reason: 'reset', message: `a delivery without an answer: ${how}`, tookMs }
}
