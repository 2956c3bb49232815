import type { Schema } from '../../contract/schema.ts'
import { LISTING_CURRENCY } from '../../sandbox/inventory/draw-listing.ts'
import { salesRoutes } from '../../sandbox/sales/routes.ts'
import { fitsFormat } from '../../sandbox/wire/validation.ts'
import { answeringWhere, crashing, type Fields, isServed, readable, refusal, refusingAs } from './answers.ts'
import { both, type Defect, defect, type Tampered } from './defect.ts'
import { forgiving } from './orders.ts'
import { type AnyInput, accepting, type Handling, handlingBefore, refusing } from './routes.ts'

const BODY = salesRoutes['orders.create'].body as Schema<Fields>
const VALID = BODY.json as { properties: Fields; required: string[] }
const BUYER = VALID.properties['buyer'] as { properties: Fields }
const ANYTHING = {}
const APOSTROPHE = 0x27

/** Mistakes about the body of POST /orders. */
export const orderInputDefects: readonly Defect[] = [
  defect('order-of-numeric-email-passes', ['ORD-04'], {
    summary: 'The buyer’s e-mail address may be of any type.',
    ...reading({ buyer: { ...BUYER, properties: { ...BUYER.properties, email: ANYTHING } } }),
  }),
  defect('order-without-reference-crashes', ['ORD-04'], {
    summary: 'An order without external_payment_ref is answered 500.',
    ...handlingBefore('orders.create', ({ body }) => {
      if (body['external_payment_ref'] === undefined) throw new TypeError('cannot read properties of undefined')
    }),
  }),
  defect('order-of-a-name-with-an-apostrophe-crashes', ['ORD-01'], {
    summary: 'An order of a buyer whose name has an apostrophe is answered 500.',
    ...crashingOn((body) => body.includes(APOSTROPHE)),
  }),
  defect('order-of-a-character-of-four-bytes-crashes', ['ORD-01'], {
    summary: 'An order with a character beyond U+FFFF in its body is answered 500.',
    ...crashingOn((body) => body.some((byte) => byte >= 0xf0)),
  }),
  defect('order-of-a-long-name-crashes', ['ORD-01'], {
    summary: 'An order of a buyer whose name has more than 255 characters is answered 500.',
    ...crashingOn((body) => String((readable(body)['buyer'] as Fields | undefined)?.['name']).length > 255),
  }),
  defect('order-of-an-address-with-a-plus-sign-is-refused', ['ORD-01'], {
    summary: 'An e-mail address with a plus sign counts as malformed.',
    ...refusing(
      'orders.create',
      ({ body }) => String((body['buyer'] as Fields | undefined)?.['email']).includes('+'),
      'validation_error',
      'buyer.email is malformed',
    ),
  }),
  defect('price-without-currency-passes', ['ORD-03'], {
    summary: 'An order without a currency is recorded at any expected price.',
    ...readingAs({ ...VALID, required: VALID.required.filter((name) => name !== 'currency') }, (input, correct) =>
      input.body['currency'] === undefined ? forgiving(() => true)(inListingCurrency(input), correct) : correct(input),
    ),
  }),
  defect('price-below-zero-passes', ['ORD-03'], {
    summary: 'An expected price of minus the price buys a domain.',
    ...reading(
      { expected_price: { type: 'integer' } },
      forgiving((difference, priceCents) => difference === -2 * priceCents),
    ),
  }),
  defect('order-of-malformed-currency-is-recorded', ['ORD-04'], {
    summary: 'An order with a malformed currency is recorded before it is refused.',
    ...both(
      reading({ currency: ANYTHING }, (input, correct) =>
        correct(isCurrency(input.body['currency']) ? input : inListingCurrency(input)),
      ),
      answeringWhere(
        ({ status }, call) =>
          call.endpoint === 'orders.create' && status < 300 && !isCurrency(readable(call.body)['currency']),
        () => refusal(400, 'validation_error', 'currency is malformed'),
      ),
    ),
  }),
  defect('validation-error-is-422', ['ORD-04', 'INV-02', 'INV-11'], {
    summary: 'What is not valid is refused with validation_error and status 422.',
    ...refusingAs('validation_error', 422),
  }),
]

/** A server that fails on some bodies of orders. */
function crashingOn(isOdd: (body: Uint8Array) => boolean): Tampered {
  return crashing((_, call) => call.endpoint === 'orders.create' && isServed(call) && isOdd(call.body))
}

function isCurrency(value: unknown): boolean {
  return typeof value === 'string' && fitsFormat('currency', value)
}

function inListingCurrency(input: AnyInput): AnyInput {
  return { ...input, body: { ...input.body, currency: LISTING_CURRENCY } }
}

/** A server that reads some fields of the body by other schemas. */
function reading(fields: Fields, handle?: Handling): Tampered {
  return readingAs({ ...VALID, properties: { ...VALID.properties, ...fields } }, handle)
}

function readingAs(json: Fields, handle?: Handling): Tampered {
  return accepting('orders.create', { body: { json } }, handle)
}
