import type { EventType } from '../../contract/event-types.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { PartnerEvent } from '../kernel/partner-event.ts'

interface EventRow {
  seq: number
  id: string
  partner_id: string
  type: PartnerEvent['type']
  created_at: number
  data: string
}

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

export function eventById(db: Db, id: string): PartnerEvent | null {
  const row = statement(db, 'SELECT * FROM events WHERE id = ?').get(id) as EventRow | undefined
  return row ? fromRow(row) : null
}

/** @param page.partnerId null for all partners. */
export function eventsAfter(db: Db, page: EventFilter & { afterSeq: number; limit: number }): PartnerEvent[] {
  const sql = `SELECT * FROM events WHERE ${whereOf(page, 'seq > @afterSeq')} ORDER BY seq LIMIT @limit`
  return (statement(db, sql).all(page) as EventRow[]).map(fromRow)
}

/** The same from the end of the history backwards. */
export function eventsBefore(db: Db, page: EventFilter & { beforeSeq: number; limit: number }): PartnerEvent[] {
  const sql = `SELECT * FROM events WHERE ${whereOf(page, 'seq < @beforeSeq')} ORDER BY seq DESC LIMIT @limit`
  return (statement(db, sql).all(page) as EventRow[]).map(fromRow)
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

function fromRow(row: EventRow): PartnerEvent {
  return {
    seq: row.seq,
    id: row.id,
    partnerId: row.partner_id,
    type: row.type,
    createdAtMs: row.created_at,
    data: row.data,
  }
}
