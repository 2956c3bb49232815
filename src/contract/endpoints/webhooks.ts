import { answerShape, bodyShape, type Endpoint, get, makes, type Shape, WRITE } from './endpoint.ts'
import { AT, ORDER_EVENT } from './example-values.ts'
import { ORDER_FIELDS, OUR_ORDER_STATES } from './sales.ts'

/** The path without a version segment (document: Versioning, 3). */
export const WEBHOOKS_PATH = '/api/partner/webhooks'

const EVENT_FIELDS = ['id', 'type', 'created_at', 'data']

/** A shape within one of the alternatives of an event. */
function eventShape(description: string, documented: readonly string[], ...at: string[]) {
  return answerShape('events.list', description, documented, 'events', '[]', ...at)
}

/** The endpoints under the heading "Webhooks", in the order of the document. */
export const WEBHOOKS = {
  'webhooks.put': {
    method: 'PUT',
    path: WEBHOOKS_PATH,
    ...WRITE,
    scopes: ['webhook'],
    section: 'Webhooks',
    summary: 'Register or replace the webhook endpoint',
    description:
      'Deliveries are signed with the secret given here; no answer ever shows it. What is still due to an endpoint goes to the one that replaces it.',
    requirements: ['HOOK-01', 'HOOK-06', 'HOOK-08', 'SCOPE-07'],
    refusals: [{ gap: 'webhook-url-refusal' }],
    example: {
      body: { url: 'http://127.0.0.1:8080/hooks', secret: 'a-secret-of-your-own' },
      answer: { url: 'http://127.0.0.1:8080/hooks', active: true, created_at: AT },
    },
    hint: { words: `PUT ${WEBHOOKS_PATH} with the url of the receiver and a secret`, see: 'delivery endpoints' },
    creates: makes('webhook', 'webhook.url', 'url'),
    bodies: ['webhook'],
    subject: null,
  },
  'events.list': {
    ...get('/events', ['webhook'], 'Webhooks'),
    summary: 'Read the event history',
    description:
      'Oldest first. Go on with `after_id` set to the `next_cursor` of the page before. Holds every event, delivered or not.',
    requirements: ['EVT-01', 'EVT-02', 'EVT-03', 'EVT-04', 'HOOK-10', 'SCOPE-07'],
    refusals: [{ gap: 'unknown-after-id' }],
    documentedQuery: ['after_id', 'limit'],
    example: { answer: { events: [ORDER_EVENT], next_cursor: null } },
    list: { items: 'events.items', next: 'events.next' },
    subject: null,
    openRoles: null,
  },
} as const satisfies Record<string, Endpoint>

export const WEBHOOKS_SHAPES = {
  WebhookRequest: bodyShape('webhooks.put', 'Where events go, and what signs them.', ['url', 'secret']),
  Webhook: answerShape('webhooks.put', 'The registered endpoint.', ['url', 'active', 'created_at']),
  OrderFacts: {
    ...eventShape('What an event says about an order.', ORDER_FIELDS, '0', 'data', 'order'),
    ourStates: OUR_ORDER_STATES,
  },
  CaseFacts: eventShape('What an event says about a brokerage case.', [], '1', 'data', 'case'),
  TransferFacts: eventShape('What an event says about a transfer.', [], '2', 'data', 'transfer'),
  OrderEvent: eventShape('Something that happened to an order.', EVENT_FIELDS, '0'),
  CaseEvent: eventShape('A brokerage case that ended in a deal.', EVENT_FIELDS, '1'),
  TransferEvent: eventShape(
    'A transfer that started or ended; only where the open point `transfer-events` says so, and in the history alone.',
    EVENT_FIELDS,
    '2',
  ),
  EventList: answerShape('events.list', 'A page of the history, oldest first.', ['events', 'next_cursor']),
} as const satisfies Record<string, Shape>
