import {
  OPERATOR_STEPS,
  ORDER_STATES,
  ORDER_STEPS,
  type OrderState,
  type OrderStepName,
} from '../../contract/order-states.ts'
import type { PaymentModel } from '../../contract/payment-models.ts'
import { object, oneOf, optional, text } from '../../contract/schema.ts'
import { type CamelCase, camelCase } from '../camel-case.ts'
import { domainFilter, get, type Page, pageFlags, paging, partnerFilter, post, reason, returns } from '../operation.ts'

export interface TimelineEntry<State> {
  status: State
  at: string
  event_id: string | null
  note: string | null
}

export interface Buyer {
  email: string
  name?: string | null
  country?: string | null
}

/** The five facts that every order event carries. */
export interface OrderFacts {
  public_id: string
  domain: string
  status: OrderState
  sale_price_cents: number
  currency: string
}

export interface Order extends OrderFacts {
  payment_model: PaymentModel
  buyer: Buyer
  quote_id: string | null
  external_payment_ref: string | null
  commission_cents: number
  amount_owed_cents: number
  created_at: string
  updated_at: string
  partner_id: string
  /** What an operator may do with it now. */
  steps: OrderStepName[]
  timeline: TimelineEntry<OrderState>[]
}

type OperatorStep = {
  [Name in OrderStepName]: (typeof ORDER_STEPS)[Name]['by'] extends 'operator' ? Name : never
}[OrderStepName]

/** One for every step of the contract's table that an operator takes by hand. */
const step = (name: OrderStepName) =>
  post(`/v1/worlds/{w}/orders/{public_id}/${name}`, {
    summary: `${ORDER_STEPS[name].from.join(' or ')} to ${ORDER_STEPS[name].to}. The order as it is then; 409 with its state and the steps it allows.`,
    body: object({ reason }),
    returns: returns<Order>(),
    command: {
      usage: `order ${name} <id>`,
      summary: `${ORDER_STEPS[name].from.join(' or ')} -> ${ORDER_STEPS[name].to}`,
      flags: { reason: ['--reason <text>', 'reason to keep in the timeline'] },
      shows: 'timeline',
      stepOf: 'order',
    },
  })

export const orderRows = {
  'orders.list': get('/v1/worlds/{w}/orders', {
    summary: 'The orders of all partners, newest first: `orders`, `next_cursor`.',
    query: object({
      status: optional(oneOf(ORDER_STATES)),
      ...partnerFilter,
      ...domainFilter,
      q: optional(
        text({
          minLength: 1,
          maxLength: 256,
          description: 'Text in the id, the domain, or the email or name of the buyer.',
        }),
      ),
      ...paging,
    }),
    returns: returns<Page<'orders', Order>>(),
    command: {
      usage: 'order list',
      summary: 'list the orders of all partners, newest first',
      flags: {
        status: ['--status <state>', 'only in this state'],
        domain: ['--domain <name>', 'only for this domain'],
        partner_id: ['--partner <id>', 'only of this partner (ptr_...)'],
        q: ['--search <text>', 'only with this text in id, domain, or email or name of the buyer', 'filled'],
        ...pageFlags,
      },
      shows: {
        list: 'orders',
        none: 'no orders',
        columns: [
          ['ORDER', 'public_id'],
          ['STATUS', 'status'],
          ['DOMAIN', 'domain'],
          ['PRICE', 'sale_price_cents', 'money'],
          ['PARTNER', 'partner_id'],
          ['CREATED', 'created_at'],
        ],
      },
    },
  }),
  'orders.show': get('/v1/worlds/{w}/orders/{public_id}', {
    summary: 'One order as its partner sees it, with `partner_id`, the `steps` it allows now and its `timeline`.',
    returns: returns<Order>(),
    command: {
      usage: 'order show <id>',
      summary: 'show one order with its timeline and the steps it allows',
      shows: 'timeline',
    },
  }),
  ...(Object.fromEntries(OPERATOR_STEPS.map((name) => [`orders.${camelCase(name)}`, step(name)])) as {
    [Name in OperatorStep as `orders.${CamelCase<Name>}`]: ReturnType<typeof step>
  }),
}
