import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import { atomically } from '../commit-queue.ts'
import { effectOf, refusedStep } from '../kernel/refusal-with-effect.ts'
import { type Happening, type ScheduledTask, type TaskSource, waitingRows } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import { attributedLink } from '../referral/links.ts'
import { recordHostedOrder } from '../sales/order-steps.ts'
import { findOrder } from '../sales/orders.ts'
import { forSale, refuseReserved } from '../sales/quotes.ts'
import { findSession, isOver, offerOf, rowOf } from './sessions.ts'
import type { CheckoutSession, SessionBuyer } from './types.ts'

/** Who pays: everything the buyer registers with. */
export type PayingBuyer = Required<SessionBuyer>

export interface PaymentAttempt {
  outcome: 'paid' | 'paying' | 'declined' | 'abandoned'
  session: CheckoutSession
}

type SessionAction = 'pay' | 'decline' | 'cancel'

/** How long a payment of `+pays-late` takes, in world time. */
const LATE_PAYMENT_MS = 3_600_000

export function actionsFor(world: World, session: CheckoutSession): SessionAction[] {
  const isOpen = session.state === 'open' || session.state === 'expired'
  return isOpen && !isOver(world, session) ? ['pay', 'decline', 'cancel'] : []
}

/**
 * Pays for the domain of an open session at its price of now: sells it, or does what the buyer's tag asks for (CHK-03,
 * CHK-05). A session pays once however often it is sent.
 *
 * @param visitedLinkId the link that the buyer's browser followed last, if that is known.
 */
export function pay(
  world: World,
  session: CheckoutSession,
  buyer: PayingBuyer,
  visitedLinkId: string | null = null,
): PaymentAttempt {
  requireAllowed(world, session, 'pay')
  refuseUnavailable(world, session)
  const linkId = attributedLink(world, session, session.domain, session.linkId ?? visitedLinkId)
  const { priceCents } = offerOf(world, session)
  const known = { ...session, buyer, linkId }
  switch (magicBuyer(buyer.email)) {
    case 'declines':
      return { outcome: 'declined', session: decline(world, session) }
    case 'abandons':
      return { outcome: 'abandoned', session }
    case 'pays-late': {
      const paysAtMs = world.clock.nowMs() + LATE_PAYMENT_MS
      const paying = save(world, { ...known, state: 'paying', paysAtMs, agreedPriceCents: priceCents })
      return { outcome: 'paying', session: paying }
    }
    default:
      return { outcome: 'paid', session: sell(world, known, priceCents) }
  }
}

/** The payment of a session succeeds at a price: the domain is sold. */
function sell(world: World, session: CheckoutSession, priceCents: number): CheckoutSession {
  const order = recordHostedOrder(world, {
    partnerId: session.partnerId,
    domain: session.domain,
    priceCents,
    buyer: session.buyer as PayingBuyer,
    returnUrl: session.returnUrl,
    cancelUrl: session.cancelUrl,
    linkId: session.linkId,
  })
  return save(world, { ...session, state: 'paid', paysAtMs: null, agreedPriceCents: null, publicId: order.publicId })
}

/** The card is declined: nothing changes, and the buyer may try again. */
export function decline(world: World, session: CheckoutSession): CheckoutSession {
  requireAllowed(world, session, 'decline')
  return session
}

/** The buyer gives up: the session is over. */
export function cancel(world: World, session: CheckoutSession): CheckoutSession {
  requireAllowed(world, session, 'cancel')
  return close(world, session, 'cancelled')
}

/** Ends a session without a sale. */
function close(world: World, session: CheckoutSession, state: 'cancelled' | 'expired'): CheckoutSession {
  return save(world, { ...session, state, paysAtMs: null, agreedPriceCents: null })
}

/** A domain that cannot be bought through this session now is refused. */
export function refuseUnavailable(world: World, session: CheckoutSession): void {
  refuseReserved(world, session, forSale(world, session.domain))
}

function requireAllowed(world: World, session: CheckoutSession, action: SessionAction): void {
  const allowed = actionsFor(world, session)
  if (allowed.includes(action)) return
  throw refusedStep(action, session.state, allowed, endOfSession(world, session))
}

/** How a session came to allow nothing any more, and where more is to be seen. */
function endOfSession(world: World, { sessionId, state, publicId, paysAtMs, expiresAtMs }: CheckoutSession): string {
  const order = publicId === null ? null : findOrder(world, publicId)
  if (order) return `it was paid at ${inWorldTime(order.createdAtMs)}; see order show ${order.publicId}`
  if (paysAtMs !== null) return `its payment succeeds at ${inWorldTime(paysAtMs)}; advance the clock to then`
  const says = state === 'cancelled' ? 'it was cancelled' : `it expired at ${inWorldTime(expiresAtMs)}`
  return `${says}; see checkout show ${sessionId}`
}

function inWorldTime(ms: number): string {
  return `${formatInstant(ms)} of the world’s time`
}

function save(world: World, session: CheckoutSession): CheckoutSession {
  const sql = `UPDATE checkout_sessions SET buyer = @buyer, link_id = @linkId, state = @state, pays_at = @paysAtMs,
      agreed_price_cents = @agreedPriceCents, public_id = @publicId
    WHERE seq = @seq`
  world.db.statement(sql).run(rowOf(session))
  return session
}

/** Tags of buyers whose payment goes otherwise than well; fixtures/inventory.yaml says what each does. */
export const MAGIC_BUYERS = ['declines', 'abandons', 'pays-late'] as const

type MagicBuyer = (typeof MAGIC_BUYERS)[number]

/** The first tag in a buyer's email address, after a plus sign, that means something here. */
export function magicBuyer(email: string): MagicBuyer | null {
  const [, ...tags] = (email.split('@')[0] ?? '').toLowerCase().split('+')
  return tags.map((tag) => MAGIC_BUYERS.find((magic) => magic === tag)).find((magic) => magic !== undefined) ?? null
}

/** Ends an unpaid session when its seven days have passed (CHK-02). */
export const checkoutExpiry: TaskSource = {
  ...waitingRows({
    kind: 'checkout.expired',
    from: "FROM checkout_sessions WHERE state = 'open'",
    id: 'session_id',
    // The first millisecond at which it has expired.
    at: 'expires_at + 1',
    order: 'expires_at, seq',
  }),
  run(world, item) {
    const { sessionId, domain } = close(world, sessionOf(world, item), 'expired')
    const summary = `the checkout session for ${domain} expired`
    return [{ atMs: item.atMs, kind: 'checkout.expired', id: sessionId, summary }]
  },
}

/** Lets a payment under way (`+pays-late`) succeed, even past the end of the session's seven days: the buyer was in time. */
export const latePayments: TaskSource = {
  ...waitingRows({
    kind: 'payment.succeeded',
    from: "FROM checkout_sessions WHERE state = 'paying'",
    id: 'session_id',
    at: 'pays_at',
    order: 'pays_at, seq',
  }),
  run: (world, item) => [payLate(world, sessionOf(world, item), item.atMs)],
}

function payLate(world: World, session: CheckoutSession, atMs: number): Happening {
  const { sessionId, domain } = session
  try {
    const { publicId } = atomically(world.db, () => sell(world, session, session.agreedPriceCents as number), effectOf)
    const summary = `the late payment for ${domain} succeeded and made order ${publicId}`
    return { atMs, kind: 'payment.succeeded', id: sessionId, summary }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    close(world, session, 'cancelled')
    const summary = `the late payment for ${domain} was given back: ${error.message}`
    return { atMs, kind: 'payment.failed', id: sessionId, summary }
  }
}

/** `peek` has just read it. */
function sessionOf(world: World, { id }: ScheduledTask): CheckoutSession {
  return findSession(world, id) as CheckoutSession
}
