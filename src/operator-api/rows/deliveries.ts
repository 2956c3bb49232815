import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { SETTING_LIMITS } from '../../contract/limits.ts'
import { flag, integer, nullable, object, oneOf, optional, text } from '../../contract/schema.ts'
import { get, type Page, pageFlags, paging, partnerFilter, post, put, returns } from '../operation.ts'

export interface Delivery {
  delivery_id: string
  event_id: string
  type: EventType
  /** Id of the order or case that the event is about. */
  about: string
  /** Domain of that order or case; null for a case about none. */
  domain: string | null
  partner_id: string
  /** 0 for the first sending, more for duplicates. */
  copy: number
  state: 'pending' | 'delivered' | 'failed' | 'dropped'
  attempt_count: number
  /** What came of the last attempt, a redelivery or a probe as well; null before the first. */
  last_attempt: Pick<DeliveryAttempt, 'number' | 'at' | 'cause' | 'probe' | 'status' | 'failure'> | null
  next_attempt_at: string | null
  created_at: string
}

export interface DeliveryAttempt {
  number: number
  cause: 'schedule' | 'operator'
  at: string
  url: string
  signature: string
  signature_spoilt: boolean
  /** What the receiver was to refuse, if it was sent to see that; null for a real attempt. */
  probe: Probe['tampering'] | null
  status: number | null
  failure: string | null
  answer: string | null
  took_ms: number
}

export interface WholeDelivery extends Delivery {
  /** The exact text that is sent. */
  body: string
  /** The header sent with every attempt: that of the call that recorded the event; null if it had none. */
  traceparent: string | null
  attempts: DeliveryAttempt[]
}

/** What a receiver did with a delivery that was tampered with. */
export interface Probe {
  tampering: 'signature' | 'body' | 'secret'
  /** `accepted` is a forgery taken; `unclear` is anything but a 2xx and a 4xx. */
  verdict: 'refused' | 'accepted' | 'unclear'
  status: number | null
  failure: string | null
}

export interface ProbedDelivery extends WholeDelivery {
  probes: Probe[]
}

/** Where a partner has its events sent. */
export interface RegisteredEndpoint {
  partner_id: string
  url: string
  created_at: string
  updated_at: string
}

export interface DeliveryProfile {
  duplicate: number
  reorder: boolean
  delay: string | null
  drop: boolean
  wrong_secret: boolean
  before_response: boolean
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dropped'] as const
export const TAMPERINGS = ['signature', 'body', 'secret'] as const

export const deliveryRows = {
  'deliveries.list': get('/v1/worlds/{w}/deliveries', {
    summary:
      'The webhook deliveries to all partners, newest first: `deliveries`, each with its `last_attempt` and when the next is due; `next_cursor`.',
    query: object({
      state: optional(oneOf(DELIVERY_STATES)),
      ...partnerFilter,
      event_id: optional(text({ maxLength: 64 })),
      type: optional(oneOf(EVENT_TYPES)),
      q: optional(
        text({
          minLength: 1,
          maxLength: 256,
          description: 'Text in its id, or in what its event says: the order or case, the domain.',
        }),
      ),
      ...paging,
    }),
    returns: returns<Page<'deliveries', Delivery>>(),
    command: {
      usage: 'delivery list',
      summary: 'list the webhook deliveries to all partners, newest first',
      flags: {
        state: ['--state <state>', 'only in this state'],
        type: ['--type <type>', 'only events of this type'],
        event_id: ['--event <id>', 'only of this event'],
        partner_id: ['--partner <id>', 'only to this partner'],
        q: ['--search <text>', 'only with this text in the id, or in the order, case or domain', 'filled'],
        ...pageFlags,
      },
      shows: 'deliveries',
    },
  }),
  'deliveries.show': get('/v1/worlds/{w}/deliveries/{delivery_id}', {
    summary: 'One delivery with the exact `body` it sends and all its `attempts`.',
    returns: returns<WholeDelivery>(),
    command: {
      usage: 'delivery show <id>',
      summary: 'show one delivery: what is sent, and every attempt',
      shows: 'delivery',
    },
  }),
  'deliveries.redeliver': post('/v1/worlds/{w}/deliveries/{delivery_id}/redeliver', {
    summary: 'Makes one attempt at once and waits for it. The delivery with its `attempts`.',
    returns: returns<WholeDelivery>(),
    command: { usage: 'delivery redeliver <id>', summary: 'send it again now', shows: 'delivery' },
  }),
  'deliveries.probe': post('/v1/worlds/{w}/deliveries/{delivery_id}/probe', {
    summary:
      'Sends it with a fault, once for each kind of `tampering` (all kinds by default): the outcome of each in `probes`, and the delivery.',
    body: object({ tampering: optional(oneOf(TAMPERINGS)) }),
    returns: returns<ProbedDelivery>(),
  }),
}

export const webhookEndpointRows = {
  'webhookEndpoints.list': get('/v1/worlds/{w}/webhook-endpoints', {
    summary: 'Where each partner has its events sent, without the secrets: `webhook_endpoints`.',
    returns: returns<{ webhook_endpoints: RegisteredEndpoint[] }>(),
    command: {
      usage: 'delivery endpoints',
      summary: 'list the webhook address that each partner has registered',
      shows: {
        list: 'webhook_endpoints',
        none: 'no webhook is registered',
        columns: [
          ['PARTNER', 'partner_id'],
          ['URL', 'url'],
          ['REGISTERED', 'created_at'],
          ['CHANGED', 'updated_at'],
        ],
      },
    },
  }),
}

export const deliveryProfileRows = {
  'deliveryProfile.show': get('/v1/worlds/{w}/delivery-profile', {
    summary: 'How webhooks go wrong on purpose in this world.',
    returns: returns<DeliveryProfile>(),
  }),
  'deliveryProfile.set': put('/v1/worlds/{w}/delivery-profile', {
    summary: 'Sets all of it; what is left out is off. The profile as it is then.',
    body: object({
      duplicate: optional(integer({ minimum: 0, maximum: SETTING_LIMITS.deliveryCopies })),
      reorder: optional(flag()),
      delay: optional(nullable(text({ maxLength: 40 }))),
      drop: optional(flag()),
      wrong_secret: optional(flag()),
      before_response: optional(flag()),
    }),
    returns: returns<DeliveryProfile>(),
  }),
}
