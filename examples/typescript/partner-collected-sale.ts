/**
 * Sales model 1: the partner charges the buyer in its own application and then records the sale. The domain is delivered, the
 * partner keeps its commission and owes the rest, as the settlement statement says. A second sale is refunded in time.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Json, PartnerApiError, partnerApi } from './partner-api.ts'
import { sandboxStaff } from './sandbox-staff.ts'
import { dollars, say, settingFrom } from './setting.ts'
import { receiveWebhooks } from './webhook-receiver.ts'

const { account, operatorUrl } = settingFrom(process.env)
const call = partnerApi(account)
const staff = sandboxStaff(operatorUrl)

// Once, at the start of the partner's application: where to be told of what happens.
const secret = randomUUID()
const hooks = await receiveWebhooks(secret)
await call({ method: 'PUT', path: '/api/partner/webhooks', body: { url: hooks.url, secret } })

const { domains } = await call({ path: '/domains/search?q=solar' })
const [first, second] = domains as [Json, Json]
say(`Search found ${domains.map((found: Json) => found.domain).join(', ')}.`)

// A quote holds price and domain for ten minutes, time enough to charge the buyer.
const quote = await call({ method: 'POST', path: '/quotes', body: { domain: first.domain } })
say(`${quote.domain} is quoted at ${dollars(quote.price_cents)} until ${quote.expires_at}.`)

const order = await record(quote.domain, quote.price_cents, 'payment-1', quote.quote_id)
assert.equal(order.status, 'EXTERNALLY_PAID')
assert.equal((await hooks.next('order.recorded')).data.order.public_id, order.public_id)
say(
  `Recorded as ${order.public_id}: ${dollars(order.commission_cents)} to keep, ${dollars(order.amount_owed_cents)} owed.`,
)

await staff.startTransfer(order.public_id)
await hooks.next('order.transfer_started')
await staff.completeTransfer(order.public_id)
await hooks.next('order.transfer_completed')
say('The domain has been delivered to the registrar.')

const { settled } = await staff.runSettlement()
assert.ok(settled.some((one: Json) => one.public_id === order.public_id))
await hooks.next('order.settled')
const [statement] = (await call({ path: '/settlements?limit=1' })).settlements
assert.equal(statement.gross_sold_cents, statement.commission_retained_cents + statement.amount_owed_cents)
assert.ok(statement.orders.includes(order.public_id))
say(
  `Statement ${statement.statement_id}: sold ${dollars(statement.gross_sold_cents)}, owed ${dollars(statement.amount_owed_cents)}.`,
)

// The buyer of the second domain changes their mind before it is delivered.
const regretted = await record(second.domain, second.price_cents, 'payment-2')
const refund = await call({ method: 'POST', path: '/refunds', body: { public_id: regretted.public_id } })
assert.equal((await hooks.next('order.refunded')).data.order.public_id, regretted.public_id)
say(`Refunded ${dollars(refund.amount_cents)} for ${second.domain}.`)

// After delivery it is too late for that.
const tooLate = await call({ method: 'POST', path: '/refunds', body: { public_id: order.public_id } }).catch(
  (error) => error,
)
assert.ok(tooLate instanceof PartnerApiError && tooLate.status === 409)
say(`A refund after delivery is refused: ${tooLate.code}.`)

const { timeline } = await call({ path: `/orders/${order.public_id}` })
say(`What happened to the first: ${timeline.map((entry: Json) => entry.status).join(' > ')}.`)
hooks.close()

/** Records a sale that the buyer has paid for. A lost answer is no harm: the same key brings the same order back. */
function record(domain: string, priceCents: number, payment: string, quoteId?: string): Promise<Json> {
  return call({
    method: 'POST',
    path: '/orders',
    idempotencyKey: randomUUID(),
    body: {
      domain,
      expected_price: priceCents,
      currency: 'USD',
      buyer: { email: 'buyer@example.com', name: 'Buyer', country: 'AT' },
      external_payment_ref: payment,
      ...(quoteId !== undefined && { quote_id: quoteId }),
    },
  })
}
