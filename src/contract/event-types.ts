/** What the service tells a partner about (document: Event types). */
export const EVENT_TYPES = [
  'order.recorded',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'brokerage.case_completed',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
