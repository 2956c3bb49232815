import { parseInstant } from '../../clock/instant.ts'
import { LIMITS } from '../../contract/limits.ts'
import { ORDER_STATES } from '../../contract/order-states.ts'
import { normaliseDomain } from '../domain-name.ts'
import { created, ok } from '../http/answer.ts'
import { route } from '../http/route.ts'
import { integer, object, oneOf, optional, text } from '../http/schema.ts'
import { listOrders, type OrderInput, ownOrder, recordOrder } from './orders.ts'
import { presentOrder, presentQuote } from './present.ts'
import { issueQuote } from './quotes.ts'

const domain = text({ format: 'domain', maxLength: 255 })
const currency = text({ format: 'currency' })
const webUrl = optional(text({ format: 'web-url' }))

const createQuote = route({
  body: object({ domain, currency: optional(currency) }),
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
    buyer: object({
      email: text({ format: 'email', maxLength: 320 }),
      name: optional(text({ minLength: 1, maxLength: 200 })),
      country: optional(text({ format: 'country' })),
    }),
    return_url: webUrl,
    cancel_url: webUrl,
    quote_id: optional(text({ minLength: 1, maxLength: 64 })),
    external_payment_ref: optional(text({ minLength: 1, maxLength: 255 })),
  }),
  handle({ world, caller, body }) {
    const input: OrderInput = {
      domain: canonical(body.domain),
      expectedPriceCents: body.expected_price,
      currency: body.currency,
      buyer: body.buyer,
      returnUrl: body.return_url,
      cancelUrl: body.cancel_url,
      quoteId: body.quote_id,
      externalPaymentRef: body.external_payment_ref,
    }
    return created(presentOrder(world, recordOrder(world, caller, input)))
  },
})

const instant = optional(text({ format: 'instant', maxLength: 40 }))

const list = route({
  query: object({
    status: optional(oneOf(ORDER_STATES)),
    domain: optional(domain),
    from: instant,
    to: instant,
    cursor: optional(text({ maxLength: 64 })),
    limit: optional(integer({ minimum: LIMITS.listPage.min, maximum: LIMITS.listPage.max })),
  }),
  handle({ world, caller, query }) {
    const { filters, listShows } = world.rules.orders
    const obeyed = (name: (typeof filters)[number]) => (filters.includes(name) ? query[name] : undefined)
    const { orders, hasMore } = listOrders(world, {
      partnerId: listShows === 'own' ? caller.partnerId : null,
      status: filters.includes('status') ? query.status : undefined,
      domain: mapped(obeyed('domain'), canonical),
      fromMs: mapped(obeyed('from'), instantOf),
      toMs: mapped(obeyed('to'), instantOf),
      cursor: query.cursor,
      limit: query.limit ?? LIMITS.listPage.default,
    })
    const last = orders.at(-1)
    return ok({
      orders: orders.map((order) => presentOrder(world, order)),
      next_cursor: hasMore && last ? last.publicId : null,
    })
  },
})

const detail = route({
  handle({ world, caller, params }) {
    return ok(presentOrder(world, ownOrder(world, caller, params['public_id'] ?? '')))
  },
})

export const salesRoutes = {
  'quotes.create': createQuote,
  'orders.create': createOrder,
  'orders.list': list,
  'orders.detail': detail,
}

/** The schemas have vouched for the form, so these cannot be null. */
const canonical = (name: string) => normaliseDomain(name) as string
const instantOf = (value: string) => parseInstant(value) as number

function mapped<In, Out>(value: In | undefined, change: (value: In) => Out): Out | undefined {
  return value === undefined ? undefined : change(value)
}
