import type { PartnerEvent } from '../../../operator-api/rows/events.ts'

/** What an event is about, as it was then. */
interface Subject {
  readonly id: string
  /** The list in the console that has it. */
  readonly place: 'orders' | 'brokerage'
  readonly domain: string | null
  readonly status: string
}

export function subjectOf({ data }: Pick<PartnerEvent, 'data'>): Subject {
  if ('case' in data) {
    const { case_id: id, domain, status } = data.case
    return { id, place: 'brokerage', domain, status }
  }
  const { public_id: id, domain, status } = 'order' in data ? data.order : data.transfer
  return { id, place: 'orders', domain, status }
}
