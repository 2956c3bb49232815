import { answerShape, bodyShape, type Endpoint, makes, post, type Shape } from './endpoint.ts'
import { DOMAIN, TOKEN } from './example-values.ts'

/** The endpoints under the heading "Hosted checkout", in the order of the document. */
export const CHECKOUT = {
  'checkout.create': {
    ...post('/checkout-session', ['embed'], 'Hosted checkout'),
    summary: 'Open a hosted checkout page for a buyer',
    description:
      'Send the buyer to `checkout_url`. The page takes the payment, sells the domain in the name of the partner and sends the buyer on to `return_url`, or to `cancel_url`. A session reserves nothing.',
    requirements: ['CHK-01', 'CHK-02', 'CHK-03', 'CHK-04', 'CHK-05', 'CHK-06', 'SCOPE-03'],
    refusals: ['not_found', 'conflict'],
    example: {
      body: {
        domain: DOMAIN,
        return_url: 'https://shop.example.com/thanks',
        cancel_url: 'https://shop.example.com/cart',
      },
      answer: {
        session_id: 'cs_1p8t4e0a6y3u9i5q',
        checkout_url: `http://127.0.0.1:4600/checkout?pt=${TOKEN}`,
        expires_at: '2026-01-22T12:00:00.000Z',
        status: 'open',
        domain: DOMAIN,
        price_cents: 30_000,
        currency: 'USD',
        commission_cents: 6_000,
      },
    },
    hint: {
      body: {
        domain: 'stalls-904.test',
        return_url: 'https://example.test/paid',
        cancel_url: 'https://example.test/cancelled',
      },
    },
    subject: { kind: 'domain', name: 'domain' },
    creates: {
      ...makes('checkout_session', 'checkout.id', 'session_id'),
      handles: [
        { role: 'checkout.id', field: 'session_id' },
        { role: 'checkout.url', field: 'checkout_url' },
      ],
      takesDomain: true,
    },
    bodies: ['checkout'],
  },
} as const satisfies Record<string, Endpoint>

export const CHECKOUT_SHAPES = {
  CheckoutSessionRequest: bodyShape('checkout.create', 'What the buyer is to be offered.', []),
  CheckoutSession: answerShape('checkout.create', 'A payment page for one buyer.', ['checkout_url']),
} as const satisfies Record<string, Shape>
