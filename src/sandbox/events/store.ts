import type { EventType } from '../../contract/event-types.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { PartnerEvent } from './events.ts'

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
export function eventsAfter(
  db: Db,
  page: { partnerId: string | null; type?: EventType | undefined; afterSeq: number; limit: number },
): PartnerEvent[] {
  const conditions = ['seq > @afterSeq']
  if (page.partnerId !== null) conditions.push('partner_id = @partnerId')
  if (page.type !== undefined) conditions.push('type = @type')
  const sql = `SELECT * FROM events WHERE ${conditions.join(' AND ')} ORDER BY seq LIMIT @limit`
  return (statement(db, sql).all(page) as EventRow[]).map(fromRow)
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
