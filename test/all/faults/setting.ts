import type { OrderStepName } from '../../../src/contract/order-states.ts'
import type { Breakable, Told } from '../../support/breakable.ts'

/** What acts and their preparations are made of. */

export const BUYER = { email: 'buyer@example.test', name: 'Jo Doe', country: 'AT' }
const SECRET = 'a-secret-of-sixteen'

/** Partners are told of everything, so that each act writes its events and deliveries. */
export async function tellPartner(on: Breakable, url = 'http://127.0.0.1:9/hooks'): Promise<void> {
  valid(await on.call('PUT', '/webhooks', { url, secret: SECRET }))
}

/** What comes before an act where its partner is told of it. */
export function told<Found>(prepare: (on: Breakable) => Promise<Found>): (on: Breakable) => Promise<Found> {
  return async (on) => {
    await tellPartner(on)
    return prepare(on)
  }
}

export function valid(told: Told): Record<string, string> {
  if (told.status >= 300) throw new Error(`${told.status} ${told.text}`)
  return told.text === '' ? {} : JSON.parse(told.text)
}

export async function quote(on: Breakable, domain: string): Promise<string> {
  return valid(await on.call('POST', '/quotes', { domain })).quote_id as string
}

/** An order at the price of now. */
export async function order(on: Breakable, domain: string, more: object = {}, key = 'one-key'): Promise<Told> {
  return on.call('POST', '/orders', { ...(await offer(on, domain)), buyer: BUYER, ...more }, key)
}

/** What an order has to say of a name; the acts say it themselves, so that the price is not asked in them. */
export async function offer(on: Breakable, domain: string) {
  const { price_cents: price, currency } = valid(await on.operate('GET', `/domains/${domain}`))
  return { domain, expected_price: Number(price), currency: String(currency) }
}

export async function sold(on: Breakable, domain: string, key = domain): Promise<{ public_id: string }> {
  return { public_id: valid(await order(on, domain, {}, key)).public_id as string }
}

/** An order that has gone so far. */
export async function soldAnd(on: Breakable, domain: string, steps: readonly OrderStepName[]) {
  const made = await sold(on, domain)
  for (const step of steps) valid(await on.operate('POST', `/orders/${made.public_id}/${step}`))
  return made
}

export async function session(on: Breakable, domain = 'stalls-1.test') {
  const urls = { return_url: 'https://shop.example/done', cancel_url: 'https://shop.example/off' }
  const { session_id, checkout_url, price_cents } = valid(
    await on.call('POST', '/checkout-session', { domain, ...urls }),
  )
  return {
    session_id,
    page: String(checkout_url).replace(/^https?:\/\/[^/]+/, ''),
    price_cents: String(price_cents),
  } as Record<string, string>
}

export async function brokered(on: Breakable, domain = 'stalls-1.test') {
  const wanted = { tier: 'managed', buyer_email: BUYER.email, budget: 50_000, domain }
  return { case_id: valid(await on.call('POST', '/brokerage', wanted)).case_id as string }
}

export async function linked(on: Breakable, more: object = { kind: 'generic' }) {
  const { link_id, url } = valid(await on.call('POST', '/links', more))
  return { link_id: String(link_id), page: String(url).replace(/^https?:\/\/[^/]+/, '') }
}

/** Two orders that have been transferred, one of them paid by the buyer at the service. */
export async function transferred(on: Breakable): Promise<Record<string, string>> {
  await tellPartner(on)
  await soldAnd(on, 'stalls-1.test', ['start-transfer', 'complete-transfer'])
  const { session_id } = await session(on, 'stalls-2.test')
  const { public_id } = valid(await on.operate('POST', `/checkout-sessions/${session_id}/pay`, {}))
  await on.operate('POST', `/orders/${public_id}/complete-transfer`)
  return {}
}
