import { ApiError } from '../../contract/errors.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import type { Reply } from '../../sandbox/wire/route.ts'
import { answeringWhere, codeOf, without } from './answers.ts'
import { changing, type Defect, defect, type Tampered } from './defect.ts'
import { readable } from './orders.ts'
import { type AnyInput, altering, handling, lacking, type RouteHandler, refusingLater, showing } from './routes.ts'

const QUOTE_MS = 600_000

/** Mistakes about firm prices and reservations. */
export const quoteDefects: readonly Defect[] = [
  defect('quote-without-token', ['QUOTE-01'], {
    summary: 'A quote has no token.',
    ...lacking('quotes.create', 'quote_token'),
  }),
  defect('quote-says-a-quarter-of-an-hour', ['QUOTE-01'], {
    summary: 'A quote says that it ends five minutes later than it does.',
    ...altering('quotes.create', ({ expires_at: end }) => ({
      expires_at: new Date(Date.parse(String(end)) + 300_000).toISOString(),
    })),
  }),
  defect('quote-expires-at-once', ['QUOTE-02', 'QUOTE-01'], {
    summary: 'A quote has expired before it can be used.',
    ...changing('quotes', { seconds: -1 }),
  }),
  defect('quote-price-is-not-charged', ['QUOTE-02'], {
    summary: 'An order with a quote shows a sale price of one cent more.',
    ...showing('orders.create', (body, input) =>
      input.body['quote_id'] === undefined ? body : { ...body, sale_price_cents: Number(body['sale_price_cents']) + 1 },
    ),
  }),
  defect('quote-never-expires', ['QUOTE-03'], {
    summary: 'An order may use a quote of any age.',
    ...handling('orders.create', (input, correct) => {
      const { world, body } = input
      world.db
        .prepare("UPDATE OR IGNORE quotes SET state = 'open', expires_at = ? WHERE seq = ? AND state = 'expired'")
        .run(world.clock.nowMs() + 1, world.chance.numberOf('quote', String(body['quote_id'])))
      return correct(input)
    }),
  }),
  defect('quote-lasts-an-hour', ['QUOTE-03', 'QUOTE-04'], {
    summary: 'A quote lasts an hour.',
    ...changing('quotes', { seconds: 3_600 }),
  }),
  defect('quote-lasts-half-a-minute-longer', ['QUOTE-03', 'QUOTE-04'], {
    summary: 'A quote lasts half a minute longer than ten minutes.',
    ...changing('quotes', { seconds: 630 }),
  }),
  defect('quote-expired-passes-at-the-second-attempt', ['QUOTE-03'], {
    summary:
      'An expired quote is removed when an order with it is refused, so that the next one counts as an order without a quote.',
    ...removingExpiredQuotes(),
  }),
  defect('quote-buys-any-domain', ['QUOTE-10'], {
    summary: 'An order for any domain is recorded at the price of any quote of the partner.',
    ...handling(
      'orders.create',
      givingQuote('domain', ({ body }) => normalizeDomain(String(body['domain'])) ?? ''),
    ),
  }),
  defect('quote-buys-a-domain-of-equal-price', ['QUOTE-10'], {
    summary: 'An order for another domain is recorded with a quote where both have the same price.',
    ...handling('orders.create', (input, correct) => {
      const domain = normalizeDomain(String(input.body['domain'])) ?? ''
      const isEqual = findListing(input.world, domain)?.priceCents === input.body['expected_price']
      return isEqual ? givingQuote('domain', () => domain)(input, correct) : correct(input)
    }),
  }),
  defect('quote-renewed-by-a-refused-order', ['QUOTE-04'], {
    summary: 'An order that is refused for its price renews its quote.',
    ...answeringWhere(
      (answer, call) => call.endpoint === 'orders.create' && codeOf(answer) === 'price_mismatch',
      (answer, call) => {
        renewQuote(call.world as World, String(readable(call.body)['quote_id']))
        return answer
      },
    ),
  }),
  defect('reservation-ends-with-a-refused-order', ['QUOTE-04'], {
    summary: 'An order that is refused for its price gives the domain of its quote free.',
    ...answeringWhere(
      (answer, call) => call.endpoint === 'orders.create' && codeOf(answer) === 'price_mismatch',
      (answer, call) => {
        endQuote(call.world as World, String(readable(call.body)['quote_id']))
        return answer
      },
    ),
  }),
  defect('quote-buys-for-anyone', ['QUOTE-10'], {
    summary: 'Another partner may use a quote, and buy the domain that it reserves.',
    ...handling(
      'orders.create',
      givingQuote('partner_id', ({ caller }) => caller.partnerId),
    ),
  }),
  defect('quote-for-another-domain-records-the-order', ['QUOTE-10'], {
    summary: 'An order with the quote of another domain is refused, and recorded at the price of its own domain.',
    ...refusingLater('orders.create', 'validation_error', recordingWithoutQuote),
  }),
  defect('quote-expired-records-the-order', ['QUOTE-03'], {
    summary: 'An order with an expired quote is refused, and recorded at the price of its domain.',
    ...refusingLater('orders.create', 'quote_expired', recordingWithoutQuote),
  }),
]

function removingExpiredQuotes(): Tampered {
  const removed = new WeakMap<World, Set<unknown>>()
  return handling('orders.create', (input, correct) => {
    const { world, body } = input
    const known = removed.get(world) ?? new Set()
    removed.set(world, known)
    if (known.has(body['quote_id'])) return recordingWithoutQuote(input, correct)
    try {
      return correct(input)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'quote_expired') known.add(body['quote_id'])
      throw error
    }
  })
}

function endQuote(world: World, quoteId: string): void {
  const ending = world.db.prepare("UPDATE quotes SET state = 'expired' WHERE seq = ? AND state = 'open'")
  world.commits.commitNow(() => ending.run(world.chance.numberOf('quote', quoteId)))
}

function renewQuote(world: World, quoteId: string): void {
  const renewing = world.db.prepare("UPDATE quotes SET expires_at = ? WHERE seq = ? AND state = 'open'")
  world.commits.commitNow(() => renewing.run(world.clock.nowMs() + QUOTE_MS, world.chance.numberOf('quote', quoteId)))
}

/** Before an order is judged, its quote becomes one of that domain or partner. */
function givingQuote(column: 'domain' | 'partner_id', to: (input: AnyInput) => string) {
  return (input: AnyInput, correct: RouteHandler): Reply => {
    const { world, body } = input
    const seq = world.chance.numberOf('quote', String(body['quote_id']))
    world.db.prepare(`UPDATE quotes SET ${column} = ? WHERE seq = ?`).run(to(input), seq)
    return correct(input)
  }
}

/** Records an order of which nothing but the quote was wrong, at the price that its domain is listed at. */
function recordingWithoutQuote(input: AnyInput, correct: RouteHandler): Reply {
  const { world, body } = input
  if (body['quote_id'] === undefined) return correct(input)
  const listing = findListing(world, normalizeDomain(String(body['domain'])) ?? '')
  return correct({ ...input, body: { ...without(body, 'quote_id'), expected_price: listing?.priceCents } })
}
