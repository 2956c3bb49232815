// A year of earlier business for the account of a personality that starts with one: orders, sales, clicks and payouts.
import { click, createLink, payOut, settle } from './earning.mjs'
import { emit } from './events.mjs'
import { recordSale } from './hosted.mjs'
import { eventOrder, moveOrder } from './selling.mjs'
import { newId } from './service.mjs'

const DAY = 86_400_000
const HOUR = 3_600_000

function pastOrder(service, env, partner, listing, at) {
  const order = {
    ...{
      id: newId(service, 'ord'),
      partner,
      domain: listing.name,
      price: listing.price,
      currency: service.choices.currency ?? 'USD',
      status: 'EXTERNALLY_PAID',
      model: 'partner_collected',
      at,
      wallAt: 0,
    },
    ...{
      buyer: { email: 'past@example.com' },
      quoteId: null,
      paymentRef: null,
      timeline: [{ status: 'EXTERNALLY_PAID', at }],
    },
    commission: service.choices.commission(listing.price),
  }
  env.orders.push(order)
  env.sales.push(order)
  emit(service, env, partner, 'order.recorded', { order: eventOrder(service, order) }, at)
  return order
}

export function makePast(service) {
  if (!service.choices.past) return
  const env = service.environments.sandbox
  const partner = 'ptr_1main'
  env.settledAt = service.clock.now() - 365 * DAY
  const names = [...env.listings.values()]
  const now = service.clock.now()
  const links = ['generic', 'domain', 'product'].map((kind) =>
    createLink(service, env, partner, { kind, domain: names[3].name, product: 'starter' }),
  )
  for (let month = 12; month >= 1; month--) {
    const start = now - month * 30 * DAY
    const listing = (n) => names[(month * 17 + n) % names.length]
    const orders = Array.from({ length: 11 }, (_, n) => pastOrder(service, env, partner, listing(n), start + n * DAY))
    for (let n = 0; n < 8; n++) {
      const link = links[n % 3]
      recordSale(service, env, partner, {
        domain: listing(n + 11).name,
        price: listing(n + 11).price,
        model: n < 5 ? 'hosted_checkout' : 'referral',
        buyer: { email: `past${n}@example.com` },
        link: n < 5 ? undefined : link,
        at: start + 11 * DAY + n * HOUR,
      })
    }
    for (let n = 0; n < 27; n++) {
      click(service, env, links[n % 3])
      Object.assign(env.clicks.at(-1) ?? {}, { at: start + n * HOUR, wallAt: 0 })
    }
    const [refunded, ...kept] = orders
    moveOrder(service, env, refunded, 'refund', start + 12 * DAY)
    for (const order of kept) moveOrder(service, env, order, 'start_transfer', start + 13 * DAY)
    for (const order of kept) moveOrder(service, env, order, 'complete_transfer', start + 15 * DAY)
    settle(service, env, moveOrder, start + 20 * DAY)
    if (month % 2 === 0) payOut(service, env, partner, start + 25 * DAY)
  }
  for (const rows of [env.ledger, env.payouts, env.statements]) for (const row of rows) row.wallAt = 0
}
