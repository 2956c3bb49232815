import { formatInstant } from '../../clock/instant.ts'
import type { PartnerEvent } from '../kernel/world.ts'

/** An event as the history endpoint shows it (document: Event envelope). */
export function presentEvent(event: PartnerEvent) {
  return {
    id: event.id,
    type: event.type,
    created_at: formatInstant(event.createdAtMs),
    data: JSON.parse(event.data) as unknown,
  }
}
