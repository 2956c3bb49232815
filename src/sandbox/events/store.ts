import type { EventType } from '../../contract/event-types.ts'

import type { Db } from '../../storage/db.ts'
import { conditionsOf, storedRows } from '../../storage/rows.ts'
import type { PartnerEvent } from '../kernel/world.ts'

/** Which events: those after or before a position, oldest or newest first. */
export interface EventQuery {
  /** Left out or null for all partners. */
  partnerId?: string | null | undefined
  type?: EventType | undefined
  limit: number
}

/** A row as it is selected: its id is its number. */
export type EventRow = Omit<PartnerEvent, 'id'>

export const EVENTS = storedRows<EventRow>()('events', ['seq', 'partnerId', 'type', 'createdAtMs', 'data'])

export function eventBySeq(db: Db, seq: number): EventRow | null {
  return EVENTS.where(db, 'seq = ?').get(seq) ?? null
}

const fitting = conditionsOf<EventQuery & { afterSeq?: number; beforeSeq?: number }>(
  'seq > @afterSeq',
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'type = @type',
)

export function eventsAfter(db: Db, page: EventQuery & { afterSeq: number }): EventRow[] {
  return EVENTS.where(db, `${fitting(page)} ORDER BY seq LIMIT @limit`).all(page)
}

export function eventsBefore(db: Db, page: EventQuery & { beforeSeq: number }): EventRow[] {
  return EVENTS.where(db, `${fitting(page)} ORDER BY seq DESC LIMIT @limit`).all(page)
}
