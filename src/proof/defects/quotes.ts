import { ApiError } from '../../contract/errors.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import type { Reply } from '../../sandbox/wire/route.ts'
import { answeringWhere, codeOf, type Fields, HOUR_MS, later, without } from './answers.ts'
import { changing, type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { readable } from './orders.ts'
import {
  type AnyInput,
  altering,
  handling,
  isOfLaterPartner,
  lacking,
  type RouteHandler,
  refusingLater,
  showing,
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
    ...altering('quotes.create', ({ domain, price_cents: price }, { world }) => {
      const first = world.db.prepare('SELECT price_cents FROM quotes WHERE domain = ? ORDER BY seq').pluck()
      return { price_cents: first.get(domain) ?? price }
    }),
  }),
  defect('quote-expires-at-once', ['QUOTE-02', 'QUOTE-01'], {
    summary: 'A quote has expired before it can be used.',
    ...changing('quotes', { seconds: -1 }),
  }),
  defect('quote-is-charged-at-a-lower-price', ['QUOTE-02'], {
    summary: 'An order with a quote costs what its domain is listed at, where that is less.',
    ...showing('orders.create', (body, { world, body: sent }) => {
      const listed = findListing(world, normalizeDomain(String(sent['domain'])) ?? '')?.priceCents
      const quoted = Number(body['sale_price_cents'])
      return sent['quote_id'] === undefined ? body : { ...body, sale_price_cents: Math.min(quoted, listed ?? quoted) }
    }),
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
  defect('quote-buys-any-domain', ['QUOTE-10'], {
    summary: 'An order for any domain is recorded at the price of any quote of the partner.',
    ...handling(
      'orders.create',
      givingQuote('domain', ({ body }) => normalizeDomain(String(body['domain'])) ?? ''),
    ),
  }),
  defect('quote-race', ['QUOTE-04'], {
    summary: 'Reservations are looked up first and stored later, so that partners who quote at one moment all reserve.',
    ...handling('quotes.create', (input, correct) => {
      const { world, caller, body } = input
      const dropping = world.db.prepare(
        "UPDATE quotes SET state = 'expired' WHERE domain = ? AND partner_id <> ? AND state = 'open' AND created_at > ?",
      )
      dropping.run(normalizeDomain(String(body['domain'])), caller.partnerId, world.clock.nowMs() - STORING_MS)
      return correct(input)
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
  defect('quote-of-a-domain-quoted-before-lacks-its-token', ['QUOTE-01'], {
    summary: 'The second quote for a domain has no token, be the first one of another partner or not.',
    ...altering('quotes.create', ({ quote_token: token }, { world, body }) => {
      const quotes = world.db.prepare('SELECT count(*) FROM quotes WHERE domain = ?').pluck()
      const isFirst = Number(quotes.get(normalizeDomain(String(body['domain'])))) < 2
      return { quote_token: isFirst ? token : null }
    }),
  }),
  defect('quote-of-a-later-partner-reserves-nothing', ['QUOTE-04'], {
    summary: 'The quotes of one partner bind the others; theirs do not bind it.',
    ...handling(['quotes.create', 'orders.create'], (input, correct) => {
      if (!isOfLaterPartner(input)) endQuotesOfOthers(input)
      return correct(input)
    }),
  }),
  defect('quote-that-expired-is-good-again-beside-a-new-one', ['QUOTE-03'], {
    summary: 'Any quote of a domain is good as long as its partner has one that has not expired.',
    ...handling('orders.create', (input, correct) => {
      if (input.body['quote_id'] !== undefined) reviveQuote(input)
      return correct(input)
    }),
  }),
  defect('quote-reserves-against-two-attempts-only', ['QUOTE-04'], {
    summary: 'Who asks for a reserved domain a third time gets it.',
    ...endingAtTheThirdAttempt(),
  }),
  defect('reservations-hold-in-one-spelling', ['QUOTE-04'], {
    summary: 'Another partner that writes the name in capitals gets a domain that is reserved.',
    ...handling('orders.create', (input, correct) => {
      const name = String(input.body['domain'])
      if (name !== name.toLowerCase()) endQuotes(input.world, name)
      return correct(input)
    }),
  }),
  defect('sessions-take-what-others-reserved', ['QUOTE-04'], {
    summary: 'A checkout session sells a domain that another partner has reserved.',
    ...handling('checkout.create', (input, correct) => {
      endQuotes(input.world, String(input.body['domain']))
      return correct(input)
    }),
  }),
  defect('orders-refused-for-their-quote-are-listed', ['QUOTE-03'], {
    summary: 'The order list of a domain has an order that was refused for its expired quote.',
    ...listingExpired(),
  }),
  defect('some-quotes-say-an-hour', ['QUOTE-01'], {
    summary: 'Every third quote says that it ends after an hour.',
    ...altering('quotes.create', ({ expires_at: at }, { world }) => {
      const count = world.db.prepare('SELECT count(*) FROM quotes').pluck().get() as number
      return count % 3 === 0 ? { expires_at: later(at, HOUR_MS) } : {}
    }),
  }),
]

/** A server that holds a domain for the partner that has quoted it against two attempts of another one. */
function endingAtTheThirdAttempt(): Tampered {
  const attempts = perWorld((): string[] => [])
  return handling(['quotes.create', 'orders.create'], (input, correct) => {
    const { world, caller, body } = input
    const attempt = `${caller.partnerId} ${body['domain']}`
    const before = attempts(world).filter((one) => one === attempt)
    attempts(world).push(attempt)
    if (before.length > 1) endQuotesOfOthers(input)
    return correct(input)
  })
}

export function endQuotesOfOthers({ world, caller, body }: AnyInput): void {
  world.db
    .prepare("UPDATE quotes SET state = 'expired' WHERE domain = ? AND partner_id <> ? AND state = 'open'")
    .run(normalizeDomain(String(body['domain'])), caller.partnerId)
}

function renewQuote(world: World, quoteId: string): void {
  const renewing = world.db.prepare("UPDATE quotes SET expires_at = ? WHERE seq = ? AND state = 'open'")
  world.commits.commitNow(() => renewing.run(world.clock.nowMs() + QUOTE_MS, world.chance.numberOf('quote', quoteId)))
}

/** The quote that an order names takes the place of the one of the same partner and domain that is open, if there is one. */
function reviveQuote({ world, caller, body }: AnyInput): void {
  const replacing = world.db.prepare(
    "UPDATE quotes SET state = 'replaced' WHERE domain = ? AND partner_id = ? AND state = 'open'",
  )
  const named = world.chance.numberOf('quote', String(body['quote_id']))
  if (replacing.run(normalizeDomain(String(body['domain'])), caller.partnerId).changes === 0) return
  const reviving = world.db.prepare("UPDATE quotes SET state = 'open', expires_at = ? WHERE seq = ?")
  reviving.run(world.clock.nowMs() + QUOTE_MS, named)
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

export function endQuotes(world: World, name: string): void {
  world.db.prepare("UPDATE quotes SET state = 'expired' WHERE domain = ? AND state = 'open'").run(normalizeDomain(name))
}

/** A server that keeps what it refuses for an expired quote, and lists it. */
function listingExpired(): Tampered {
  const kept = perWorld((): Fields[] => [])
  return handling(['orders.create', 'orders.list'], (input, correct) => {
    const { world, call, body } = input
    const orders = kept(world)
    if (call.endpoint === 'orders.list') {
      const reply = correct(input)
      const listed = reply.body as { orders: Fields[] }
      return { ...reply, body: { ...listed, orders: [...listed.orders, ...orders] } }
    }
    try {
      return correct(input)
    } catch (error) {
      const { domain, currency, external_payment_ref } = body as Fields
      const facts = { domain, currency, external_payment_ref, status: 'EXTERNALLY_PAID', sale_price_cents: 1 }
      if (error instanceof ApiError && error.code === 'quote_expired')
        orders.push({ public_id: `ord_kept${orders.length}`, ...facts })
      throw error
    }
  })
}
