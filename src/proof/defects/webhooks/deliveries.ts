import { HEADERS } from '../../../contract/headers.ts'
import { signWebhook } from '../../../contract/signature.ts'
import type { Credential, World } from '../../../sandbox/kernel/world.ts'
import { orderFacts } from '../../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../../sandbox/sales/orders.ts'
import type { AttemptResult } from '../../../sandbox/webhooks/delivery.ts'
import { type Fields, without } from '../answers.ts'
import { type Defect, defect } from '../defect.ts'
import { type Attempt, delivering, envelopeOf, enveloping, envelopingRetries, sending } from './sending.ts'

/** Mistakes of what is sent to a webhook: its signature, its form, its envelope. */
export const deliveryDefects: readonly Defect[] = [
  signed('with-prefix', 'with v1= before it', ({ correct }) => `v1=${correct.signature}`),
  signed('in-upper-case', 'in upper-case hex', ({ correct }) => correct.signature.toUpperCase()),
  signed('with-api-secret', 'with the secret of the API credential', (attempt) =>
    signWebhook(credentialOf(attempt).secret, attempt.correct.body),
  ),
  signed('over-the-data', 'over the data alone', (attempt) =>
    signWebhook(attempt.secret, Buffer.from(JSON.stringify(envelopeOf(attempt)['data']))),
  ),
  defect('delivery-written-anew-after-signing', ['HOOK-02'], {
    summary: 'A delivery is signed as compact JSON and sent with white space.',
    ...delivering((attempt) => ({ body: Buffer.from(JSON.stringify(envelopeOf(attempt), null, 2)) })),
  }),
  defect('delivery-signature-in-another-header', ['HOOK-02'], {
    summary: 'The signature of a delivery comes in the header X-Webhook-Signature.',
    ...delivering(({ correct }) => ({
      headers: { [HEADERS.signature.toLowerCase()]: '', 'x-webhook-signature': correct.signature },
    })),
  }),
  defect('delivery-shows-the-api-secret', ['HOOK-02'], {
    summary: 'Deliveries contain the secret of the API credential, as they were logged for a support case.',
    ...enveloping((envelope, attempt) => ({ ...envelope, debug: { signing_key: credentialOf(attempt).secret } })),
  }),
  defect('delivery-is-put', ['HOOK-02'], {
    summary: 'Events are delivered by PUT.',
    ...delivering(() => ({ method: 'PUT' })),
  }),
  defect('delivery-without-the-query', ['HOOK-02'], {
    summary: 'Deliveries go to the registered url without its query.',
    ...delivering(({ correct }) => ({ url: correct.url.split('?')[0] ?? correct.url })),
  }),
  defect('delivery-is-sent-as-text', ['HOOK-02'], {
    summary: 'Deliveries are sent with the content type text/plain.',
    ...delivering(() => ({ headers: { 'content-type': 'text/plain' } })),
  }),
  silent('settlement', 'order.settled'),
  silent('refund', 'order.refunded'),
  silent('review', 'order.manual_review_cleared'),
  silent('deal', 'brokerage.case_completed'),
  silent('transfer', 'order.transfer_started', 'order.transfer_completed'),
  ...(['id', 'type', 'created_at', 'partner_id', 'data'] as const).map((field) =>
    defect(`delivery-without-${field.replace('_', '-')}`, ['HOOK-03'], {
      summary: `The envelope of a delivery has no ${field}.`,
      ...enveloping((envelope) => without(envelope, field)),
    }),
  ),
  shaped('delivery-id-is-a-number', 'The id in a delivery is a number.', (_, { delivery }) => ({
    id: String(delivery.eventSeq),
  })),
  shaped('delivery-time-without-zone', 'The created_at of a delivery names no zone.', ({ created_at: at }) => ({
    created_at: String(at).replace(/\.\d+Z$|Z$/, ''),
  })),
  shaped('delivery-names-the-credential', 'The partner_id of a delivery is a key id.', (_, attempt) => ({
    partner_id: credentialOf(attempt).keyId,
  })),
  shaped('delivery-is-flat', 'The order of a delivery is in data itself and not in data.order.', ({ data }) => ({
    data: (data as Fields)['order'] ?? data,
  })),
  shaped('delivery-without-price', 'The order in a delivery has no price.', ({ data }) => ({
    data: { order: without(((data as Fields)['order'] ?? {}) as Fields, 'sale_price_cents') },
  })),
  defect('delivery-is-wrapped', ['HOOK-03'], {
    summary: 'The envelope of a delivery is inside a member called event.',
    ...enveloping((envelope) => ({ event: envelope })),
  }),
  defect('delivery-has-an-id-of-its-own', ['HOOK-10'], {
    summary: 'The id in a delivery is that of the delivery and not that of the event.',
    ...enveloping((envelope, { delivery }) => ({ ...envelope, id: `evt_${delivery.deliveryId.replace(/\W/g, '')}` })),
  }),
  defect('delivery-has-a-new-id-each-time', ['HOOK-10'], {
    summary: 'An event that is delivered again has another id.',
    ...envelopingRetries((envelope, { delivery }) => ({
      ...envelope,
      id: `${String(envelope['id'])}${delivery.attempts}`,
    })),
  }),
  defect('delivery-is-dated-by-its-attempt', ['HOOK-10'], {
    summary: 'The created_at of a delivery is the time of the attempt.',
    ...enveloping((envelope, { world, delivery }) => ({
      ...envelope,
      created_at: new Date(world.clock.nowMs() + delivery.attempts + 1).toISOString(),
    })),
  }),
  defect('delivery-has-other-names-of-types', ['HOOK-10'], {
    summary: 'A type has another name in a delivery than in the history.',
    ...envelopingRetries((envelope) => ({ ...envelope, type: String(envelope['type']).toUpperCase() })),
  }),
  defect('delivery-shows-the-order-as-it-is-now', ['HOOK-10', 'HOOK-03'], {
    summary: 'An attempt looks the order up again instead of sending what happened.',
    ...enveloping((envelope, { world }) => ({ ...envelope, data: currentData(world, envelope['data'] as Fields) })),
  }),
  defect('delivery-repeats-without-data', ['HOOK-10'], {
    summary: 'An event that is delivered again comes without most of its data.',
    ...envelopingRetries((envelope) => ({ ...envelope, data: shortened(envelope['data'] as Fields) })),
  }),
]

function signed(form: string, words: string, signature: (attempt: Attempt) => string): Defect {
  return defect(`delivery-signed-${form}`, ['HOOK-02'], {
    summary: `Deliveries are signed ${words}.`,
    ...delivering((attempt) => ({ signature: signature(attempt) })),
  })
}

/** The answer of a receiver that accepts everything; for attempts that are not made at all. */
const TAKEN: AttemptResult = { status: 200, failure: null, answer: null, tookMs: 0 }

/** A server that never sends events of these types, and believes that it did. */
function silent(about: string, ...types: readonly string[]): Defect {
  return defect(`${about}-is-not-delivered`, ['HOOK-02'], {
    summary: `${types.join(' and ')} ${types.length > 1 ? 'are' : 'is'} never delivered.`.replace(/^./, (first) =>
      first.toUpperCase(),
    ),
    ...sending(({ delivery, correct }, send) =>
      types.includes(delivery.eventType) ? Promise.resolve(TAKEN) : send(correct),
    ),
  })
}

function shaped(id: string, summary: string, change: (envelope: Fields, attempt: Attempt) => Fields): Defect {
  const shape = enveloping((envelope, attempt) => ({ ...envelope, ...change(envelope, attempt) }))
  return defect(id, ['HOOK-03'], { summary, ...shape })
}

/** A credential of the partner that gets the event. */
function credentialOf({ world, delivery }: Attempt): Credential {
  return [...world.credentials.values()].find(({ partnerId }) => partnerId === delivery.partnerId) as Credential
}

function currentData(world: World, data: Fields): Fields {
  const reported = data['order'] as { public_id: string } | undefined
  const order = reported && findOrder(world, reported.public_id)
  return order ? { order: orderFacts(order) } : data
}

function shortened(data: Fields): Fields {
  const order = data['order'] as Fields | undefined
  return order ? { order: { public_id: order['public_id'] } } : data
}
