/**
 * Sales model 3: a user of the partner wants a domain that is not simply for sale, and the service negotiates for it. The partner
 * earns a cut of the deal.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { buyer } from './buyer.ts'
import { type Json, partnerApi } from './partner-api.ts'
import { sandboxStaff } from './sandbox-staff.ts'
import { dollars, say, settingFrom } from './setting.ts'
import { receiveWebhooks } from './webhook-receiver.ts'

const { account, operatorUrl } = settingFrom(process.env)
const call = partnerApi(account)
const staff = sandboxStaff(operatorUrl)

const secret = randomUUID()
const hooks = await receiveWebhooks(secret)
await call({ method: 'PUT', path: '/api/partner/webhooks', body: { url: hooks.url, secret } })

const live = await call({ path: '/brokerage/eligibility?domain=live-site-1.test' })
assert.equal(live.eligible, false)
say(`${live.domain} cannot be brokered: ${live.reason}.`)

const { domains } = await call({ path: '/domains/search?q=travel' })
const [wanted] = domains as [Json]
assert.equal((await call({ path: `/brokerage/eligibility?domain=${wanted.domain}` })).eligible, true)
const opened = await call({
  method: 'POST',
  path: '/brokerage',
  body: { tier: 'managed', buyer_email: 'user@example.com', budget: 500_000, domain: wanted.domain },
})
say(`Case ${opened.case_id} for ${wanted.domain} is ${opened.status}, with a budget of ${dollars(opened.budget)}.`)

const browser = buyer(account.url)
await browser.go(opened.progress_url)
assert.ok(browser.page().includes(wanted.domain))
say('The user follows it on a page of its own, without a login.')

await staff.closeDeal(opened.case_id, 420_000)
const { data } = await hooks.next('brokerage.case_completed')
assert.equal(data.case.case_id, opened.case_id)
say(`A deal at ${dollars(data.case.deal_price_cents)}: the partner's cut is ${dollars(data.case.partner_cut_cents)}.`)

const closed = await call({ path: `/brokerage/${opened.case_id}` })
say(`What happened: ${closed.timeline.map((entry: Json) => entry.status).join(' > ')}.`)
await staff.runPayouts()
const { payouts } = await call({ path: '/payouts' })
const cut = (payouts as Json[]).find((payout) => payout.kind === 'brokerage')
assert.equal(cut?.amount_cents, data.case.partner_cut_cents)
say(`Paid out on ${cut?.paid_at}.`)
hooks.close()
