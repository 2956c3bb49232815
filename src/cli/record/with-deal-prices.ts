import type { Recorded } from './history.ts'
import type { RecordedEvent } from './recorded-event.ts'

const CLOSE_DEAL = 'POST /brokerage/{case_id}/close-deal'

/** An operator may close a deal without naming a price; a scenario has to name the one that it came to. */
export function withDealPrices(history: readonly Recorded[], events: readonly RecordedEvent[]): Recorded[] {
  return history.map((happened) => {
    if (happened.kind !== 'act' || happened.operation !== CLOSE_DEAL || 'price_cents' in happened.body) return happened
    const closed = events.find(
      ({ subject, dealPriceCents }) => subject === happened.params['case_id'] && dealPriceCents !== null,
    )
    return closed ? { ...happened, body: { ...happened.body, price_cents: closed.dealPriceCents } } : happened
  })
}
