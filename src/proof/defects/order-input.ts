import { ApiError } from '../../contract/errors.ts'
import { salesRoutes } from '../../sandbox/sales/routes.ts'
import { codeOf, type Fields, refilling, refusalsOf, refusingAs, refusingWith } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { type AnyInput, accepting, handling } from './routes.ts'

const VALID = salesRoutes['orders.create'].body?.json as { properties: Fields; required: string[] }
const BUYER = VALID.properties['buyer'] as { properties: Fields }
const ANYTHING = {}

/** Mistakes about the body of POST /orders. */
export const orderInputDefects: readonly Defect[] = [
  defect('order-without-domain-is-not-found', ['ORD-04'], {
    summary: 'An order without a domain is refused with 404.',
    ...readingAs({ ...VALID, required: VALID.required.filter((name) => name !== 'domain') }, (input, correct) => {
      if (input.body['domain'] === undefined) throw new ApiError('not_found', 'the domain is not listed for sale')
      return correct(input)
    }),
  }),
  defect('order-price-as-text-passes', ['ORD-04'], {
    summary: 'An expected price may be a text of digits.',
    ...reading({ expected_price: ANYTHING }, (input, correct) =>
      correct(withPrice(input, Number(input.body['expected_price']))),
    ),
  }),
  defect('order-price-with-decimals-passes', ['ORD-04'], {
    summary: 'Decimals of an expected price are cut off.',
    ...reading({ expected_price: { type: 'number' } }, (input, correct) =>
      correct(withPrice(input, Math.trunc(Number(input.body['expected_price'])))),
    ),
  }),
  defect('order-of-numeric-email-passes', ['ORD-04'], {
    summary: 'The buyer’s e-mail address may be of any type.',
    ...reading({ buyer: { ...BUYER, properties: { ...BUYER.properties, email: ANYTHING } } }),
  }),
  defect('order-of-any-currency-passes', ['ORD-04'], {
    summary: 'The currency of an order is not looked at.',
    ...reading({ currency: ANYTHING }),
  }),
  defect('order-of-any-return-url-passes', ['ORD-04'], {
    summary: 'The return_url of an order is not looked at.',
    ...reading({ return_url: ANYTHING }),
  }),
  defect('order-of-any-cancel-url-passes', ['ORD-04'], {
    summary: 'The cancel_url of an order is not looked at.',
    ...reading({ cancel_url: ANYTHING }),
  }),
  defect('order-of-any-buyer-passes', ['ORD-04'], {
    summary: 'The buyer is not looked at.',
    ...reading({ buyer: ANYTHING }),
  }),
  defect('order-of-numeric-domain-crashes', ['ORD-04'], {
    summary: 'A domain that is not text is answered 500.',
    ...reading({ domain: ANYTHING }, (input, correct) => {
      if (typeof input.body['domain'] !== 'string') throw new TypeError('domain.toLowerCase is not a function')
      return correct(input)
    }),
  }),
  defect('order-without-reference-crashes', ['ORD-04'], {
    summary: 'An order without external_payment_ref is answered 500.',
    ...handling('orders.create', (input, correct) => {
      if (input.body['external_payment_ref'] === undefined) throw new TypeError('cannot read properties of undefined')
      return correct(input)
    }),
  }),
  defect('order-faults-named-one-by-one', ['ORD-04'], {
    summary: 'Of several wrong fields only the first is named.',
    ...refilling(
      (answer) => codeOf(answer) === 'validation_error',
      (fields) => ({ ...fields, message: String(fields['message']).split('; ')[0] }),
    ),
  }),
  defect('order-faults-not-named', ['ORD-04'], {
    summary: 'The message about a wrong body names no field.',
    ...refusingWith(
      refusalsOf('orders.create', 'validation_error'),
      400,
      'validation_error',
      'the request is not valid',
    ),
  }),
  defect('validation-error-is-422', ['ORD-04', 'INV-02', 'INV-11'], {
    summary: 'What is not valid is refused with validation_error and status 422.',
    ...refusingAs('validation_error', 422),
  }),
]

type Handle = Parameters<typeof accepting>[2]

/** A server that reads some fields of the body by other schemas. */
function reading(fields: Fields, handle?: Handle): Tampered {
  return readingAs({ ...VALID, properties: { ...VALID.properties, ...fields } }, handle)
}

function readingAs(json: Fields, handle?: Handle): Tampered {
  return accepting('orders.create', { body: { json } }, handle)
}

function withPrice(input: AnyInput, cents: number): AnyInput {
  return { ...input, body: { ...input.body, expected_price: cents } }
}
