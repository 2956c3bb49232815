import { allRows } from '../operator/all-rows.ts'
import type { OperatorContext } from '../operator/operator-command.ts'
import { isRecord } from '../output/records.ts'
import type { SoldSession } from './hosted-sales.ts'

/** An event of the world, as far as a recording needs it. */
export interface RecordedEvent {
  id: string
  type: string
  /** World time in milliseconds. */
  atMs: number
  /** The id of the order or the case it tells of. */
  subject: string | null
  /** What a deal was closed at; null for all other events. */
  dealPriceCents: number | null
}

/** Oldest first. */
export async function readEvents(context: OperatorContext): Promise<RecordedEvent[]> {
  const rows = await allRows(context, 'events.list', 'events', { limit: 200 })
  return rows.map((row) => ({
    id: String(row['id']),
    type: String(row['type']),
    atMs: Date.parse(String(row['created_at'])),
    subject: subjectOf(row['data']),
    dealPriceCents: dealPriceOf(row['data']),
  }))
}

/** Sessions that have sold something. */
export async function readSoldSessions(context: OperatorContext): Promise<SoldSession[]> {
  const rows = await allRows(context, 'checkout.list', 'checkout_sessions', { status: 'paid', limit: 100 })
  return rows.map((row) => ({
    sessionId: String(row['session_id']),
    publicId: String(row['public_id']),
    domain: String(row['domain']),
  }))
}

/** Ids of the events that a receiver has taken as soon as they were sent by themselves. */
export async function readDeliveredEvents(context: OperatorContext): Promise<Set<string>> {
  const rows = await allRows(context, 'deliveries.list', 'deliveries', { limit: 100, state: 'delivered' })
  return new Set(rows.map((row) => String(row['event_id'])))
}

function dealPriceOf(data: unknown): number | null {
  const brokered = isRecord(data) ? data['case'] : undefined
  const price = isRecord(brokered) ? brokered['deal_price_cents'] : undefined
  return typeof price === 'number' ? price : null
}

function subjectOf(data: unknown): string | null {
  const { order, case: brokered } = (isRecord(data) ? data : {}) as { order?: unknown; case?: unknown }
  if (isRecord(order) && typeof order['public_id'] === 'string') return order['public_id']
  return isRecord(brokered) && typeof brokered['case_id'] === 'string' ? brokered['case_id'] : null
}
