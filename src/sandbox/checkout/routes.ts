import { expectedBuyer } from '../../contract/kept-json.ts'
import { id, integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { canonical, currency, domain, givenId, time, webUrl } from '../wire/fields.ts'
import { created, route } from '../wire/route.ts'
import { presentSession } from './present.ts'
import { openSession } from './sessions.ts'
import { SESSION_STATES } from './types.ts'

const sessionAnswer = object({
  session_id: id('checkoutSession'),
  checkout_url: text({ format: 'web-url', description: 'The page to send the buyer to; carries the signed token pt.' }),
  expires_at: time,
  status: oneOf(SESSION_STATES),
  domain,
  price_cents: integer({ minimum: 0, description: 'What the page would charge now.' }),
  currency,
  commission_cents: integer({ minimum: 0, description: 'What the partner would earn at this price.' }),
})

const createSession = route({
  body: object({
    domain,
    return_url: webUrl,
    cancel_url: webUrl,
    buyer: optional(expectedBuyer),
    link_id: optional(givenId),
  }),
  answer: sessionAnswer,
  handle({ world, caller, body }) {
    const session = openSession(world, caller, {
      domain: canonical(body.domain),
      returnUrl: body.return_url,
      cancelUrl: body.cancel_url,
      buyer: body.buyer,
      linkId: body.link_id,
    })
    return created(presentSession(world, session))
  },
})

export const checkoutRoutes = { 'checkout.create': createSession }
