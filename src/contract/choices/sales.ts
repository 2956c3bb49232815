/** What is open about inventory, quotes, orders and idempotency. */
export const SALES_CHOICES = {
  // The reads of the inventory.
  'availability-type': {
    requirement: 'INV-13',
    question: 'The yes or no of an availability',
    values: ['a boolean'],
    reason: 'JSON has a type for it.',
    fixed: 'A word would be another shape of the answer, which no client has a reason to expect.',
  },
  'name-forms': {
    requirement: 'INV-10',
    question: 'Upper case, a dot at the end and Unicode letters in a domain name',
    values: ['make no difference', 'are malformed'],
    reason: 'They make none in the DNS.',
  },
  'sold-in-search': {
    requirement: 'INV-12',
    question: 'Sold and reserved domains in search',
    values: ['left out', 'shown as not available'],
    reason: 'Search returns only five domains, so each should be one that can be bought.',
  },
  'sold-detail': {
    requirement: 'INV-12',
    question: 'The detail of a sold domain',
    values: ['not available', '404 not_found'],
    reason: 'It explains to a partner why the domain it showed a minute ago cannot be bought.',
  },
  'sold-pricing': {
    requirement: 'INV-12',
    question: 'The pricing of a sold domain',
    values: ['404 not_found', 'its last price'],
    reason: 'What cannot be bought has no price.',
  },
  'sold-availability-price': {
    requirement: 'INV-12',
    question: 'The price that availability gives of a sold domain',
    values: ['its last price', 'null'],
    reason: 'The answer has the same fields as before the sale.',
  },
  'reserved-to-holder': {
    requirement: 'INV-12',
    question: 'What detail and availability answer to the partner whose own quote reserves a domain',
    values: ['not available', 'available'],
    reason: 'One answer for everybody; who holds a quote knows that it does.',
  },

  // Quotes.
  'quote-price': {
    requirement: 'QUOTE-05',
    question: 'What expected_price is compared with where the listing has changed since the quote',
    values: ['the quote', 'the quote or the listing', 'both'],
    reason: 'A price that is firm for ten minutes has to be payable for ten minutes.',
  },
  'reserved-refusal': {
    requirement: 'QUOTE-06',
    question: 'How a quote or an order is refused whose domain another partner has reserved',
    values: ['conflict', 'not_found', 'validation_error'],
    reason: 'The request is correct, but the present state does not allow it.',
  },
  'sold-refusal': {
    requirement: 'QUOTE-06',
    question: 'How a quote, an order or a session is refused whose domain is sold',
    values: ['conflict', 'not_found', 'validation_error'],
    reason: 'The request is correct, but the present state does not allow it.',
  },
  'unlisted-quote': {
    requirement: 'QUOTE-07',
    question: 'A quote for a domain that is not listed',
    values: ['404 not_found'],
    reason: 'It is the code that an order for such a domain gets.',
    fixed: 'The error table names this code for a domain that is not listed.',
  },
  'foreign-quote-refusal': {
    requirement: 'QUOTE-07',
    question: 'An order whose quote_id is unknown, or of another domain or partner',
    values: ['validation_error', 'not_found', 'conflict', 'quote_expired'],
    reason: 'The field is wrong, and the message can name it.',
  },
  'used-quote-refusal': {
    requirement: 'QUOTE-07',
    question: 'An order whose quote has been used for another order',
    values: ['conflict', 'quote_expired', 'validation_error'],
    reason: 'The request is correct, but the quote has been used since.',
  },
  'second-quote': {
    requirement: 'QUOTE-08',
    question: 'A second quote by the same partner for the same domain',
    values: ['replaces the first', 'is the first again', 'is refused'],
    reason: 'A partner that asks again wants ten minutes from now, and one reservation is enough.',
  },
  'quote-edge': {
    requirement: 'QUOTE-09',
    question: 'A quote that is exactly 600 seconds old',
    values: ['valid', 'expired'],
    reason: 'The document calls a quote expired once it is older than its window.',
  },

  // Recording orders.
  'domain-sold': {
    requirement: 'ORD-12',
    question: 'How often a domain is sold',
    values: ['once'],
    reason: 'It is delivered to one registrar.',
    fixed: 'It cannot be delivered to two buyers.',
  },
  'expected-price-unit': {
    requirement: 'ORD-13',
    question: 'Unit of expected_price',
    values: ['cents', 'units'],
    reason: 'Every other amount of the document is in cents.',
  },
  'order-required-fields': {
    requirement: 'ORD-13',
    question: 'Which fields an order must have',
    values: [
      'domain, expected_price, currency, buyer.email',
      'domain, expected_price, buyer.email',
      'domain, expected_price, currency, buyer.email, return_url, cancel_url',
    ],
    reason: 'What is sold, at what price, and to whom; the rest is of use to the partner alone.',
  },
  'unknown-fields': {
    requirement: 'ORD-13',
    question: 'Unknown fields in a body',
    values: ['refused by name', 'ignored'],
    reason: 'A misspelled field that is ignored is found out in production.',
  },
  'created-status': {
    requirement: 'ORD-16',
    question: 'Status of a call that creates something',
    values: [201, 200],
    reason: 'The usual answer to a POST that made a resource.',
  },
  'repeated-order-status': {
    requirement: 'ORD-16',
    question: 'Status of an order that is repeated under its Idempotency-Key',
    values: ['as stored', '200'],
    reason: 'The stored response has a status too.',
  },
  'replay-mark': {
    requirement: 'ORD-16',
    question: 'Whether a repeated answer says that it is one',
    values: ['Idempotent-Replayed: true', 'no'],
    reason: 'It costs nothing, and separates a retry that worked from one that was not needed.',
  },

  // The names of parameters, fields and states.
  'window-parameters': {
    requirement: 'ORD-14',
    question: 'Parameters for a date range, but those of GET /transactions',
    values: ['from, to', 'created_after, created_before', 'start_date, end_date'],
    reason: 'GET /transactions has these.',
  },
  'domain-parameter': {
    requirement: 'ORD-14',
    question: 'Parameter of GET /orders for the domain',
    values: ['domain', 'domain_name'],
    reason: 'The field is called so.',
  },
  'cursor-parameter': {
    requirement: 'ORD-14',
    question: 'Parameter of lists for the next page',
    values: ['cursor', 'page_token', 'starting_after'],
    reason: 'The document speaks of cursor pagination.',
  },
  'limit-parameter': {
    requirement: 'ORD-14',
    question: 'Parameter of lists for the length of a page',
    values: ['limit', 'page_size'],
    reason: 'The event history has it.',
  },
  'next-cursor-field': {
    requirement: 'ORD-14',
    question: 'Field of lists that leads to the next page',
    values: ['next_cursor', 'next_page_token'],
    reason: 'The event history has it.',
  },
  'orders-order': {
    requirement: 'ORD-14',
    question: 'Order of the orders of a list',
    values: ['newest first', 'oldest first'],
    reason: 'Who looks into a list mostly looks for what came last.',
  },
  'held-status': {
    requirement: 'ORD-15',
    question: 'Status of an order that is held for manual review',
    values: ['MANUAL_REVIEW', 'ON_HOLD', 'HELD'],
    reason: 'The event that ends it is called order.manual_review_cleared.',
  },
  'refunded-status': {
    requirement: 'ORD-15',
    question: 'Status of a refunded order',
    values: ['REFUNDED', 'CLAWED_BACK'],
    reason: 'The event is called order.refunded.',
  },
  'cancelled-status': {
    requirement: 'ORD-15',
    question: 'Status of a cancelled order',
    values: ['CANCELLED', 'CANCELED', 'VOIDED'],
    reason: 'The document spells the word so.',
  },

  // Idempotency-Key.
  'idempotency-key-hours': {
    requirement: 'IDEM-09',
    question: 'How many hours of world time a key is remembered',
    values: [24, 1, 168],
    reason: 'A retry comes within a day or never.',
  },
  'idempotency-key-max-length': {
    requirement: 'IDEM-09',
    question: 'The longest key, in visible ASCII characters',
    values: [255, 64, 128],
    reason: 'Room for any usual identifier.',
  },
  'refused-attempt': {
    requirement: 'IDEM-09',
    question: 'What a refused order does to its key',
    values: ['leaves it free', 'is repeated under it'],
    reason: 'What failed for a price can be sent again with the right one.',
  },
  'same-body': {
    requirement: 'IDEM-09',
    question: 'When two bodies under one key are the same',
    values: ['the same bytes', 'the same JSON'],
    reason: 'A retry sends what it sent, and its signature covers the bytes.',
  },
  'key-within': {
    requirement: 'IDEM-09',
    question: 'What a key is unique within',
    values: ['partner', 'credential'],
    reason: 'A key can be retried after the credential was replaced.',
  },
} as const
