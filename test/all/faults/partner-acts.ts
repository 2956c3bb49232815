import type { Act } from '../../support/every-fault.ts'
import { BUYER, linked, offer, order, quote, session, sold, soldAnd, tellPartner, told } from './setting.ts'

const urls = { return_url: 'https://shop.example/done', cancel_url: 'https://shop.example/off' }

async function offered(on: Parameters<typeof offer>[0], domain: string) {
  return { wanted: JSON.stringify({ ...(await offer(on, domain)), buyer: BUYER }) }
}

/** An order of a name, told to its partner. */
function ordering(name: string, domain: string): Act {
  return {
    name,
    prepare: told((on) => offered(on, domain)),
    act: (on, { wanted }) => on.call('POST', '/orders', JSON.parse(wanted as string), 'one-key'),
  }
}

/** Every endpoint with an effect, and what else its calls may bring about. */
export const CALLS: readonly Act[] = [
  { name: 'quotes.create', act: (on) => on.call('POST', '/quotes', { domain: 'stalls-1.test' }) },
  { name: 'quotes.create (a rival is quicker)', act: (on) => on.call('POST', '/quotes', { domain: 'taken-1.test' }) },
  {
    name: 'quotes.create (the price moves)',
    act: (on) => on.call('POST', '/quotes', { domain: 'price-moves-1.test' }),
  },
  {
    name: 'quotes.create (a fault of the operator acts)',
    async prepare(on) {
      await on.operate('POST', '/faults', { effect: { garbage: 'truncated' }, times: 5 })
      return {}
    },
    act: (on) => on.call('POST', '/quotes', { domain: 'stalls-1.test' }),
  },
  ordering('orders.create', 'stalls-1.test'),
  ordering('orders.create (held)', 'held-1.test'),
  ordering('orders.create (its reply is lost)', 'lost-reply-1.test'),
  ordering('orders.create (a rival is quicker)', 'taken-1.test'),
  {
    name: 'orders.create (at a quote)',
    async prepare(on) {
      await tellPartner(on)
      const wanted = { ...(await offer(on, 'stalls-1.test')), buyer: BUYER }
      return { wanted: JSON.stringify({ ...wanted, quote_id: await quote(on, 'stalls-1.test') }) }
    },
    act: (on, { wanted }) => on.call('POST', '/orders', JSON.parse(wanted as string), 'one-key'),
  },
  {
    name: 'orders.create (replayed)',
    changesNothing: true,
    async prepare(on) {
      await order(on, 'stalls-1.test')
      return offered(on, 'stalls-1.test')
    },
    act: (on, { wanted }) => on.call('POST', '/orders', JSON.parse(wanted as string), 'one-key'),
  },
  {
    name: 'checkout.create',
    act: (on) => on.call('POST', '/checkout-session', { domain: 'stalls-1.test', ...urls, buyer: BUYER }),
  },
  {
    name: 'refunds.create',
    prepare: told((on) => soldAnd(on, 'stalls-1.test', ['start-transfer'])),
    act: (on, { public_id }) => on.call('POST', '/refunds', { public_id, reason: 'changed my mind' }),
  },
  {
    name: 'refunds.create (the transfer is quicker)',
    prepare: told((on) => sold(on, 'refund-race-1.test')),
    act: (on, { public_id }) => on.call('POST', '/refunds', { public_id }),
  },
  {
    name: 'brokerage.create',
    act: (on) =>
      on.call('POST', '/brokerage', {
        tier: 'managed',
        buyer_email: BUYER.email,
        budget: 9_000,
        domain: 'deal-closes-1.test',
      }),
  },
  { name: 'links.create', act: (on) => on.call('POST', '/links', { kind: 'domain', domain: 'stalls-1.test' }) },
  {
    name: 'webhooks.put',
    act: (on) => on.call('PUT', '/webhooks', { url: 'http://127.0.0.1:9/new', secret: 'another-secret-of-many' }),
  },
  {
    name: 'webhooks.put (again, and what is held up is let go)',
    world: { gaps: { 'delivery-order': 'yes' } },
    prepare: told((on) => sold(on, 'stalls-1.test')),
    act: (on) => on.call('PUT', '/webhooks', { url: 'http://127.0.0.1:9/new', secret: 'another-secret-of-many' }),
  },
]

/** Every page that writes. */
export const VISITS: readonly Act[] = [
  {
    name: 'checkout',
    prepare: told((on) => session(on)),
    act: (on, { page = '', price_cents = '' }) => on.visit(page, { action: 'pay', price_cents, ...BUYER }),
  },
  {
    name: 'checkout (a rival is quicker)',
    prepare: (on) => session(on, 'taken-1.test'),
    act: (on, { page = '', price_cents = '' }) => on.visit(page, { action: 'pay', price_cents, ...BUYER }),
  },
  {
    name: 'checkout (paid later)',
    prepare: (on) => session(on),
    act: (on, { page = '', price_cents = '' }) =>
      on.visit(page, { action: 'pay', price_cents, ...BUYER, email: 'buyer+pays-late@example.test' }),
  },
  { name: 'tracking-link', prepare: (on) => linked(on), act: (on, { page = '' }) => on.visit(page) },
  {
    name: 'shop',
    prepare: (on) => linked(on, { kind: 'domain', domain: 'stalls-1.test' }),
    act: (on, { page = '' }) => on.visit(page.replace('/go/', '/shop/'), { domain: 'stalls-1.test' }),
  },
]
