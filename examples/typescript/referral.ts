/**
 * Sales model 4: the partner gives links away, visitors follow them to the service and buy there, and the partner earns commission
 * on what they buy.
 */
import assert from 'node:assert/strict'
import { buyer } from './buyer.ts'
import { type Json, partnerApi } from './partner-api.ts'
import { dollars, say, settingFrom } from './setting.ts'

const { account } = settingFrom(process.env)
const call = partnerApi(account)

const { domains } = await call({ path: '/domains/search?q=music' })
const [promoted] = domains as [Json]
const link = await call({ method: 'POST', path: '/links', body: { kind: 'domain', domain: promoted.domain } })
say(`The link for ${promoted.domain} is ${link.url}.`)

const reader = buyer(account.url)
await reader.go(link.url)
say('A reader follows it, and looks no further.')

const visitor = buyer(account.url)
await visitor.go(link.url)
await visitor.press()
const landed = await visitor.press('pay', { name: 'Visitor', email: 'visitor@example.com', country: 'DE' })
say(`A visitor follows it, buys, and ends at ${new URL(landed).pathname}.`)

const listed = ((await call({ path: '/links' })).links as Json[]).find((one) => one.link_id === link.link_id)
assert.deepEqual([listed?.clicks, listed?.sales], [2, 1])
say(`The link has ${listed?.clicks} clicks and ${listed?.sales} sale.`)

const { sales } = await call({ path: '/me/sales' })
const sale = (sales as Json[]).find((one) => one.link_id === link.link_id)
assert.equal(sale?.amount_cents, promoted.price_cents)
say(
  `Sold to ${sale?.buyer.email} for ${dollars(sale?.amount_cents)}: ${dollars(sale?.commission_cents)} of commission.`,
)

const funnel = await call({ path: '/analytics' })
assert.equal(
  funnel.gmv_cents,
  (sales as Json[]).reduce((sum, one) => sum + one.amount_cents, 0),
)
say(
  `The funnel: ${funnel.clicks} clicks, ${funnel.checkouts} checkouts, ${funnel.sales} sales, ${dollars(funnel.gmv_cents)} in all.`,
)
const { total } = await call({ path: '/me/clicks' })
assert.equal(total, funnel.clicks)
