import type { EventType, TransferEventType } from '../../contract/event-types.ts'

/** Something a partner is told about, as the history keeps it. */
export interface PartnerEvent {
  seq: number
  id: string
  partnerId: string
  type: EventType | TransferEventType
  createdAtMs: number
  /** The payload as JSON text, so that every delivery and every reading gives the same bytes (HOOK-10). */
  data: string
}
