import type { PartnerEvent as WrittenEvent } from '../operator-api/rows/events.ts'
import { presentEvent } from '../sandbox/events/present.ts'
import type { PartnerEvent } from '../sandbox/kernel/partner-event.ts'

/** An event in a list of all partners' events. */
export function presentListedEvent(event: PartnerEvent) {
  // What `data` holds goes by `type`, which only the rules know that wrote it.
  return { ...presentEvent(event), partner_id: event.partnerId } as WrittenEvent
}
