import { findListing } from '../../sandbox/inventory/listings.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import type { Reply } from '../../sandbox/wire/route.ts'
import { actingWhere, cents, domainIn, type Fields, HOUR_MS, readable, refusalsOf, without } from './answers.ts'
import { change, changing, type Defect, defect, found, perWorld, type Tampered } from './defect.ts'
import {
  type AnyInput,
  altering,
  everyThirdEndsLater,
  handlingBefore,
  isOfLaterPartner,
  lacking,
  listingRefused,
  type RouteHandler,
  refusingLater,
} from './routes.ts'

const QUOTE_MS = 600_000
/** How long such a server takes to store a reservation. */
const STORING_MS = 200

/** Mistakes about firm prices and reservations. */
export const quoteDefects: readonly Defect[] = [
  defect('quote-without-token', ['QUOTE-01'], {
    summary: 'A quote has no token.',
    ...lacking('quotes.create', 'quote_token'),
  }),
  defect('quote-has-the-price-of-the-first-one', ['QUOTE-01'], {
    summary: 'A quote shows the price that the first quote for its domain had.',
    ...altering('quotes.create', ({ domain }, { world }) => ({
      price_cents: found(world, 'SELECT price_cents FROM quotes WHERE domain = ? ORDER BY seq', domain),
    })),
  }),
  defect('quote-of-a-domain-quoted-before-lacks-its-token', ['QUOTE-01'], {
    summary: 'The second quote for a domain has no token, be the first one of another partner or not.',
    ...altering('quotes.create', ({ quote_token: token }, { world, body }) => {
      const quotes = found(world, 'SELECT count(*) FROM quotes WHERE domain = ?', domainIn(body))
      return { quote_token: Number(quotes) < 2 ? token : null }
    }),
  }),
  defect('some-quotes-say-an-hour', ['QUOTE-01'], {
    summary: 'Every third quote says that it ends after an hour.',
    ...everyThirdEndsLater('quotes.create', HOUR_MS),
  }),
  defect('quote-expires-at-once', ['QUOTE-02', 'QUOTE-01'], {
    summary: 'A quote has expired before it can be used.',
    ...changing('quotes', { seconds: -1 }),
  }),
  defect('quote-is-charged-at-a-lower-price', ['QUOTE-02'], {
    summary: 'An order with a quote costs what its domain is listed at, where that is less.',
    ...altering('orders.create', (body, { world, body: sent }) => {
      const quoted = cents(body, 'sale_price_cents')
      const listed = findListing(world, domainIn(sent))?.priceCents ?? quoted
      return sent['quote_id'] === undefined ? {} : { sale_price_cents: Math.min(quoted, listed) }
    }),
  }),
  defect('quote-never-expires', ['QUOTE-03'], {
    summary: 'An order may use a quote of any age.',
    ...handlingBefore('orders.create', ({ world, body }) => {
      const reopening = "UPDATE OR IGNORE quotes SET state = 'open', expires_at = ? WHERE seq = ? AND state = 'expired'"
      change(world, reopening, world.clock.nowMs() + 1, quoteIn(world, body))
    }),
  }),
  defect('quote-that-expired-is-good-again-beside-a-new-one', ['QUOTE-03'], {
    summary: 'Any quote of a domain is good as long as its partner has one that has not expired.',
    ...handlingBefore('orders.create', (input) => {
      if (input.body['quote_id'] !== undefined) reviveQuote(input)
    }),
  }),
  defect('orders-refused-for-their-quote-are-listed', ['QUOTE-03'], {
    summary: 'The order list of a domain has an order that was refused for its expired quote.',
    ...listingRefused('orders.create', 'quote_expired', 'orders.list', ({ currency, external_payment_ref }) => ({
      ...{ public_id: 'ord_kept', currency, external_payment_ref, status: 'EXTERNALLY_PAID', sale_price_cents: 1 },
    })),
  }),
  defect('quote-race', ['QUOTE-04'], {
    summary: 'Reservations are looked up first and stored later, so that partners who quote at one moment all reserve.',
    ...handlingBefore('quotes.create', (input) => endQuotesOfOthers(input, input.world.clock.nowMs() - STORING_MS)),
  }),
  defect('quote-renewed-by-a-refused-order', ['QUOTE-04'], {
    summary: 'An order that is refused for its price renews its quote.',
    ...actingWhere(refusalsOf('orders.create', 'price_mismatch'), ({ world, body }) =>
      world?.commits.commitNow(() => renewQuote(world, readable(body), "AND state = 'open'")),
    ),
  }),
  defect('quote-of-a-later-partner-reserves-nothing', ['QUOTE-04'], {
    summary: 'The quotes of one partner bind the others; theirs do not bind it.',
    ...handlingBefore(['quotes.create', 'orders.create'], (input) => {
      if (!isOfLaterPartner(input)) endQuotesOfOthers(input)
    }),
  }),
  defect('quote-reserves-against-two-attempts-only', ['QUOTE-04'], {
    summary: 'Who asks for a reserved domain a third time gets it.',
    ...endingAtTheThirdAttempt(),
  }),
  defect('reservations-hold-in-one-spelling', ['QUOTE-04'], {
    summary: 'Another partner that writes the name in capitals gets a domain that is reserved.',
    ...handlingBefore('orders.create', ({ world, body }) => {
      if (body['domain'] !== domainIn(body)) endQuotes(world, body)
    }),
  }),
  defect('sessions-take-what-others-reserved', ['QUOTE-04'], {
    summary: 'A checkout session sells a domain that another partner has reserved.',
    ...handlingBefore('checkout.create', ({ world, body }) => endQuotes(world, body)),
  }),
  defect('quote-buys-any-domain', ['QUOTE-10'], {
    summary: 'An order for any domain is recorded at the price of any quote of the partner.',
    ...handlingBefore('orders.create', ({ world, body }) => {
      change(world, 'UPDATE quotes SET domain = ? WHERE seq = ?', domainIn(body), quoteIn(world, body))
    }),
  }),
  defect('quote-buys-for-anyone', ['QUOTE-10'], {
    summary: 'Another partner may use a quote, and buy the domain that it reserves.',
    ...handlingBefore('orders.create', ({ world, caller, body }) => {
      change(world, 'UPDATE quotes SET partner_id = ? WHERE seq = ?', caller.partnerId, quoteIn(world, body))
    }),
  }),
  defect('quote-for-another-domain-records-the-order', ['QUOTE-10'], {
    summary: 'An order with the quote of another domain is refused, and recorded at the price of its own domain.',
    ...refusingLater('orders.create', 'validation_error', recordingWithoutQuote),
  }),
]

/** A server that holds a domain for the partner that has quoted it against two attempts of another one. */
function endingAtTheThirdAttempt(): Tampered {
  const attempts = perWorld((): string[] => [])
  return handlingBefore(['quotes.create', 'orders.create'], (input) => {
    const attempt = `${input.caller.partnerId} ${input.body['domain']}`
    const made = attempts(input.world)
    if (made.filter((one) => one === attempt).length > 1) endQuotesOfOthers(input)
    made.push(attempt)
  })
}

/** Ends the reservations that other partners have made of a domain, since some time or ever. */
function endQuotesOfOthers({ world, caller, body }: AnyInput, sinceMs = 0): void {
  const ending = `UPDATE quotes SET state = 'expired'
    WHERE domain = ? AND partner_id <> ? AND state = 'open' AND created_at > ?`
  change(world, ending, domainIn(body), caller.partnerId, sinceMs)
}

/** Ends the reservations of the domain that a body names. */
export function endQuotes(world: World, body: Fields): void {
  change(world, "UPDATE quotes SET state = 'expired' WHERE domain = ? AND state = 'open'", domainIn(body))
}

/** The number of the quote that an order names. */
function quoteIn(world: World, body: Fields): number | null {
  return world.chance.numberOf('quote', String(body['quote_id']))
}

/** Opens the quote that an order names for ten minutes more. */
function renewQuote(world: World, order: Fields, where = ''): void {
  const renewing = `UPDATE quotes SET state = 'open', expires_at = ? WHERE seq = ? ${where}`
  change(world, renewing, world.clock.nowMs() + QUOTE_MS, quoteIn(world, order))
}

/** The quote that an order names takes the place of the one of the same partner and domain that is open, if there is one. */
function reviveQuote({ world, caller, body }: AnyInput): void {
  const replacing = "UPDATE quotes SET state = 'replaced' WHERE domain = ? AND partner_id = ? AND state = 'open'"
  if (change(world, replacing, domainIn(body), caller.partnerId) > 0) renewQuote(world, body)
}

/** Records an order of which nothing but the quote was wrong, at the price that its domain is listed at. */
function recordingWithoutQuote(input: AnyInput, correct: RouteHandler): Reply {
  const { world, body } = input
  if (body['quote_id'] === undefined) return correct(input)
  const listing = findListing(world, domainIn(body))
  return correct({ ...input, body: { ...without(body, 'quote_id'), expected_price: listing?.priceCents } })
}
