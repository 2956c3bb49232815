import { CASE_STATES, CASE_TIERS } from './case-states.ts'
import { EVENT_TYPES, TRANSFER_EVENT_TYPES } from './event-types.ts'
import { ORDER_STATES } from './order-states.ts'
import { id, integer, nullable, object, oneOf, optional, text } from './schema.ts'

// What rows keep as JSON, for the routes that take or show it.

const email = text({ format: 'email', maxLength: 320 })
const name = text({ format: 'plain', minLength: 1, maxLength: 200 })
const country = text({ format: 'country' })

export const orderBuyer = object({ email, name: optional(name), country: optional(country) })

/** What a partner may know of a buyer beforehand. */
export const expectedBuyer = object({ email: optional(email), name: optional(name), country: optional(country) })

const order = object({
  public_id: id('order'),
  domain: text({ format: 'domain' }),
  status: oneOf(ORDER_STATES),
  sale_price_cents: integer({ minimum: 0 }),
  currency: text({ format: 'currency' }),
})

const brokerageCase = object({
  case_id: id('brokerageCase'),
  domain: nullable(text({ format: 'domain' })),
  tier: oneOf(CASE_TIERS),
  status: oneOf(CASE_STATES),
  deal_price_cents: nullable(integer({ minimum: 1 })),
  partner_cut_cents: nullable(integer({ minimum: 0 })),
  currency: text({ format: 'currency' }),
})

const transfer = object({
  public_id: id('order'),
  domain: text({ format: 'domain' }),
  status: oneOf(['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED']),
})

/** What events contain, by type. */
export const EVENT_DATA = [
  { types: EVENT_TYPES.filter((type) => type.startsWith('order.')), data: object({ order }) },
  { types: EVENT_TYPES.filter((type) => type.startsWith('brokerage.')), data: object({ case: brokerageCase }) },
  { types: TRANSFER_EVENT_TYPES, data: object({ transfer }) },
] as const
