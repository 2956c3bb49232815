import { nextSequence } from '../../storage/db.ts'
import { conditionsOf, countBy, storedRows } from '../../storage/rows.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { findListing } from '../inventory/listings.ts'
import { refuseUnlinked } from '../kernel/credentials.ts'
import { pageToken, vouchedToken } from '../kernel/page-token.ts'
import { type Page, readPage } from '../kernel/paging.ts'
import type { World } from '../kernel/world.ts'
import { commissionOf } from '../ledger/ledger.ts'
import { ownLink, type Seller } from '../referral/links.ts'
import { findOrder } from '../sales/orders.ts'
import { forSale } from '../sales/quotes.ts'
import type { CheckoutSession, SessionBuyer, SessionFilter } from './types.ts'

/** A row as it is selected: the buyer is JSON, and what is true is 1. */
type SessionRow = Omit<CheckoutSession, 'affiliate' | 'buyer'> & { affiliate: number; buyer: string | null }

const SESSIONS = storedRows<SessionRow>()('checkout_sessions', [
  'seq',
  'sessionId',
  'partnerId',
  'affiliate',
  'domain',
  'returnUrl',
  'cancelUrl',
  'buyer',
  'linkId',
  'state',
  'paysAtMs',
  'agreedPriceCents',
  'publicId',
  'createdAtMs',
  'expiresAtMs',
])

function sessionFrom(row: SessionRow): CheckoutSession {
  const buyer = row.buyer === null ? null : (JSON.parse(row.buyer) as SessionBuyer)
  return { ...row, affiliate: row.affiliate === 1, buyer }
}

export function rowOf(session: CheckoutSession): SessionRow {
  const { affiliate, buyer } = session
  return { ...session, affiliate: Number(affiliate), buyer: buyer && JSON.stringify(buyer) }
}

interface SessionInput {
  /** Normalized name. */
  domain: string
  returnUrl: string
  cancelUrl: string
  buyer?: SessionBuyer | undefined
  linkId?: string | undefined
}

/** Opens a session for a domain that is listed and not sold (CHK-01, CHK-04, CHK-06). */
export function openSession(world: World, caller: Seller, input: SessionInput): CheckoutSession {
  if (input.linkId !== undefined) refuseUnlinked(caller)
  forSale(world, input.domain)
  const link = input.linkId === undefined ? null : ownLink(world, caller.partnerId, input.linkId)
  const seq = nextSequence(world.db, 'checkout_sessions')
  const nowMs = world.clock.nowMs()
  const session: CheckoutSession = {
    seq,
    sessionId: world.chance.id('checkoutSession', seq),
    partnerId: caller.partnerId,
    affiliate: caller.affiliate,
    domain: input.domain,
    returnUrl: input.returnUrl,
    cancelUrl: input.cancelUrl,
    buyer: input.buyer ?? null,
    linkId: link?.linkId ?? null,
    state: 'open',
    paysAtMs: null,
    agreedPriceCents: null,
    publicId: null,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + world.rules.checkout.seconds * 1_000,
  }
  SESSIONS.insert(world.db, rowOf(session))
  return session
}

/** What a domain costs and what of it the partner earns. */
export interface SessionOffer {
  priceCents: number
  currency: string
  commissionCents: number
}

/** The offer of a session: what was paid, what the buyer agreed to pay, or what would be charged at this instant. */
export function offerOf(world: World, session: CheckoutSession): SessionOffer {
  const order = session.publicId === null ? null : findOrder(world, session.publicId)
  if (order) return { ...order, priceCents: order.salePriceCents }
  const listing = findListing(world, session.domain) ?? { priceCents: 0, currency: LISTING_CURRENCY }
  const priceCents = session.agreedPriceCents ?? listing.priceCents
  const rate = world.settings.commission.hostedCheckoutBasisPoints
  return { priceCents, currency: listing.currency, commissionCents: commissionOf(rate, priceCents) }
}

/** Whether the time of a session that is not paid is over (CHK-02). */
export function isOver(world: World, session: CheckoutSession): boolean {
  return session.state === 'expired' || (session.state === 'open' && world.clock.nowMs() > session.expiresAtMs)
}

/** The buyer's address of a session: never made from a request, so no Host header can bend it. */
export function checkoutUrl(world: World, session: CheckoutSession): string {
  const token = pageToken(world, 'checkout', { id: session.sessionId, expiresAtMs: session.expiresAtMs })
  return `${world.publicUrl()}/checkout?pt=${token}`
}

/** The session of a token, even one whose time is over: its page says so and leads back. */
export function sessionNamedBy(world: World, token: string): CheckoutSession | null {
  const read = vouchedToken(world, 'checkout', token)
  return read && findSession(world, read.id)
}

export function findSession({ db }: World, sessionId: string): CheckoutSession | null {
  const row = SESSIONS.where(db, 'session_id = ?').get(sessionId)
  return row ? sessionFrom(row) : null
}

const fitting = conditionsOf<SessionFilter & { beforeSeq: number }>(
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'state = @state',
  'domain = @domain',
)

/** A page of sessions that fit every given condition, newest first. */
export function listSessions(world: World, { cursor, limit, ...filter }: SessionFilter): Page<CheckoutSession> {
  return readPage(
    { cursor, limit },
    (sessionId) => findSession(world, sessionId),
    (page) => {
      const wanted = { ...filter, ...page }
      const rows = SESSIONS.where(world.db, `${fitting(wanted)} ORDER BY seq DESC LIMIT @limit`).all(wanted)
      return rows.map(sessionFrom)
    },
  )
}

export function sessionsByState(world: World): Record<string, number> {
  return countBy(world.db, 'checkout_sessions', 'state')
}

/**
 * The partner's address with what the buyer brings along added to its query, as the open point `return-parameters` decides;
 * everything else of it stays as it is (CHK-05).
 */
export function returnAddress({ gaps }: Pick<World, 'gaps'>, address: string, session: ReturningSession): string {
  const brought = gaps['return-parameters']
  if (brought === 'nothing') return address
  const url = new URL(address)
  const id = `session_id=${encodeURIComponent(session.sessionId)}`
  // Not by searchParams, which would re-encode the partner's own parameters.
  const before = url.search === '' ? '?' : url.search.endsWith('&') ? url.search : `${url.search}&`
  url.search = before + (brought === 'session_id' ? id : `${id}&status=${session.state}`)
  return url.href
}

type ReturningSession = Pick<CheckoutSession, 'sessionId' | 'state'>
