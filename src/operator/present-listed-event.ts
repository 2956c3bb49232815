import type { PartnerEvent } from '../sandbox/events/events.ts'
import { presentEvent } from '../sandbox/events/present.ts'

/** An event in a list of all partners' events. */
export function presentListedEvent(event: PartnerEvent) {
  return { ...presentEvent(event), partner_id: event.partnerId }
}
