import type { GapChoices } from '../../contract/choices.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { HEADERS } from '../../contract/headers.ts'
import { ORDER_STEPS } from '../../contract/order-states.ts'
import { paredData } from '../../contract/pared-facts.ts'
import { inStates, stateNames } from '../../contract/wire-names.ts'
import type { Components } from './components.ts'
import type { Json } from './standard-schema.ts'

const MEANINGS: Readonly<Record<EventType, string>> = {
  'order.recorded': 'A sale that the partner collected was recorded.',
  'order.manual_review_cleared': 'An order that was held for review continues.',
  'order.transfer_started': 'The transfer of the domain to the registrar of the partner has started.',
  'order.transfer_completed': 'The transfer of the domain is complete.',
  'order.settled': 'The settlement period of the order was closed.',
  'order.refunded': 'The sale was refunded.',
  'brokerage.case_completed': 'A brokerage case ended in a deal.',
}

const DELIVERY = `Signed by ${HEADERS.signature}: the HMAC-SHA256, in lower-case hex and without any prefix, of the body's bytes under the secret that was registered with the endpoint. Compare in constant time. Answer within 5 seconds, before you do any work. The same event may come more than once: its \`id\` shows that. Missed events are in the event history.`

/** The named shape of an event in the history; as it is delivered, `Delivery` follows. */
function shapeOf(type: EventType): string {
  return type.startsWith('order.') ? 'OrderEvent' : 'CaseEvent'
}

/**
 * What a delivery carries: the event of the history, and whose it is. Both describe the same event, so one is made from
 * the other (HOOK-03, HOOK-10).
 */
export function deliverySchemas({ schemas }: Components): Record<string, Json> {
  const shapes = [...new Set(EVENT_TYPES.map(shapeOf))]
  return Object.fromEntries(shapes.map((name) => [`${name}Delivery`, delivered(schemas[name] as Json)]))
}

function delivered(event: Json): Json {
  const { id, type, created_at, ...rest } = event['properties'] as Json
  const owner = { type: 'string', pattern: '^ptr_[0-9a-z]+$', description: 'Whose event it is.' }
  return {
    ...event,
    description: `${event['description']} As it is delivered.`,
    properties: { id, type, created_at, partner_id: owner, ...rest },
    required: [...(event['required'] as string[]), 'partner_id'],
  }
}

export function webhooks(gaps: GapChoices): Json {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: delivery(type, gaps) }]))
}

function delivery(type: EventType, gaps: GapChoices): Json {
  return {
    operationId: `deliver.${type}`,
    summary: MEANINGS[type],
    description: DELIVERY,
    tags: ['Webhooks'],
    security: [],
    'x-requirements': ['HOOK-02', 'HOOK-03', 'HOOK-04', 'HOOK-05', 'HOOK-10'],
    parameters: [{ $ref: '#/components/parameters/DeliverySignature' }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaOf(type), example: deliveryExampleOf(type, gaps) } },
    },
    responses: {
      '200': {
        description:
          'Received; any other 2xx counts as well. After any other answer, or none within 5 seconds, the delivery is retried later.',
      },
    },
  }
}

function schemaOf(type: EventType): Json {
  const narrowed = { type: 'object', properties: { type: { type: 'string', const: type } }, required: ['type'] }
  return { allOf: [{ $ref: `#/components/schemas/${shapeOf(type)}Delivery` }, narrowed] }
}

function deliveryExampleOf(type: EventType, gaps: GapChoices): unknown {
  const { data, ...envelope } = deliveryExample(type)
  return inStates({ ...envelope, data: paredData(data, gaps) }, stateNames(gaps))
}

export function deliveryExample(type: EventType) {
  const [{ id, created_at, data }] = ENDPOINTS['events.list'].example.answer.events
  const envelope = { id, type, created_at, partner_id: 'ptr_6d0r4h8y2m9k3w7t' }
  if (type === 'brokerage.case_completed') return { ...envelope, data: { case: CASE_FACTS } }
  const step = Object.values(ORDER_STEPS).find(({ event }) => event === type)
  return { ...envelope, data: { order: { ...data.order, status: step?.to ?? data.order.status } } }
}

const { case_id, domain, tier, currency } = ENDPOINTS['brokerage.detail'].example.answer
const CASE_FACTS = {
  case_id,
  domain,
  tier,
  status: 'DEAL_CLOSED',
  deal_price_cents: 420_000,
  partner_cut_cents: 42_000,
  currency,
}
