import { expect } from 'vitest'
import { createSession, openSession, payment, RETURN_URL, submit } from '../../../support/checkout.ts'
import { observed } from '../../../support/gap-values.ts'
import { audited, payOut, sellHosted, step } from '../../../support/sales.ts'
import type { TestSandbox } from '../../../support/sandbox.ts'

/** The same with the books checked at the end of each. */
const observedInBalance: typeof observed = (id, expected, observe, options) =>
  observed(
    id,
    expected,
    async (sandbox) => {
      const seen = await observe(sandbox)
      expect((await audited(sandbox)).differences).toEqual([])
      return seen
    },
    options,
  )

/** The status of an operator's step that may be refused. */
const stepStatus = async (sandbox: TestSandbox, publicId: string, name: string) =>
  (await sandbox.operate('POST', `/v1/worlds/default/orders/${publicId}/${name}`, {})).status

const stepsOf = async (sandbox: TestSandbox, publicId: string) =>
  (await sandbox.operate('GET', `/v1/worlds/default/orders/${publicId}`)).json.steps

async function orderIn(sandbox: TestSandbox, ...steps: string[]): Promise<string> {
  const { json } = await sandbox.sell()
  if (steps.length > 0) expect((await step(sandbox, json.public_id, ...steps)).status).toBe(200)
  return json.public_id
}

const refund = (sandbox: TestSandbox, publicId: string) =>
  sandbox.call({ path: '/refunds', body: { public_id: publicId } })

const brokered = (sandbox: TestSandbox, domain: string) =>
  sandbox.call({ path: '/brokerage', body: { tier: 'managed', buyer_email: 'b@example.test', budget: 9_000, domain } })

const typesOf = async (sandbox: TestSandbox) =>
  (await sandbox.call({ path: '/events' })).json.events.map(({ type }: { type: string }) => type)

observedInBalance(
  'hold-from',
  { EXTERNALLY_PAID: 409, 'EXTERNALLY_PAID or TRANSFER_IN_PROGRESS': 200 },
  async (sandbox) => {
    const publicId = await orderIn(sandbox, 'start-transfer')
    const status = await stepStatus(sandbox, publicId, 'hold')
    expect(await stepsOf(sandbox, publicId)).toContain(status === 200 ? 'clear' : 'complete-transfer')
    return status
  },
)

observedInBalance(
  'cleared-order',
  {
    'waits for its transfer': ['EXTERNALLY_PAID', ['order.recorded', 'order.manual_review_cleared']],
    'starts its transfer': [
      'TRANSFER_IN_PROGRESS',
      ['order.recorded', 'order.manual_review_cleared', 'order.transfer_started'],
    ],
  },
  async (sandbox) => {
    const publicId = await orderIn(sandbox, 'hold', 'clear')
    return [(await sandbox.call({ path: `/orders/${publicId}` })).json.status, await typesOf(sandbox)]
  },
)

observedInBalance('cancel-from', { 'before delivery': 200, 'before the transfer': 409 }, async (sandbox) => {
  expect(await stepsOf(sandbox, await orderIn(sandbox))).toContain('cancel')
  return stepStatus(sandbox, await orderIn(sandbox, 'start-transfer'), 'cancel')
})

observedInBalance('undone-late', { yes: 200, no: 409 }, async (sandbox) => {
  const publicId = await orderIn(sandbox, 'start-transfer', 'complete-transfer')
  return stepStatus(sandbox, publicId, 'refund')
})

observedInBalance(
  'hosted-order-state',
  {
    TRANSFER_IN_PROGRESS: ['TRANSFER_IN_PROGRESS', ['order.transfer_started']],
    EXTERNALLY_PAID: ['EXTERNALLY_PAID', ['order.recorded']],
  },
  async (sandbox) => {
    await sellHosted(sandbox)
    return [(await sandbox.call({ path: '/orders' })).json.orders[0].status, await typesOf(sandbox)]
  },
)

observedInBalance(
  'refund-refusal',
  { conflict: [409, 'conflict'], validation_error: [400, 'validation_error'] },
  async (sandbox) => {
    const delivered = await refund(sandbox, await orderIn(sandbox, 'start-transfer', 'complete-transfer'))
    await sellHosted(sandbox)
    const hosted = await refund(sandbox, (await sandbox.call({ path: '/orders' })).json.orders[0].public_id)
    expect([hosted.status, hosted.json.code]).toEqual([delivered.status, delivered.json.code])
    return [delivered.status, delivered.json.code]
  },
)

observedInBalance(
  'second-refund',
  { refused: [409, false], 'the first answer again': [201, true] },
  async (sandbox) => {
    const publicId = await orderIn(sandbox)
    const first = await refund(sandbox, publicId)
    const second = await refund(sandbox, publicId)
    expect((await typesOf(sandbox)).filter((type: string) => type === 'order.refunded')).toHaveLength(1)
    return [second.status, second.text === first.text]
  },
)

observedInBalance('refunded-domain', { 'listed again': true, withdrawn: false }, async (sandbox) => {
  const { domain, public_id: publicId } = (await sandbox.sell()).json
  await refund(sandbox, publicId)
  return (await sandbox.call({ path: `/availability?domain=${domain}` })).json.available
})

observedInBalance(
  'checkout-answer',
  {
    'session, address, expiry and offer': ['checkout_url', 'expires_at', 'session_id'],
    'address only': ['checkout_url'],
  },
  async (sandbox) => {
    const { json } = await createSession(sandbox)
    return ['checkout_url', 'expires_at', 'session_id'].filter((name) => name in json)
  },
)

observedInBalance(
  'return-parameters',
  {
    session_id: 'cart=7&note=a%20b&session_id=ID',
    'session_id and status': 'cart=7&note=a%20b&session_id=ID&status=paid',
    nothing: 'cart=7&note=a%20b',
  },
  async (sandbox) => {
    const session = await openSession(sandbox)
    const { location } = await submit(session.checkout_url, payment(session))
    const { origin, search, hash } = new URL(location as string)
    expect([origin, hash]).toEqual([new URL(RETURN_URL).origin, '#top'])
    return search.slice(1).replace(session.session_id, 'ID')
  },
)

observedInBalance(
  'ineligible-case',
  { conflict: [409, 'conflict'], validation_error: [400, 'validation_error'] },
  async (sandbox) => {
    const { status, json } = await brokered(sandbox, 'in-a-case-1.test')
    return [status, json.code]
  },
)

observedInBalance('live-site-case', { refused: [409, false], opened: [201, false] }, async (sandbox) => {
  const { status } = await brokered(sandbox, 'live-site-1.test')
  expect((await brokered(sandbox, 'in-a-case-1.test')).status).toBe(409)
  const { json } = await sandbox.call({ path: '/brokerage/eligibility?domain=live-site-1.test' })
  return [status, json.eligible]
})

observedInBalance(
  'case-states',
  {
    'OPEN, NEGOTIATING, DEAL_CLOSED, CLOSED_NO_DEAL': ['OPEN', 'DEAL_CLOSED', 'DEAL_CLOSED', 'DEAL_CLOSED'],
    'open, in_negotiation, won, lost': ['open', 'won', 'won', 'won'],
  },
  async (sandbox) => {
    const { json: opened } = await brokered(sandbox, 'sunny-lake.test')
    await sandbox.operate('POST', `/v1/worlds/default/brokerage/${opened.case_id}/close-deal`, {})
    const { status } = (await sandbox.call({ path: `/brokerage/${opened.case_id}` })).json
    const listed = await sandbox.call({ path: `/brokerage?status=${status}` })
    const [event] = (await sandbox.call({ path: '/events' })).json.events
    return [opened.status, status, listed.json.cases[0].status, event.data.case.status]
  },
)

observedInBalance(
  'case-event',
  {
    'id, domain, tier, status and money': [
      ...['case_id', 'domain', 'tier', 'status', 'deal_price_cents', 'partner_cut_cents', 'currency'],
    ],
    'id and status': ['case_id', 'status'],
  },
  async (sandbox) => {
    const { json: opened } = await brokered(sandbox, 'sunny-lake.test')
    await sandbox.operate('POST', `/v1/worlds/default/brokerage/${opened.case_id}/close-deal`, {})
    const [event] = (await sandbox.call({ path: '/events' })).json.events
    return Object.keys(event.data.case)
  },
)

observedInBalance('payable-from', { delivery: [], 'the sale': ['commission'] }, async (sandbox) => {
  await sellHosted(sandbox)
  await payOut(sandbox)
  const { payouts } = (await sandbox.call({ path: '/payouts' })).json
  return payouts.map(({ kind }: { kind: string }) => kind)
})
