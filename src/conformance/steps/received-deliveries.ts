import { eventHas, type HistoryEvent } from '../context/event-history.ts'
import { receivedEvents } from '../context/received-events.ts'
import type { Session } from '../context/scenario-run.ts'
import type { Step, Template } from '../format/scenario.ts'
import { atPath } from '../http/json-body.ts'
import { filled } from '../judge/references.ts'
import type { Delivery, Hook } from '../webhooks/delivery.ts'
import type { SuspectKey } from '../webhooks/diagnose-delivery.ts'
import { recordDelivery } from './record-delivery.ts'

/** Reads what has come to the hook of a `receive` or `quiet` step, as `events` steps read the history. */
export function hookReader(
  session: Session,
  step: Step,
): () => Promise<{ events: readonly HistoryEvent[]; exchange: string | null }> {
  const wish = step.receive ?? step.quiet
  const hook = hookCalled(session, step.receive?.hook ?? step.quiet?.hook ?? 'main')
  const type = step.receive?.type ?? step.quiet?.events
  const where = filled(session, (wish?.where ?? {}) as Template) as Record<string, unknown>
  const sinceMs = wish?.since === undefined ? Number.NEGATIVE_INFINITY : (session.finishedAtMs.get(wish.since) ?? 0)
  const suspects = suspectsOf(session)
  const comparesWithHistory = JSON.stringify(step.expect ?? '').includes('delivery.in_history')
  const reader = session.desk.cast.pick(step.as)
  return async () => {
    for (const delivery of hook.deliveries) noteLag(session, delivery)
    const history = comparesWithHistory ? session.desk.events.of(reader) : null
    await history?.refresh(session)
    const events = receivedEvents(hook, suspects, history?.since(0) ?? null).filter(
      (event) =>
        (hook.deliveries[event.position]?.arrivedMs ?? 0) > sinceMs &&
        (type === undefined || event.type === type) &&
        eventHas(event, where),
    )
    const last = hook.deliveries[events.at(-1)?.position ?? -1]
    return { events, exchange: last ? recordDelivery(session, last) : null }
  }
}

/** @throws RangeError where the scenario opened no such hook. */
export function hookCalled(session: Session, name: string): Hook {
  const hook = session.hooks.get(name)
  if (!hook) throw new RangeError(`there is no hook ${name}`)
  return hook
}

/** Keys of API calls, which some take for the webhook secret. */
function suspectsOf({ campaign }: Session): SuspectKey[] {
  return campaign.target.credentials.flatMap(({ name, secret, keyId }) => [
    { words: `keyed with the API secret of ${name}, not with the webhook secret`, key: secret },
    { words: `keyed with the key id of ${name}, not with the webhook secret`, key: keyId },
  ])
}

/** How long an order's first event took to arrive, at most. What happens to an order later has a time nobody knows. */
function noteLag({ campaign }: Session, { json, atMs }: Delivery): void {
  const { learnt } = campaign
  if (atPath(json, 'type') !== 'order.recorded') return
  const id = String(atPath(json, 'data.order.public_id'))
  const recordedAtMs = learnt.recordedAtMs.get(id)
  if (recordedAtMs === undefined || learnt.deliveredOrders.has(id)) return
  learnt.deliveredOrders.add(id)
  learnt.hookLagMs = Math.max(learnt.hookLagMs ?? 0, atMs - recordedAtMs)
}
