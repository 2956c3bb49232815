import type { GapChoices } from './choices.ts'
import type { EndpointId } from './endpoints.ts'

/** What is left of a case, where an event says no more of it (BRK-06). */
export const BARE_CASE = ['case_id', 'status'] as const
/** What is left of the answer to a new checkout session, where it is the address only (CHK-04). */
export const BARE_SESSION = ['checkout_url'] as const

type ParingGaps = Pick<GapChoices, 'case-event' | 'checkout-answer'>

/** An answer of ours with no more in it than the open points leave there. */
export function paredAnswer(endpoint: EndpointId, body: unknown, gaps: ParingGaps): unknown {
  if (endpoint === 'checkout.create' && gaps['checkout-answer'] === 'address only') return only(body, BARE_SESSION)
  if (endpoint !== 'events.list' || gaps['case-event'] !== 'id and status') return body
  const { events, ...rest } = body as { events: readonly { data: unknown }[] }
  return { events: events.map((event) => ({ ...event, data: paredData(event.data, gaps) })), ...rest }
}

/**
 * The payload of an event with no more in it than the open points leave there.
 *
 * @example paredData({ case: { case_id: 'brk_1', status: 'DEAL_CLOSED', tier: 'managed' } }, gaps) // without the tier
 */
export function paredData(data: unknown, gaps: ParingGaps): unknown {
  const isOfCase = typeof data === 'object' && data !== null && 'case' in data
  return isOfCase && gaps['case-event'] === 'id and status' ? { case: only(data.case, BARE_CASE) } : data
}

function only(facts: unknown, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(facts as object).filter(([name]) => names.includes(name)))
}
