import { randomBytes } from 'node:crypto'
import { formatInstant } from '../../clock/instant.ts'
import type { WallClock } from '../../clock/wall-clock.ts'
import type { EventType } from '../../contract/event-types.ts'
import { ID_PREFIXES, type IdKind } from '../../contract/ids.ts'
import { ORDER_STEPS } from '../../contract/order-states.ts'
import type { CreatedThing } from '../result/result.ts'

/** An event as it goes over the wire (document: Event envelope). */
export interface Envelope {
  id: string
  type: string
  created_at: string
  partner_id: string
  data: Record<string, unknown>
}

/** What an event is to have that others have not. */
export interface EventChange {
  /** The age in milliseconds; negative for the future. */
  ageMs?: number
  partner?: 'unknown'
  /** An order of earlier events. */
  publicId?: string
  /** What an invented order has beside the usual. */
  order?: Record<string, unknown>
  /** A text in the payload of a case: the document does not show it, so a receiver has no good reason to refuse it. */
  note?: string
  data?: Record<string, unknown>
}

/** Makes events that the receiver has not seen before: if it remembers ids, it would otherwise hide what it does with them. */
export type EventMaker = (type: string, change?: EventChange) => Envelope

/** Payloads of the partner's own, by event type; they stand in for made-up ones of which nothing is asked. */
type OwnPayloads = ReadonlyMap<string, Record<string, unknown>>

/**
 * @param own what `--events` gave; empty for made-up payloads alone.
 * @example createEventMaker(wallClock, new Map())('order.recorded').data // { order: { public_id: 'ord_…', … } }
 */
export function createEventMaker(wall: WallClock, own: OwnPayloads): EventMaker {
  const partnerId = opaqueId('partner')
  return (type, change = {}) => {
    const { ageMs = 0, partner, publicId, order, note } = change
    const isPlain = publicId === undefined && order === undefined && note === undefined
    return {
      id: opaqueId('event'),
      type,
      created_at: formatInstant(wall.nowMs() - ageMs),
      partner_id: partner === 'unknown' ? opaqueId('partner') : partnerId,
      data: change.data ?? (isPlain ? own.get(type) : undefined) ?? madeUp(type, change),
    }
  }
}

/** The JSON text of an event just as the service writes it: this order of members, no blanks. */
export function bodyTextOf({ id, type, created_at, partner_id, data }: Envelope): string {
  return JSON.stringify({ id, type, created_at, partner_id, data })
}

/** What a receiver that took this event may have written down. */
export function toldOf({ data }: Envelope): CreatedThing[] {
  const order = memberOf(data['order'], 'public_id')
  const brokerageCase = memberOf(data['case'], 'case_id')
  return [
    ...(order === null ? [] : [{ kind: 'order' as const, id: order }]),
    ...(brokerageCase === null ? [] : [{ kind: 'case' as const, id: brokerageCase }]),
  ]
}

function memberOf(value: unknown, name: string): string | null {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return typeof member === 'string' ? member : null
}

const CENTS = 125_000
const CUT_CENTS = 25_000

function madeUp(type: string, { publicId, order, note }: EventChange): Record<string, unknown> {
  if (type.startsWith('brokerage.')) return { case: { ...caseFacts(), ...(note !== undefined && { note }) } }
  return { order: { ...orderFacts(type, publicId ?? opaqueId('order')), ...order } }
}

/** What an order event says; a name under .test has no owner. */
function orderFacts(type: string, publicId: string): Record<string, unknown> {
  return {
    public_id: publicId,
    domain: `${publicId.slice(-8)}.test`,
    status: statusOf(type),
    sale_price_cents: CENTS,
    currency: 'USD',
  }
}

/** What an event says of a case; the document shows none, so this is as our sandbox has it. */
function caseFacts(): Record<string, unknown> {
  const id = opaqueId('brokerageCase')
  return {
    case_id: id,
    domain: `${id.slice(-8)}.test`,
    tier: 'managed',
    status: 'DEAL_CLOSED',
    deal_price_cents: CENTS,
    partner_cut_cents: CUT_CENTS,
    currency: 'USD',
  }
}

/** The state that an order is in when such an event is sent; of an unknown type that of a new order. */
function statusOf(type: string): string {
  return Object.values(ORDER_STEPS).find(({ event }) => event === (type as EventType))?.to ?? 'EXTERNALLY_PAID'
}

const OPAQUE_BYTES = 10

/** An id of any kind, opaque after the document's prefix. */
export function opaqueId(kind: IdKind): string {
  return ID_PREFIXES[kind] + randomBytes(OPAQUE_BYTES).toString('hex')
}
