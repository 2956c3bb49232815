import { ApiError } from '../../contract/errors.ts'
import type { Schema } from '../../contract/schema.ts'
import { salesRoutes } from '../../sandbox/sales/routes.ts'
import { answeringWhere, codeOf, type Fields, refusingWith, withFields } from './answers.ts'
import type { Defect } from './defect.ts'
import { type AnyInput, accepting } from './routes.ts'

const SOUND = salesRoutes['orders.create'].body as Schema<unknown>
const ANYTHING = {}

/** Mistakes about the body of POST /orders. */
export const orderInputDefects: readonly Defect[] = [
  {
    id: 'order-without-domain-is-not-found',
    breaks: ['ORD-04'],
    summary: 'An order without a domain is refused with 404.',
    ...accepting('orders.create', loosened({ optional: ['domain'] }), (input, sound) => {
      if (input.body['domain'] === undefined) throw new ApiError('not_found', 'the domain is not listed for sale')
      return sound(input)
    }),
  },
  {
    id: 'order-price-as-text-passes',
    breaks: ['ORD-04'],
    summary: 'An expected price may be a text of digits.',
    ...accepting('orders.create', loosened({ free: ['expected_price'] }), (input, sound) =>
      sound(withPrice(input, Number(input.body['expected_price']))),
    ),
  },
  {
    id: 'order-price-with-decimals-passes',
    breaks: ['ORD-04'],
    summary: 'Decimals of an expected price are cut off.',
    ...accepting('orders.create', loosened({ set: { expected_price: { type: 'number' } } }), (input, sound) =>
      sound(withPrice(input, Math.trunc(Number(input.body['expected_price'])))),
    ),
  },
  {
    id: 'order-of-numeric-email-passes',
    breaks: ['ORD-04'],
    summary: 'The buyer’s e-mail address may be of any type.',
    ...accepting('orders.create', loosenedBuyer(ANYTHING)),
  },
  {
    id: 'order-of-any-currency-passes',
    breaks: ['ORD-04'],
    summary: 'The currency of an order is not looked at.',
    ...accepting('orders.create', loosened({ free: ['currency'] })),
  },
  {
    id: 'order-of-any-return-url-passes',
    breaks: ['ORD-04'],
    summary: 'The return_url of an order is not looked at.',
    ...accepting('orders.create', loosened({ free: ['return_url'] })),
  },
  {
    id: 'order-of-any-cancel-url-passes',
    breaks: ['ORD-04'],
    summary: 'The cancel_url of an order is not looked at.',
    ...accepting('orders.create', loosened({ free: ['cancel_url'] })),
  },
  {
    id: 'order-of-any-buyer-passes',
    breaks: ['ORD-04'],
    summary: 'The buyer is not looked at.',
    ...accepting('orders.create', loosened({ free: ['buyer'] })),
  },
  {
    id: 'order-of-numeric-domain-crashes',
    breaks: ['ORD-04'],
    summary: 'A domain that is no text is answered 500.',
    ...accepting('orders.create', loosened({ free: ['domain'] }), (input, sound) => {
      if (typeof input.body['domain'] !== 'string') throw new TypeError('domain.toLowerCase is not a function')
      return sound(input)
    }),
  },
  {
    id: 'order-without-reference-crashes',
    breaks: ['ORD-04'],
    summary: 'An order without external_payment_ref is answered 500.',
    ...accepting('orders.create', SOUND, (input, sound) => {
      if (input.body['external_payment_ref'] === undefined) throw new TypeError('cannot read properties of undefined')
      return sound(input)
    }),
  },
  {
    id: 'order-faults-named-one-by-one',
    breaks: ['ORD-04'],
    summary: 'Of several wrong fields only the first is named.',
    ...answeringWhere(
      (answer) => codeOf(answer) === 'validation_error',
      (answer) => withFields(answer, (fields) => ({ ...fields, message: firstFault(fields) })),
    ),
  },
  {
    id: 'order-faults-not-named',
    breaks: ['ORD-04'],
    summary: 'The message about a wrong body names no field.',
    ...refusingWith((answer, call) => call.endpoint === 'orders.create' && codeOf(answer) === 'validation_error', {
      status: 400,
      code: 'validation_error',
      message: 'the request is not valid',
    }),
  },
  {
    id: 'validation-error-is-422',
    breaks: ['ORD-04', 'INV-02', 'INV-11'],
    summary: 'What is not valid is refused with validation_error and status 422.',
    rules: (sound) => ({ ...sound, statuses: { validation_error: 422 } }),
  },
]

interface Loosening {
  /** Fields that may be absent. */
  optional?: readonly string[]
  /** Fields that may hold anything. */
  free?: readonly string[]
  /** Fields that are read by another schema. */
  set?: Fields
}

function loosened({ optional = [], free = [], set = {} }: Loosening): Schema<unknown> {
  const json = SOUND.json as { properties: Fields; required: string[] }
  const anything = Object.fromEntries(free.map((name) => [name, ANYTHING]))
  return {
    json: {
      ...json,
      properties: { ...json.properties, ...anything, ...set },
      required: json.required.filter((name) => !optional.includes(name)),
    },
  }
}

function loosenedBuyer(email: Fields): Schema<unknown> {
  const { buyer } = (SOUND.json as { properties: { buyer: { properties: Fields } } }).properties
  return loosened({ set: { buyer: { ...buyer, properties: { ...buyer.properties, email } } } })
}

function withPrice(input: AnyInput, cents: number): AnyInput {
  return { ...input, body: { ...input.body, expected_price: cents } }
}

function firstFault(fields: Fields): string {
  return String(fields['message']).split('; ')[0] as string
}
