import { parseInstant } from '../../clock/instant.ts'
import { EVENT_TYPES, TRANSFER_EVENT_TYPES } from '../../contract/event-types.ts'
import { ID_PREFIXES } from '../../contract/ids.ts'
import { isObject } from '../../contract/is-object.ts'
import type { Envelope } from './courier.ts'

const idOf = (prefix: string) => ({ type: 'string', pattern: `^${prefix}.` }) as const

const ORDER = {
  type: 'object',
  required: ['public_id', 'domain', 'status', 'currency', 'sale_price_cents'],
  properties: {
    public_id: idOf(ID_PREFIXES.order),
    domain: { type: 'string', minLength: 1 },
    status: { type: 'string', minLength: 1 },
    currency: { type: 'string', minLength: 1 },
    sale_price_cents: { type: 'integer', minimum: 0 },
  },
} as const

const EVENT_LIST = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['type', 'data'],
    properties: {
      id: idOf(ID_PREFIXES.event),
      type: { enum: [...EVENT_TYPES, ...TRANSFER_EVENT_TYPES] },
      created_at: { type: 'string', description: 'An ISO 8601 instant.' },
      partner_id: idOf(ID_PREFIXES.partner),
      data: { type: 'object' },
    },
    if: { properties: { type: { pattern: '^order\\.' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { data: { required: ['order'], properties: { order: ORDER } } } },
  },
} as const

/** JSON Schema of a file of events, draft-07; scenarios/events.schema.json is this value written down for editors. */
export const OWN_EVENTS_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'events',
  description: 'Your own events, for "receiver --events": a list, or an answer of the event history.',
  anyOf: [EVENT_LIST, { type: 'object', required: ['events'], properties: { events: EVENT_LIST } }],
} as const

/**
 * Reads events that a partner wants to be used in place of made-up ones: a list, or `{"events": […]}` as the history gives it,
 * of objects with at least `type` and `data`. Each delivery gets a new envelope.
 *
 * @returns problems, each with its place, where it is not what the document says an event is.
 */
export function readOwnEvents(json: unknown): { events: Pick<Envelope, 'type' | 'data'>[]; problems: string[] } {
  const list = Array.isArray(json) ? json : isObject(json) && Array.isArray(json['events']) ? json['events'] : null
  if (list === null) return { events: [], problems: ['it must be a list of events, or an object with a list "events"'] }
  if (list.length === 0) return { events: [], problems: ['the list is empty'] }
  const problems = list.flatMap((one, at) => problemsOf(one).map((problem) => `event ${at + 1}: ${problem}`))
  return { events: problems.length > 0 ? [] : list.map(({ type, data }) => ({ type, data })), problems }
}

function problemsOf(event: unknown): string[] {
  if (!isObject(event)) return ['it must be an object']
  const { id, type, created_at, partner_id, data } = event
  const problems: string[] = []
  if (!KNOWN_TYPES.some((known) => known === type)) problems.push(`"type" must be one of ${KNOWN_TYPES.join(', ')}`)
  if (id !== undefined && !isId(id, ID_PREFIXES.event)) problems.push(`"id" must start with ${ID_PREFIXES.event}`)
  if (partner_id !== undefined && !isId(partner_id, ID_PREFIXES.partner))
    problems.push(`"partner_id" must start with ${ID_PREFIXES.partner}`)
  if (created_at !== undefined && (typeof created_at !== 'string' || parseInstant(created_at) === null))
    problems.push('"created_at" must be an ISO 8601 instant')
  if (!isObject(data)) return [...problems, '"data" must be an object']
  return String(type).startsWith('order.') ? [...problems, ...orderProblems(data['order'])] : problems
}

const KNOWN_TYPES: readonly string[] = [...EVENT_TYPES, ...TRANSFER_EVENT_TYPES]

/** The fields of an order in an event that the document shows. States may have other names, so any word is accepted. */
function orderProblems(order: unknown): string[] {
  if (!isObject(order)) return ['"data.order" must be an object']
  const problems: string[] = []
  if (!isId(order['public_id'], ID_PREFIXES.order))
    problems.push(`"data.order.public_id" must start with ${ID_PREFIXES.order}`)
  for (const name of ['domain', 'status', 'currency']) {
    if (typeof order[name] !== 'string' || order[name] === '') problems.push(`"data.order.${name}" must be a text`)
  }
  const cents = order['sale_price_cents']
  if (!Number.isSafeInteger(cents) || (cents as number) < 0)
    problems.push('"data.order.sale_price_cents" must be a whole number of cents')
  return problems
}

function isId(value: unknown, prefix: string): boolean {
  return typeof value === 'string' && value.startsWith(prefix) && value.length > prefix.length
}
