import type { EventType, TransferEventType } from '../../contract/event-types.ts'

/** An event for a partner, as the history keeps it. */
export interface PartnerEvent {
  seq: number
  /** Written from its row number (see Chance.id). */
  id: string
  partnerId: string
  type: EventType | TransferEventType
  createdAtMs: number
  /** The payload as JSON text, so that every delivery and every reading gives the same bytes (HOOK-10). */
  data: string
}
