import { openSession, payment, submit } from '../support/checkout.ts'
import type { TestCall, TestSandbox } from '../support/sandbox.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

type Look = Probe['look']

const step = (sandbox: TestSandbox, publicId: string, name: string) =>
  sandbox.operate('POST', `/v1/worlds/default/orders/${publicId}/${name}`, {})

const ask = (sandbox: TestSandbox, publicId: string, call: Partial<TestCall> = {}) =>
  sandbox.call({ path: '/refunds', body: { public_id: publicId }, ...call })

async function refundEvents(sandbox: TestSandbox) {
  const { json } = await sandbox.call({ path: '/events?limit=200' })
  return json.events.filter(({ type }: { type: string }) => type === 'order.refunded')
}

/** What a refund of this order is answered, where the order stands then, and how often that was told. */
async function refunded(sandbox: TestSandbox, publicId: string, call: Partial<TestCall> = {}) {
  const answer = await ask(sandbox, publicId, call)
  const { json } = await sandbox.call({ path: `/orders/${publicId}` })
  return [outcome(answer), json.status, (await refundEvents(sandbox)).length]
}

/** A refund of a partner-collected order after some steps. */
const after =
  (...steps: readonly string[]): Look =>
  async (sandbox) => {
    const { json } = await sandbox.sell()
    for (const name of steps) await step(sandbox, json.public_id, name)
    return refunded(sandbox, json.public_id)
  }

const afterSettlement: Look = async (sandbox) => {
  const { json } = await sandbox.sell()
  for (const name of ['start-transfer', 'complete-transfer']) await step(sandbox, json.public_id, name)
  await sandbox.operate('POST', '/v1/worlds/default/settlement-runs', {})
  return refunded(sandbox, json.public_id)
}

const ofHostedSale: Look = async (sandbox) => {
  const session = await openSession(sandbox)
  await submit(session.checkout_url, payment(session))
  const { json } = await sandbox.call({ path: `/orders?domain=${session.domain}` })
  return refunded(sandbox, json.orders[0].public_id)
}

const ofAnother: Look = async (sandbox) => {
  const { json } = await sandbox.sell()
  return outcome(await ask(sandbox, json.public_id, { as: 'other-partner' }))
}

const of =
  (body: unknown): Look =>
  async (sandbox) =>
    outcome(await sandbox.call({ path: '/refunds', body }))

const afterAnHour: Look = async (sandbox) => {
  const { json } = await sandbox.sell()
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '61m' })
  return refunded(sandbox, json.public_id)
}

/** The order that order.refunded tells of. */
async function toldOrder(sandbox: TestSandbox) {
  const { json } = await sandbox.sell()
  await ask(sandbox, json.public_id)
  return (await refundEvents(sandbox))[0].data.order
}

const toldFields: Look = async (sandbox) => Object.keys(await toldOrder(sandbox)).length
const toldStatus: Look = async (sandbox) => (await toldOrder(sandbox)).status

const SOUND = ['201', 'REFUNDED', 1]
const TOO_LATE = ['409 conflict', 'TRANSFER_COMPLETED', 0]
const DELIVERED = ['start-transfer', 'complete-transfer']
const HOSTED = ['409 conflict', 'TRANSFER_IN_PROGRESS', 0]

const probes: Probe[] = [
  { defect: 'refund-request-is-not-told', look: after(), sound: SOUND, broken: ['201', 'REFUNDED', 0] },
  { defect: 'refund-request-is-told-twice', look: after(), sound: SOUND, broken: ['201', 'REFUNDED', 2] },
  { defect: 'refund-request-leaves-the-state', look: after(), sound: SOUND, broken: ['201', 'EXTERNALLY_PAID', 1] },
  { defect: 'refund-request-is-only-noted', look: after(), sound: SOUND, broken: ['201', 'EXTERNALLY_PAID', 0] },
  {
    defect: 'refund-refused-before-the-transfer',
    look: after(),
    sound: SOUND,
    broken: ['409 conflict', 'EXTERNALLY_PAID', 0],
  },
  {
    defect: 'refund-refused-once-the-transfer-started',
    look: after('start-transfer'),
    sound: SOUND,
    broken: ['409 conflict', 'TRANSFER_IN_PROGRESS', 0],
  },
  {
    defect: 'refund-refused-while-held',
    look: after('hold'),
    sound: SOUND,
    broken: ['409 conflict', 'MANUAL_REVIEW', 0],
  },
  {
    defect: 'refund-refused-after-an-hour',
    look: afterAnHour,
    sound: SOUND,
    broken: ['409 conflict', 'EXTERNALLY_PAID', 0],
  },
  { defect: 'refund-told-with-its-former-status', look: toldStatus, sound: 'REFUNDED', broken: 'EXTERNALLY_PAID' },
  { defect: 'refund-told-without-its-order', look: toldFields, sound: 5, broken: 1 },
  { defect: 'refund-after-completion', look: after(...DELIVERED), sound: TOO_LATE, broken: SOUND },
  {
    defect: 'refund-after-settlement',
    look: afterSettlement,
    sound: ['409 conflict', 'SETTLED', 0],
    broken: SOUND,
  },
  {
    defect: 'refund-too-late-is-told',
    look: after(...DELIVERED),
    sound: TOO_LATE,
    broken: ['409 conflict', 'TRANSFER_COMPLETED', 1],
  },
  {
    defect: 'refund-too-late-changes-the-state',
    look: after(...DELIVERED),
    sound: TOO_LATE,
    broken: ['409 conflict', 'REFUNDED', 0],
  },
  {
    defect: 'refund-too-late-crashes',
    look: after(...DELIVERED),
    sound: TOO_LATE,
    broken: ['500 internal_error', 'TRANSFER_COMPLETED', 0],
  },
  { defect: 'refund-of-a-hosted-sale', look: ofHostedSale, sound: HOSTED, broken: SOUND },
  {
    defect: 'refund-of-a-hosted-sale-is-told',
    look: ofHostedSale,
    sound: HOSTED,
    broken: ['409 conflict', 'TRANSFER_IN_PROGRESS', 1],
  },
  {
    defect: 'refund-of-a-hosted-sale-changes-the-state',
    look: ofHostedSale,
    sound: HOSTED,
    broken: ['409 conflict', 'CANCELLED', 0],
  },
  { defect: 'refund-of-anothers-order', look: ofAnother, sound: '404 not_found', broken: '201' },
  { defect: 'refund-of-anothers-order-is-forbidden', look: ofAnother, sound: '404 not_found', broken: '403 forbidden' },
  {
    defect: 'refund-of-an-unknown-order-is-malformed',
    look: of({ public_id: 'ord_0' }),
    sound: '404 not_found',
    broken: '400 validation_error',
  },
  { defect: 'refund-without-an-order-is-accepted', look: of({}), sound: '400 validation_error', broken: '201' },
  { defect: 'refund-of-no-json-crashes', look: of('{'), sound: '400 validation_error', broken: '500 internal_error' },
]

showDefects(probes)
