import { object, oneOf, optional, text } from '../../contract/schema.ts'
import { domainFilter, get, type Page, pageFlags, paging, partnerFilter, post, returns } from '../operation.ts'
import type { Buyer } from './orders.ts'

export interface CheckoutSession {
  session_id: string
  checkout_url: string
  expires_at: string
  status: 'open' | 'paying' | 'paid' | 'cancelled' | 'expired'
  domain: string
  price_cents: number | null
  currency: string | null
  commission_cents: number | null
  partner_id: string
  return_url: string
  cancel_url: string
  buyer: Partial<Buyer> | null
  link_id: string | null
  /** Its order, once it is paid. */
  public_id: string | null
  created_at: string
  pays_at: string | null
  actions: ('pay' | 'decline' | 'cancel')[]
}

/** A session, and what became of what a buyer or the bank did with it. */
export interface CheckoutOutcome extends CheckoutSession {
  outcome: 'paid' | 'paying' | 'declined' | 'abandoned' | 'cancelled'
}

/** @param says what the help of the command says. */
const step = <const Name extends string>(name: Name, { summary, says }: { summary: string; says: string }) =>
  post(`/v1/worlds/{w}/checkout-sessions/{session_id}/${name}`, {
    summary,
    body: object({}),
    returns: returns<CheckoutOutcome>(),
    command: { usage: `checkout ${name} <id>`, summary: says, shows: 'facts', stepOf: 'checkout session' },
  })

export const checkoutRows = {
  'checkout.list': get('/v1/worlds/{w}/checkout-sessions', {
    summary: 'The hosted checkout sessions of all partners, newest first: `checkout_sessions`, `next_cursor`.',
    query: object({
      status: optional(oneOf(['open', 'paying', 'paid', 'cancelled', 'expired'])),
      ...partnerFilter,
      ...domainFilter,
      ...paging,
    }),
    returns: returns<Page<'checkout_sessions', CheckoutSession>>(),
    command: {
      usage: 'checkout list',
      summary: 'list the hosted checkout sessions of all partners, newest first',
      flags: {
        status: ['--status <state>', 'only in this state'],
        domain: ['--domain <name>', 'only for this domain'],
        partner_id: ['--partner <id>', 'only of this partner'],
        ...pageFlags,
      },
      shows: {
        list: 'checkout_sessions',
        none: 'no checkout sessions',
        columns: [
          ['SESSION', 'session_id'],
          ['STATUS', 'status'],
          ['DOMAIN', 'domain'],
          ['PRICE', 'price_cents', 'money'],
          ['ORDER', 'public_id'],
          ['PARTNER', 'partner_id'],
          ['CREATED', 'created_at'],
          ['EXPIRES', 'expires_at'],
        ],
      },
    },
  }),
  'checkout.show': get('/v1/worlds/{w}/checkout-sessions/{session_id}', {
    summary: 'One session with its buyer, its order and the `actions` it allows now.',
    returns: returns<CheckoutSession>(),
    command: {
      usage: 'checkout show <id>',
      summary: 'show one session and what can be done with it now',
      shows: 'facts',
    },
  }),
  'checkout.pay': post('/v1/worlds/{w}/checkout-sessions/{session_id}/pay', {
    summary: 'Pays as the buyer; what is not said is as the partner has it, or made up. The session and its `outcome`.',
    body: object({
      buyer: optional(
        object({
          email: optional(text({ format: 'email', maxLength: 320 })),
          name: optional(text({ format: 'plain', minLength: 1, maxLength: 200 })),
          country: optional(text({ format: 'country' })),
        }),
      ),
    }),
    returns: returns<CheckoutOutcome>(),
    command: {
      usage: 'checkout pay <id>',
      summary: 'pay as the buyer; details that you omit come from the partner or are generated',
      flags: {
        'buyer.email': ['--email <address>', 'email of the buyer; a tag fixes the outcome, see "magic"'],
        'buyer.name': ['--name <text>', 'name of the buyer'],
        'buyer.country': ['--country <code>', 'country of the buyer, e.g. SE'],
      },
      shows: 'facts',
      stepOf: 'checkout session',
    },
  }),
  'checkout.decline': step('decline', {
    summary: 'Declines a payment as the bank. The session, which stays open, and its `outcome`.',
    says: 'decline the payment as the bank; the session stays open',
  }),
  'checkout.cancel': step('cancel', {
    summary: 'Cancels as the buyer. The session, which has ended, and its `outcome`.',
    says: 'cancel as the buyer; the session ends',
  }),
}
