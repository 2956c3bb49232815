// A busy account: while it is judged, other clients of the same partner and another partner sell, quote, follow links and open cases.
import { openCase } from './brokering.mjs'
import { click, createLink } from './earning.mjs'
import { recordSale } from './hosted.mjs'
import { createOrder, createQuote, moveOrder } from './selling.mjs'

/** The last fifth of the inventory is what these clients trade in; the target file gives none of it away. */
function theirsOf(listings) {
  const all = [...listings.values()].filter((listing) => !listing.site)
  return all.slice(Math.floor(all.length * 0.8))
}

/** Does one piece of business every so many milliseconds, and returns what ends it. */
export function startBusiness(service, everyMs) {
  const env = service.environments.sandbox
  const theirs = theirsOf(env.listings)
  service.theirs = new Set(theirs.map((listing) => listing.name))
  const isCents = service.choices.toCents(1) === 1
  const key = [...service.credentials.values()].find((each) => each.name === 'only_buy').keyId
  const made = []
  let turn = 0
  const next = () => theirs.find((listing) => !listing.sold && !made.includes(listing.name))
  const sell = async (partner) => {
    const listing = next()
    if (listing === undefined) return
    made.push(listing.name)
    const body = {
      ...{ domain: listing.name, expected_price: isCents ? listing.price : listing.price / 100 },
      ...{
        currency: service.choices.currency ?? 'USD',
        buyer: { email: 'else@buyer.example', name: 'Else', country: 'NL' },
      },
      ...{
        return_url: 'https://shop.example/',
        cancel_url: 'https://shop.example/',
        external_payment_ref: `else-${turn}`,
      },
    }
    const call = { headers: { 'idempotency-key': `else-${turn}`, 'x-partner-key-id': key }, raw: JSON.stringify(body) }
    await createOrder(service, env, partner, call, body, () => ({}))
  }
  const link = createLink(service, env, 'ptr_1main', { kind: 'generic' })
  const kinds = [
    () => sell('ptr_1main'),
    () => click(service, env, link),
    () => sell('ptr_2other'),
    () => next() && createQuote(service, env, 'ptr_2other', next().name),
    () => {
      const order = env.orders.find(
        (each) =>
          service.theirs.has(each.domain) && each.status === 'EXTERNALLY_PAID' && each.model === 'partner_collected',
      )
      if (order) moveOrder(service, env, order, 'start_transfer')
    },
    () => {
      const listing = next()
      if (listing === undefined) return
      made.push(listing.name)
      const sale = {
        domain: listing.name,
        price: listing.price,
        model: 'hosted_checkout',
        buyer: { email: 'hosted@buyer.example' },
      }
      recordSale(service, env, 'ptr_1main', { ...sale, at: service.clock.now() })
    },
    () => {
      const listing = next()
      const asked = { tier: 'managed', email: 'case@buyer.example', budget: 1000 }
      if (listing && !made.includes(listing.name))
        openCase(service, env, 'ptr_1main', { domain: listing.name, ...asked })
      if (listing) made.push(listing.name)
    },
  ]
  const timer = setInterval(async () => {
    try {
      await kinds[turn++ % kinds.length]()
    } catch {
      // Refused, as any client may be.
    }
  }, everyMs)
  return () => clearInterval(timer)
}
