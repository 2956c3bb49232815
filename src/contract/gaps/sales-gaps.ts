import { gap } from './gap.ts'
import { ORDER_GAPS } from './order-gaps.ts'

/** What is open about the reads of the inventory. */
const INVENTORY_GAPS = {
  'availability-type': gap({
    requirement: 'INV-13',
    question: 'The yes or no of an availability',
    values: ['a boolean'],
    reason: 'JSON has a type for it.',
    fixed: 'A word would be another shape of the answer, which no client has a reason to expect.',
  }),
  'name-forms': gap({
    requirement: 'INV-10',
    question: 'Upper case, a dot at the end and Unicode letters in a domain name',
    values: ['make no difference', 'are malformed'],
    reason: 'They make none in the DNS.',
  }),
  'sold-in-search': gap({
    requirement: 'INV-12',
    question: 'Sold and reserved domains in search',
    values: ['left out', 'shown as not available'],
    reason: 'Search returns only five domains, so each should be one that can be bought.',
  }),
  'sold-detail': gap({
    requirement: 'INV-12',
    question: 'The detail of a sold domain',
    values: ['not available', '404 not_found'],
    reason: 'It explains to a partner why the domain it showed a minute ago cannot be bought.',
  }),
  'sold-pricing': gap({
    requirement: 'INV-12',
    question: 'The pricing of a sold domain',
    values: ['404 not_found', 'its last price'],
    reason: 'What cannot be bought has no price.',
  }),
  'sold-availability-price': gap({
    requirement: 'INV-12',
    question: 'The price that availability gives of a sold domain',
    values: ['its last price', 'null'],
    reason: 'The answer has the same fields as before the sale.',
  }),
  'reserved-to-holder': gap({
    requirement: 'INV-12',
    question: 'What detail and availability answer to the partner whose own quote reserves a domain',
    values: ['not available', 'available'],
    reason: 'One answer for everybody; who holds a quote knows that it does.',
  }),
} as const

/** What is open about quotes. */
const QUOTE_GAPS = {
  'quote-price': gap({
    requirement: 'QUOTE-05',
    question: 'What expected_price is compared with where the listing has changed since the quote',
    values: ['the quote', 'the quote or the listing', 'both'],
    reason: 'A price that is firm for ten minutes has to be payable for ten minutes.',
  }),
  'reserved-refusal': gap({
    requirement: 'QUOTE-06',
    question: 'How a quote or an order is refused whose domain another partner has reserved',
    values: ['conflict', 'not_found', 'validation_error'],
    reason: 'The request is correct, but the present state does not allow it.',
  }),
  'sold-refusal': gap({
    requirement: 'QUOTE-06',
    question: 'How a quote, an order or a session is refused whose domain is sold',
    values: ['conflict', 'not_found', 'validation_error'],
    reason: 'The request is correct, but the present state does not allow it.',
  }),
  'unlisted-quote': gap({
    requirement: 'QUOTE-07',
    question: 'A quote for a domain that is not listed',
    values: ['404 not_found'],
    reason: 'It is the code that an order for such a domain gets.',
    fixed: 'The error table names this code for a domain that is not listed.',
  }),
  'foreign-quote-refusal': gap({
    requirement: 'QUOTE-07',
    question: 'An order whose quote_id is unknown, or of another domain or partner',
    values: ['validation_error', 'not_found', 'conflict', 'quote_expired'],
    reason: 'The field is wrong, and the message can name it.',
  }),
  'used-quote-refusal': gap({
    requirement: 'QUOTE-07',
    question: 'An order whose quote has been used for another order',
    values: ['conflict', 'quote_expired', 'validation_error'],
    reason: 'The request is correct, but the quote has been used since.',
  }),
  'second-quote': gap({
    requirement: 'QUOTE-08',
    question: 'A second quote by the same partner for the same domain',
    values: ['replaces the first', 'is the first again', 'is refused'],
    reason: 'A partner that asks again wants ten minutes from now, and one reservation is enough.',
  }),
  'quote-edge': gap({
    requirement: 'QUOTE-09',
    question: 'A quote that is exactly 600 seconds old',
    values: ['valid', 'expired'],
    reason: 'The document calls a quote expired once it is older than its window.',
  }),
} as const

/** What is open about inventory, quotes, orders and idempotency. */
export const SALES_GAPS = { ...INVENTORY_GAPS, ...QUOTE_GAPS, ...ORDER_GAPS } as const
