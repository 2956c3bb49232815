/**
 * Sales model 2: the service collects the payment on its own page, and the partner earns a commission, which is accrued at the
 * sale, payable once the domain is delivered, and paid by a payout run.
 */
import assert from 'node:assert/strict'
import { buyer } from './buyer.ts'
import { type Json, partnerApi } from './partner-api.ts'
import { sandboxStaff } from './sandbox-staff.ts'
import { dollars, say, settingFrom } from './setting.ts'

const { account, operatorUrl } = settingFrom(process.env)
const call = partnerApi(account)
const staff = sandboxStaff(operatorUrl)

const { domains } = await call({ path: '/domains/search?q=coffee' })
const [wanted] = domains as [Json]
const session = await call({
  method: 'POST',
  path: '/checkout-session',
  body: {
    domain: wanted.domain,
    return_url: 'https://partner.example/thanks',
    cancel_url: 'https://partner.example/cart',
    buyer: { email: 'buyer@example.com' },
  },
})
say(`The buyer of ${wanted.domain} is sent to the hosted page, good until ${session.expires_at}.`)

const browser = buyer(account.url)
await browser.go(session.checkout_url)
await browser.press('decline', { name: 'Buyer', email: 'buyer@example.com', country: 'AT' })
assert.match(browser.page(), /declined/i)
say('The first card is declined; the page can be tried again.')
const landed = await browser.press('pay', { name: 'Buyer', email: 'buyer@example.com', country: 'AT' })
assert.equal(landed, `https://partner.example/thanks?session_id=${session.session_id}`)
say(`Paid. The buyer is back at ${landed}.`)

const { orders } = await call({ path: `/orders?domain=${wanted.domain}` })
const [order] = orders as [Json]
assert.equal(order.payment_model, 'hosted_checkout')
await staff.completeTransfer(order.public_id)
const paid = await staff.runPayouts()
say(`A payout run paid ${paid.payouts.length} payout(s).`)

const { entries } = await call({ path: '/me/commissions' })
const lines = (entries as Json[]).filter((entry) => entry.public_id === order.public_id).reverse()
assert.equal(
  lines.reduce((sum, line) => sum + line.amount_cents, 0),
  0,
)
for (const line of lines)
  say(`  ${line.kind.padEnd(8)} ${dollars(line.amount_cents).padStart(12)}  balance ${dollars(line.balance_cents)}`)

const { payouts, total_paid_cents: total } = await call({ path: '/payouts' })
assert.equal(
  total,
  (payouts as Json[]).reduce((sum, payout) => sum + payout.amount_cents, 0),
)
say(`Paid out so far: ${dollars(total)}.`)
