import type { Recorded, RecordedSale } from './history.ts'
import type { RecordedEvent } from './recorded-event.ts'

/** A hosted checkout session that sold something, as the operator tells of it. */
export type SoldSession = Omit<RecordedSale, 'kind'>

const PAY = 'POST /checkout-sessions/{session_id}/pay'

/**
 * Puts each hosted sale where its order was recorded. An operator's act that paid gives way to it; who pays on the page
 * leaves no trace but the first event of the order. A sale of a time that several things share stands before the first that speaks of its order.
 *
 * @param history calls and acts in their order.
 */
export function withHostedSales(
  history: readonly Recorded[],
  sessions: readonly SoldSession[],
  events: readonly RecordedEvent[],
): Recorded[] {
  const merged = [...history]
  const begin = history.map((happened) => worldTimeOf(happened))[0] ?? 0
  for (const [index, event] of events.entries()) {
    const session = sessions.find(({ publicId }) => publicId === event.subject)
    const isFirst = events.findIndex(({ subject }) => subject === event.subject) === index
    if (!session || !isFirst || event.atMs < begin) continue
    const sale: RecordedSale = { kind: 'sale', ...session }
    const paid = merged.findIndex((happened) => pays(happened, session, event.atMs))
    if (paid === -1) merged.splice(placeOf(merged, sale, event.atMs), 0, sale)
    else merged.splice(paid, 1, sale)
  }
  return merged
}

/** Not an act that began a payment which took until later. */
function pays(happened: Recorded, { sessionId }: SoldSession, atMs: number): boolean {
  return (
    happened.kind === 'act' &&
    happened.operation === PAY &&
    happened.params['session_id'] === sessionId &&
    happened.fromMs <= atMs &&
    atMs <= happened.toMs
  )
}

function placeOf(history: readonly Recorded[], sale: RecordedSale, atMs: number): number {
  const opened = history.findIndex((happened) => mentions(happened, sale.sessionId))
  const next = history.findIndex(
    (happened, i) =>
      i > opened && happened.kind !== 'sale' && (worldTimeOf(happened) > atMs || mentions(happened, sale.publicId)),
  )
  return next === -1 ? history.length : next
}

function mentions(happened: Recorded, id: string): boolean {
  if (happened.kind === 'sale') return happened.publicId === id
  const texts = happened.kind === 'call' ? [happened.target, happened.answer] : [happened.params, happened.body]
  return JSON.stringify(texts).includes(id)
}

function worldTimeOf(happened: Recorded): number {
  if (happened.kind === 'sale') return 0
  return happened.kind === 'call' ? happened.worldAtMs : happened.fromMs
}
