import { createHmac } from 'node:crypto'
import { formatDuration } from '../../clock/duration.ts'
import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Grounds, Remedy } from '../../contract/grounds.ts'
import { type Db, nextSequence } from '../../storage/db.ts'
import { storedRows } from '../../storage/rows.ts'
import { afterPriceWasTold, findOffer, saleGrounds, unlistedGrounds } from '../inventory/listings.ts'
import { actOnce, noteAct, willAct } from '../inventory/magic.ts'
import type { Offer } from '../inventory/types.ts'
import { seededBytes } from '../kernel/chance.ts'
import { RefusalWithEffect, unseen } from '../kernel/refusal-with-effect.ts'
import type { TaskSource } from '../kernel/scheduler.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { Quote } from './types.ts'

const QUOTES = storedRows<Quote>()('quotes', [
  'seq',
  'partnerId',
  'domain',
  'priceCents',
  'currency',
  'createdAtMs',
  'expiresAtMs',
  'state',
])

/**
 * Quotes a domain: its current price, firm and reserved for ten minutes. A second quote by the same partner replaces
 * the first, unless the open points say otherwise (QUOTE-01, QUOTE-08).
 */
export function issueQuote(
  world: World,
  caller: Credential,
  input: { domain: string; currency?: string | undefined },
): Quote {
  const offer = forSale(world, input.domain)
  refuseReserved(world, caller, offer)
  if (input.currency !== undefined && input.currency !== offer.currency) {
    throw new ApiError('validation_error', `currency must be ${offer.currency}, in which the domain is listed`)
  }
  refuseTaken(world, caller, offer)
  const first = earlierQuote(world, offer.domain)
  if (first) return first
  endReservation(world, offer.domain, 'replaced')
  const quote = openQuote(world, caller.partnerId, offer)
  afterPriceWasTold(world, offer)
  return quote
}

/** What a quote that the caller holds already does to a second one, beside being replaced (QUOTE-08). */
function earlierQuote(world: World, domain: string): Quote | null {
  const choice = world.gaps['second-quote']
  const first = choice === 'replaces the first' ? null : liveQuoteOf(world, domain)
  if (!first || choice === 'is the first again') return first
  throw new ApiError('conflict', `you hold a quote for ${domain} already`)
}

/** What a domain is offered for, which must be listed and not sold (ORD-05, ORD-12, QUOTE-06). */
export function forSale(world: World, domain: string): Offer {
  const offer = findOffer(world, domain)
  if (offer?.isSold) {
    const grounds = saleGrounds(world, offer.domain)
    throw new ApiError(world.gaps['sold-refusal'], `${offer.domain} is sold already`, { grounds })
  }
  if (!offer?.listed) {
    throw new ApiError('not_found', 'the domain is not listed for sale', { grounds: unlistedGrounds(offer, domain) })
  }
  return offer
}

/** A domain that another partner has reserved can be neither quoted nor bought (QUOTE-04, QUOTE-06). */
export function refuseReserved(
  world: World,
  caller: Pick<Credential, 'partnerId'>,
  { domain, reservedBy }: Offer,
): void {
  const quote = reservedBy === null || reservedBy === caller.partnerId ? null : liveQuoteOf(world, domain)
  if (quote === null) return
  const grounds = reservation(world, quote)
  throw new ApiError(world.gaps['reserved-refusal'], reservedByAnother(domain), { grounds })
}

/** The quote that an order names, if it may be used for it (QUOTE-02, 03, 07, 08). */
export function usableQuote(world: World, caller: Credential, quoteId: string, domain: string): Quote {
  const seq = world.chance.numberOf('quote', quoteId)
  const quote = seq === null ? null : quoteBySeq(world.db, seq)
  if (!quote || quote.partnerId !== caller.partnerId || quote.domain !== domain) {
    throw new ApiError(world.gaps['foreign-quote-refusal'], 'quote_id is not one of your quotes for this domain', {
      grounds: foreignQuote(caller, quoteId, domain, quote),
    })
  }
  if (quote.state === 'used') {
    throw new ApiError(world.gaps['used-quote-refusal'], 'the quote has been used for an order already', {
      grounds: { remedies: [requestQuote(domain)] },
    })
  }
  if (isExpired(world, quote)) {
    throw new ApiError('quote_expired', 'the quote is past its ten minutes or was replaced; ask for a new one', {
      grounds: endOfQuote(world, quote),
    })
  }
  return quote
}

/** When a quote ended that an order names, and how long before it. */
function endOfQuote(world: World, quote: Quote): Grounds {
  const nowMs = world.clock.nowMs()
  const endedMs = expiryInstant(world, quote)
  const name = `the quote ${quoteId(world, quote)} for ${quote.domain}`
  const remedies = [requestQuote(quote.domain)]
  if (quote.state === 'replaced') return { says: `${name} was replaced by a newer one`, remedies }
  const ended = formatInstant(endedMs)
  const since = nowMs - endedMs < 1_000 ? 'less than a second' : formatDuration(nowMs - endedMs)
  return {
    says: `${name} ended at ${ended} of the world’s time, ${since} before this call`,
    compared: [{ name: 'world time', sent: formatInstant(nowMs), expected: `before ${ended}` }],
    remedies,
  }
}

function requestQuote(domain: string): Remedy {
  return { says: 'Request a new quote.', call: { method: 'POST', path: '/quotes', body: { domain } } }
}

function foreignQuote({ partnerId }: Credential, id: string, domain: string, quote: Quote | null): Grounds {
  const remedies = [requestQuote(domain)]
  if (quote?.partnerId !== partnerId) return { ...unseen('quote', id, quote?.partnerId), remedies }
  const compared = [{ name: 'domain', sent: domain, expected: quote.domain }]
  return { says: 'the quote is for another domain', compared, remedies }
}

/** Ends the quote that holds a domain: after {@link refuseReserved} it can only be the caller's own. */
export function endReservation(world: World, domain: string, as: 'used' | 'replaced'): void {
  world.db.statement("UPDATE quotes SET state = ? WHERE domain = ? AND state = 'open'").run(as, domain)
}

/** The quote by which some partner holds a domain now, or null. Its price is firm until it ends (QUOTE-02). */
export function liveQuoteOf(world: World, domain: string): Quote | null {
  const quote = QUOTES.where(world.db, "domain = ? AND state = 'open'").get(domain)
  return quote && !isExpired(world, quote) ? quote : null
}

function isExpired(world: World, quote: Quote): boolean {
  return quote.state !== 'open' || world.clock.nowMs() >= expiryInstant(world, quote)
}

export function quoteId({ chance }: World, { seq }: Quote): string {
  return chance.id('quote', seq)
}

/** What makes a quote's facts verifiable: an HMAC over them under the world's seed. */
export function quoteToken(world: World, quote: Quote): string {
  const facts = `${quoteId(world, quote)}.${quote.domain}.${quote.priceCents}.${quote.currency}.${quote.expiresAtMs}`
  const key = seededBytes(world.chance.seed, 'key', 'quote-token')
  return `${Buffer.from(facts).toString('base64url')}.${createHmac('sha256', key).update(facts).digest('base64url')}`
}

export const quoteExpiry: TaskSource = {
  kind: 'quote.expired',
  peek(world) {
    const quote = QUOTES.where(world.db, "state = 'open' ORDER BY expires_at, seq LIMIT 1").get()
    return quote ? { atMs: expiryInstant(world, quote), id: quoteId(world, quote) } : null
  },
  run(world, item) {
    const quote = quoteBySeq(world.db, world.chance.numberOf('quote', item.id) ?? 0) as Quote
    world.db.statement("UPDATE quotes SET state = 'expired' WHERE seq = ?").run(quote.seq)
    const summary = `the quote for ${quote.domain} expired and its reservation ended`
    return [{ atMs: item.atMs, kind: 'quote.expired', id: item.id, summary }]
  },
  count: ({ db }) => db.statement<number>("SELECT count(*) FROM quotes WHERE state = 'open'").pluck().get() as number,
}

/**
 * Writes a quote, which reserves the domain; it must not be reserved by another. The first one of `quote-expired-N.test` is
 * written with its window just over.
 */
function openQuote(world: World, partnerId: string, { domain, priceCents, currency }: Offer): Quote {
  const seq = nextSequence(world.db, 'quotes')
  const windowMs = world.rules.quotes.seconds * 1_000
  const isOver = actOnce(world, domain, 'quote-expired')
  const createdAtMs = world.clock.nowMs() - (isOver ? windowMs + 1 : 0)
  const quote: Quote = {
    seq,
    partnerId,
    domain,
    priceCents,
    currency,
    createdAtMs,
    expiresAtMs: createdAtMs + windowMs,
    state: isOver ? 'expired' : 'open',
  }
  QUOTES.insert(world.db, quote)
  return quote
}

/** The first millisecond at which a quote has expired: whether that is its very last is open (QUOTE-09). */
export function expiryInstant({ gaps }: World, { expiresAtMs }: Quote): number {
  return gaps['quote-edge'] === 'valid' ? expiresAtMs + 1 : expiresAtMs
}

/** Another partner is quicker for `taken-N.test`, once: its quote is a real one, which ends after its ten minutes. */
export function refuseTaken(world: World, caller: Pick<Credential, 'partnerId'>, offer: Offer): void {
  const { domain, reservedBy } = offer
  if (reservedBy !== null || !willAct(world, domain, 'taken')) return
  const takes = () => {
    noteAct(world, domain, 'taken')
    openQuote(world, anotherPartner(world, caller), offer)
  }
  throw new RefusalWithEffect(world.gaps['reserved-refusal'], reservedByAnother(domain), takes, {
    says: `another partner reserved ${domain} just before, as ${domain} does once by its name`,
    remedies: [waitFor(world.rules.quotes.seconds * 1_000)],
  })
}

/** Until when a domain is reserved, and by whom. */
export function reservation(world: World, quote: Quote): Grounds {
  const [nowMs, endsMs] = [world.clock.nowMs(), expiryInstant(world, quote)]
  return {
    says: `${quote.domain} is reserved until ${formatInstant(endsMs)} of the world’s time by the quote ${quoteId(world, quote)} of partner ${quote.partnerId}`,
    compared: [{ name: 'world time', sent: formatInstant(nowMs), expected: `${formatInstant(endsMs)} or later` }],
    remedies: [waitFor(endsMs - nowMs)],
  }
}

function waitFor(ms: number): Remedy {
  const rounded = formatDuration(Math.ceil(ms / 1_000) * 1_000)
  return { says: 'Wait until the reservation ends, or move the clock.', command: `clock advance ${rounded}` }
}

function reservedByAnother(domain: string): string {
  return `${domain} is reserved by another partner's quote`
}

/** One of the two partners of every cast. */
function anotherPartner(world: World, caller: Pick<Credential, 'partnerId'>): string {
  const [main, other] = [world.chance.id('partner', 1), world.chance.id('partner', 2)]
  return caller.partnerId === other ? main : other
}

function quoteBySeq(db: Db, seq: number): Quote | null {
  return QUOTES.where(db, 'seq = ?').get(seq) ?? null
}
