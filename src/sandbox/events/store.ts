import type { EventType } from '../../contract/event-types.ts'

import type { Db } from '../../storage/database.ts'
import { conditionsOf, StoredRows } from '../../storage/rows.ts'
import type { PartnerEvent } from '../kernel/partner-event.ts'

/** Which events: those after or before a position, oldest or newest first. */
export interface EventFilter {
  /** Left out or null for all partners. */
  partnerId?: string | null | undefined
  type?: EventType | undefined
  limit: number
}

export const EVENTS = new StoredRows<PartnerEvent>('events', 'seq id partnerId type createdAtMs data')

export function eventById(db: Db, id: string): PartnerEvent | null {
  return EVENTS.where(db, 'id = ?').get(id) ?? null
}

const fitting = conditionsOf<EventFilter & { afterSeq?: number; beforeSeq?: number }>(
  'seq > @afterSeq',
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'type = @type',
)

export function eventsAfter(db: Db, page: EventFilter & { afterSeq: number }): PartnerEvent[] {
  return EVENTS.where(db, `${fitting(page)} ORDER BY seq LIMIT @limit`).all(page)
}

export function eventsBefore(db: Db, page: EventFilter & { beforeSeq: number }): PartnerEvent[] {
  return EVENTS.where(db, `${fitting(page)} ORDER BY seq DESC LIMIT @limit`).all(page)
}
