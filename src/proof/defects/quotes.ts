import { ApiError } from '../../contract/errors.ts'
import { normaliseDomain } from '../../sandbox/kernel/domain-name.ts'
import { codeOf, refusingWith, without } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { recordsThenRefuses } from './order-records.ts'
import { type AnyInput, handling, showing } from './routes.ts'

/** Mistakes about firm prices and reservations. */
export const quoteDefects: readonly Defect[] = [
  {
    id: 'quote-without-token',
    breaks: ['QUOTE-01'],
    summary: 'A quote has no token.',
    ...showing('quotes.create', (body) => without(body, 'quote_token')),
  },
  {
    id: 'quote-token-is-the-id',
    breaks: ['QUOTE-01'],
    summary: 'The token of a quote is its quote_id.',
    ...showing('quotes.create', (body) => ({ ...body, quote_token: body['quote_id'] })),
  },
  {
    id: 'quote-without-price',
    breaks: ['QUOTE-01'],
    summary: 'A quote has no price.',
    ...showing('quotes.create', (body) => without(body, 'price_cents')),
  },
  {
    id: 'quote-without-id',
    breaks: ['QUOTE-01'],
    summary: 'A quote has no quote_id.',
    ...showing('quotes.create', (body) => without(body, 'quote_id')),
  },
  {
    id: 'quote-lasts-five-minutes',
    breaks: ['QUOTE-02', 'QUOTE-01'],
    summary: 'A quote expires after five minutes.',
    ...changing('quotes', { seconds: 300 }),
  },
  {
    id: 'quote-expires-at-once',
    breaks: ['QUOTE-02', 'QUOTE-01'],
    summary: 'A quote has expired before it can be used.',
    ...changing('quotes', { seconds: -1 }),
  },
  {
    id: 'quote-price-is-not-charged',
    breaks: ['QUOTE-02'],
    summary: 'An order with a quote shows a sale price of one cent more.',
    ...showing('orders.create', (body, input) =>
      input.body['quote_id'] === undefined ? body : { ...body, sale_price_cents: Number(body['sale_price_cents']) + 1 },
    ),
  },
  {
    id: 'quote-never-expires',
    breaks: ['QUOTE-03'],
    summary: 'An order may use a quote of any age.',
    ...changing('quotes', { expiryChecked: false }),
  },
  {
    id: 'quote-lasts-an-hour',
    breaks: ['QUOTE-03', 'QUOTE-04'],
    summary: 'A quote lasts an hour.',
    ...changing('quotes', { seconds: 3_600 }),
  },
  {
    id: 'quote-expired-is-conflict',
    breaks: ['QUOTE-03'],
    summary: 'An expired quote is refused with 409 conflict.',
    ...refusingWith((answer) => codeOf(answer) === 'quote_expired', { status: 409, code: 'conflict' }),
  },
  {
    id: 'quote-expired-is-400',
    breaks: ['QUOTE-03'],
    summary: 'An expired quote is refused with quote_expired and status 400.',
    rules: (sound) => ({ ...sound, statuses: { quote_expired: 400 } }),
  },
  {
    id: 'quote-expired-records-the-order',
    breaks: ['QUOTE-03'],
    summary: 'An order with an expired quote is refused and recorded all the same.',
    hooks: recordsThenRefuses('quote_expired', (input) => ({ ...input, body: without(input.body, 'quote_id') })),
  },
  {
    id: 'quote-reserves-nothing',
    breaks: ['QUOTE-04'],
    summary: 'A quoted domain can be quoted and bought by others.',
    ...changing('quotes', { reserves: false }),
  },
  {
    id: 'quote-reserves-against-quotes-only',
    breaks: ['QUOTE-04'],
    summary: 'A quoted domain cannot be quoted by others, but they can buy it.',
    ...handling('orders.create', (input, sound) => {
      const { world, body } = input
      world.db
        .prepare("UPDATE quotes SET state = 'expired' WHERE domain = ? AND partner_id <> ?")
        .run(normaliseDomain(String(body['domain'])), input.caller.partnerId)
      return sound(input)
    }),
  },
  {
    id: 'reservation-outlives-its-quote',
    breaks: ['QUOTE-04'],
    summary: 'A domain that was once quoted stays reserved after the quote has expired.',
    ...handling(['quotes.create', 'orders.create'], (input, sound) => {
      if (wasQuotedByAnother(input)) throw new ApiError('conflict', 'the domain is reserved by another partner')
      return sound(input)
    }),
  },
]

function wasQuotedByAnother({ world, caller, body }: AnyInput): boolean {
  const others = world.db.prepare('SELECT 1 FROM quotes WHERE domain = ? AND partner_id <> ?')
  return others.get(normaliseDomain(String(body['domain'])), caller.partnerId) !== undefined
}
