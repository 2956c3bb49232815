/** What the service notifies a partner of (document: Event types). */
export const EVENT_TYPES = [
  'order.recorded',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'brokerage.case_completed',
] as const

/**
 * What the history alone may hold besides, if the open point `transfer-events` says so. The document
 * speaks of a transfer.* family in the history and shows neither its types nor its payload.
 */
export const TRANSFER_EVENT_TYPES = ['transfer.started', 'transfer.completed'] as const

export function isEventType(type: string): type is EventType {
  return (EVENT_TYPES as readonly string[]).includes(type)
}

/** Whether the document shows what an event of this type holds: the family transfer.* it only names. */
export function isShownEventType(type: string): boolean {
  return !type.startsWith('transfer.')
}

export type TransferEventType = (typeof TRANSFER_EVENT_TYPES)[number]

export type EventType = (typeof EVENT_TYPES)[number]
