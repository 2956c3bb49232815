import { presentEvent } from '../sandbox/events/present.ts'
import type { PartnerEvent } from '../sandbox/kernel/partner-event.ts'

/** An event in a list of all partners' events. */
export function presentListedEvent(event: PartnerEvent) {
  return { ...presentEvent(event), partner_id: event.partnerId }
}
