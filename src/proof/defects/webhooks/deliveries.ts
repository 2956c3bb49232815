import { createHmac } from 'node:crypto'
import type { Credential } from '../../../sandbox/kernel/world.ts'
import { type Fields, later } from '../answers.ts'
import { type Defect, defect } from '../defect.ts'
import { partnersOf } from '../routes.ts'
import { type Attempt, delivering, enveloping, envelopingRetries } from './sending.ts'

/** Mistakes of what is sent to a webhook: its signature, its form, its envelope. */
export const deliveryDefects: readonly Defect[] = [
  signed('with-prefix', 'with v1= before it', ({ correct }) => `v1=${correct.signature}`),
  defect('delivery-without-the-query', ['HOOK-02'], {
    summary: 'Deliveries go to the registered url without its query.',
    ...delivering(({ correct }) => ({ url: correct.url.split('?')[0] ?? correct.url })),
  }),
  shaped('delivery-names-the-credential', 'The partner_id of a delivery is a key id.', (_, attempt) => ({
    partner_id: credentialOf(attempt).keyId,
  })),
  shaped(
    'delivery-names-the-event-as-partner',
    'The partner_id of a delivery is made of the id of its event.',
    ({ id }) => ({
      partner_id: `ptr_${String(id).slice(4)}`,
    }),
  ),
  defect('delivery-has-an-id-of-its-own', ['HOOK-10'], {
    summary: 'The id in a delivery is that of the delivery and not that of the event.',
    ...enveloping((envelope, { delivery }) => ({ ...envelope, id: `evt_${delivery.deliveryId.replace(/\W/g, '')}` })),
  }),
  defect('delivery-has-other-names-of-types', ['HOOK-10'], {
    summary: 'A type has another name in a delivery than in the history.',
    ...envelopingRetries((envelope) => ({ ...envelope, type: String(envelope['type']).toUpperCase() })),
  }),
  defect('delivery-tried-again-has-its-data-as-text', ['HOOK-10', 'HOOK-03'], {
    summary: 'The data of a delivery that is tried again is JSON in a text.',
    ...envelopingRetries((envelope) => ({ ...envelope, data: JSON.stringify(envelope['data']) })),
  }),
  defect('delivery-of-a-completion-has-a-time-of-its-own', ['HOOK-10'], {
    summary: 'A delivery of order.transfer_completed has another time than its event in the history.',
    ...enveloping((envelope) =>
      envelope['type'] === 'order.transfer_completed'
        ? { ...envelope, created_at: later(envelope['created_at'], 5_000) }
        : envelope,
    ),
  }),
  signed('with-the-secret-as-latin-1', 'with the secret as Latin-1', ({ correct, secret }) =>
    createHmac('sha256', Buffer.from(secret, 'latin1')).update(correct.body).digest('hex'),
  ),
  shaped(
    'delivery-names-the-first-partner',
    'The partner_id of every delivery is that of one partner.',
    (_, { world }) => ({
      partner_id: partnersOf(world)[0]?.partnerId,
    }),
  ),
]

function signed(form: string, words: string, signature: (attempt: Attempt) => string): Defect {
  return defect(`delivery-signed-${form}`, ['HOOK-02'], {
    summary: `Deliveries are signed ${words}.`,
    ...delivering((attempt) => ({ signature: signature(attempt) })),
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
