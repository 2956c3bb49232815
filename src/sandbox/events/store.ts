import type { EventType } from '../../contract/event-types.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { PartnerEvent } from '../kernel/partner-event.ts'

export function insertEvent(db: Db, event: PartnerEvent): void {
  statement(db, 'INSERT INTO events (seq, id, partner_id, type, created_at, data) VALUES (?, ?, ?, ?, ?, ?)').run(
    event.seq,
    event.id,
    event.partnerId,
    event.type,
    event.createdAtMs,
    event.data,
  )
}

const SELECT_EVENT = 'SELECT seq, id, partner_id AS partnerId, type, created_at AS createdAtMs, data FROM events'

export function eventById(db: Db, id: string): PartnerEvent | null {
  return statement<PartnerEvent>(db, `${SELECT_EVENT} WHERE id = ?`).get(id) ?? null
}

/** @param page.partnerId null for all partners. */
export function eventsAfter(db: Db, page: EventFilter & { afterSeq: number; limit: number }): PartnerEvent[] {
  const sql = `${SELECT_EVENT} WHERE ${whereOf(page, 'seq > @afterSeq')} ORDER BY seq LIMIT @limit`
  return statement<PartnerEvent>(db, sql).all(page)
}

/** The same from the end of the history backwards. */
export function eventsBefore(db: Db, page: EventFilter & { beforeSeq: number; limit: number }): PartnerEvent[] {
  const sql = `${SELECT_EVENT} WHERE ${whereOf(page, 'seq < @beforeSeq')} ORDER BY seq DESC LIMIT @limit`
  return statement<PartnerEvent>(db, sql).all(page)
}

interface EventFilter {
  partnerId: string | null
  type?: EventType | undefined
}

function whereOf({ partnerId, type }: EventFilter, place: string): string {
  const conditions = [place]
  if (partnerId !== null) conditions.push('partner_id = @partnerId')
  if (type !== undefined) conditions.push('type = @type')
  return conditions.join(' AND ')
}
