import { orderBuyer } from '../../contract/kept-json.ts'
import { ORDER_STATES } from '../../contract/order-states.ts'
import { id, integer, nullable, object, oneOf, optional, text } from '../../contract/schema.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { canonical, cents, currency, domain, givenId, time, timelineOf, webUrl } from '../wire/fields.ts'
import { listAnswer, listReply, pagingOf, pagingQuery, windowOf, windowQuery } from '../wire/list-query.ts'
import { created, ok, route } from '../wire/route.ts'
import { type OrderInput, recordOrder } from './order-steps.ts'
import { listOrders, orderTimelines, ownOrder } from './orders.ts'
import { presentOrder, presentQuote, presentRefund } from './present.ts'
import { issueQuote } from './quotes.ts'
import { requestRefund } from './refunds.ts'

const quoteAnswer = object({
  quote_id: id('quote'),
  domain,
  price_cents: cents,
  currency,
  commission_cents: integer({ minimum: 0, description: 'What the partner would earn by an order at this price.' }),
  created_at: time,
  expires_at: time,
  quote_token: text({ description: 'Signed by the service; says what was quoted.' }),
})

const orderAnswer = object({
  public_id: id('order'),
  domain,
  status: oneOf(ORDER_STATES),
  sale_price_cents: cents,
  currency,
  payment_model: oneOf(['partner_collected', 'hosted_checkout']),
  buyer: orderBuyer,
  quote_id: nullable(id('quote')),
  external_payment_ref: nullable(text()),
  commission_cents: integer({ minimum: 0, description: "The partner's share of the price." }),
  amount_owed_cents: integer({ minimum: 0, description: 'What the partner owes the service for a sale it collected.' }),
  created_at: time,
  updated_at: time,
  timeline: timelineOf(ORDER_STATES),
})

const createQuote = route({
  body: object({ domain, currency: optional(currency) }),
  answer: quoteAnswer,
  handle({ world, caller, body }) {
    const quote = issueQuote(world, caller, { ...body, domain: canonical(body.domain) })
    return created(presentQuote(world, quote))
  },
})

const createOrder = route({
  body: object({
    domain,
    expected_price: integer({ minimum: 0, description: 'The price in cents that the partner expects to apply.' }),
    currency,
    buyer: orderBuyer,
    return_url: optional(webUrl),
    cancel_url: optional(webUrl),
    quote_id: optional(givenId),
    external_payment_ref: optional(text({ format: 'plain', minLength: 1, maxLength: 255 })),
  }),
  answer: orderAnswer,
  handle({ world, caller, body }) {
    const input: OrderInput = {
      domain: canonical(body.domain),
      expectedPriceCents:
        world.gaps['expected-price-unit'] === 'units' ? body.expected_price * 100 : body.expected_price,
      // Whether an order must name it is open (ORD-13).
      currency: (body.currency as string | undefined) ?? LISTING_CURRENCY,
      buyer: body.buyer,
      returnUrl: body.return_url,
      cancelUrl: body.cancel_url,
      quoteId: body.quote_id,
      externalPaymentRef: body.external_payment_ref,
    }
    return created(presentOrder(world, recordOrder(world, caller, input)))
  },
})

const listOwn = route({
  query: object({
    status: optional(oneOf(ORDER_STATES)),
    domain: optional(domain),
    ...windowQuery,
    ...pagingQuery,
  }),
  answer: listAnswer('orders', orderAnswer, 'order'),
  handle({ world, caller, query }) {
    const page = listOrders(world, {
      partnerId: caller.partnerId,
      oldestFirst: world.gaps['orders-order'] === 'oldest first',
      status: query.status,
      domain: query.domain === undefined ? undefined : canonical(query.domain),
      ...windowOf(query),
      ...pagingOf(query),
    })
    const timelines = orderTimelines.ofAll(world.db, page.rows)
    return listReply('orders', page, {
      present: (order) => presentOrder(world, order, timelines.get(order.seq)),
      idOf: ({ publicId }) => publicId,
    })
  },
})

const detail = route({
  answer: orderAnswer,
  handle({ world, caller, params }) {
    return ok(presentOrder(world, ownOrder(world, caller, params['public_id'] ?? '')))
  },
})

const createRefund = route({
  body: object({
    public_id: givenId,
    reason: optional(text({ format: 'plain', minLength: 1, maxLength: 500 })),
  }),
  answer: object({
    refund_id: id('refund'),
    public_id: id('order'),
    status: oneOf(ORDER_STATES),
    amount_cents: cents,
    currency,
    created_at: time,
  }),
  handle({ world, caller, body }) {
    return created(presentRefund(requestRefund(world, caller, { publicId: body.public_id, reason: body.reason })))
  },
})

export const salesRoutes = {
  'quotes.create': createQuote,
  'orders.create': createOrder,
  'orders.list': listOwn,
  'orders.detail': detail,
  'refunds.create': createRefund,
}
