// Hosted checkout sessions, and every sale that earns a commission.
import { createHmac } from 'node:crypto'
import { accrue } from './earning.mjs'
import { forSale } from './selling.mjs'
import { newId } from './service.mjs'

const DAY = 86_400_000
const MINUTE = 60_000

export function createSession(service, env, partner, body) {
  const { broken } = service
  const listing = broken('session_for_unlisted')
    ? (env.listings.get(body.domain) ?? { name: body.domain, price: 10000 })
    : forSale(service, env, partner, body.domain, true)
  const now = service.clock.now()
  const days = broken('sessions_live_a_month') ? 30 : broken('sessions_live_a_day') ? 1 : 7
  const session = {
    id: newId(service, 'cs'),
    partner,
    domain: listing.name,
    price: listing.price,
    at: now,
    expiresAt: now + days * DAY,
    paid: false,
  }
  if (broken('new_session_ends_the_old'))
    for (const old of env.sessions)
      if (old.partner === partner && old.domain === listing.name && !old.paid) old.expiresAt = now
  session.token = `${session.id}.${createHmac('sha256', service.pageKey).update(session.id).digest('hex')}`
  env.sessions.push(session)
  return session
}

export function sessionOf(service, token) {
  const all = Object.values(service.environments).flatMap((env) => env.sessions.map((session) => ({ env, session })))
  const fits = service.broken('pt_signature_unread')
    ? (each) => token.startsWith(`${each.session.id}.`)
    : service.broken('longer_tokens_open')
      ? (each) => token.startsWith(each.session.token)
      : (each) => each.session.token === token
  return all.find(fits)
}

/** A buyer pays on a hosted page: the partner earns a commission, and the link that led here, if any, has the sale. */
export function payHosted(service, env, session, email, link) {
  const { choices, broken, clock } = service
  session.paid = true
  const latest = env.sessions.findLast((each) => each.domain === session.domain)
  const owner = broken('sale_of_the_links_partner') && link ? link : session
  const { partner } = broken('payment_to_latest_session') ? latest : owner
  const listing = env.listings.get(session.domain)
  if (listing && choices.soldNames !== 'stay') listing.sold = true
  const earlier = env.sessions.find((each) => each.domain === session.domain)
  if (broken('hosted_sales_unattributed')) return
  if (broken('sales_a_day_later_unattributed') && clock.now() - session.at > DAY) return
  if (broken('second_sessions_earn_nothing') && earlier !== session) return
  recordSale(service, env, partner, {
    domain: session.domain,
    price: broken('hosted_odd_cents_lost') ? Math.floor(session.price / 100) * 100 : session.price,
    model: 'hosted_checkout',
    buyer: { email },
    link,
    at: clock.now(),
  })
}

/** A sale that earns commission: hosted, brokered or referred. */
export function recordSale(service, env, partner, { domain, price, model, buyer, link, at, commission }) {
  const { choices, broken } = service
  const sale = {
    ...{
      id: newId(service, choices.hostedOrders && model !== 'brokerage' ? 'ord' : 'sal'),
      partner,
      domain,
      price,
      currency: service.choices.currency ?? 'USD',
      model,
      buyer,
      at,
    },
    ...{
      wallAt: at < service.clock.now() - MINUTE ? 0 : service.clock.wall(),
      status: choices.states.sale,
      timeline: [{ status: choices.states.sale, at }],
    },
    link: broken('links_lose_sales') ? undefined : link,
    commission: commission ?? choices.commission(price),
  }
  env.sales.push(sale)
  if (choices.hostedOrders && model !== 'brokerage') env.orders.push(sale)
  accrue(service, env, sale)
  return sale
}
