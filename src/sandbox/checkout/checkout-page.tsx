import type { QueryPair } from '../../contract/canonical-string.ts'
import { ApiError } from '../../contract/errors.ts'
import { atomically } from '../commit-queue.ts'
import { claimedWorld } from '../kernel/page-token.ts'
import { effectOf } from '../kernel/refusal-with-effect.ts'
import type { World } from '../kernel/world.ts'
import { visitedLink } from '../referral/visits.ts'
import { PageRefusal, type PageReply, type PageRequest, type PageRoute, valueIn } from '../wire/page.ts'
import { document } from '../wire/page-kit/layout.tsx'
import { type BuyerFields, buyerFieldsOf, FormPage, type FormPageProps, faultsOf } from './form-page.tsx'
import { expiredPage, outcomeOf, unavailablePage } from './outcome-page.tsx'
import { cancel, decline, type PaymentAttempt, pay, refuseUnavailable } from './payments.ts'
import { isOver, offerOf, returnAddress, sessionNamedBy, sessionOfToken } from './sessions.ts'
import type { CheckoutSession } from './types.ts'

/**
 * The hosted checkout (CHK-01..03, CHK-05). The token in its address is all that opens it, for showing and for sending
 * alike, so no other site can send the form without the link.
 */
export const checkoutPage: PageRoute = {
  writes: true,
  worldOf: ({ worlds, query }) => worlds.find(claimedWorld(tokenIn(query))),
  handle(request, world) {
    if (!world) throw new PageRefusal(404, 'the token belongs to no world')
    const token = tokenIn(request.query)
    const session = sessionNamedBy(world, token)
    if (!session) throw new PageRefusal(404, 'the token is unknown')
    if (sessionOfToken(world, token) === 'over' || isOver(world, session)) return expiredPage(world, session)
    const ended = request.method === 'POST' ? wayOut(world, session) : outcomeOf(world, session)
    if (ended) return ended
    return request.method === 'POST' ? submitted(world, session, request) : offered(world, session)
  },
}

function tokenIn(query: readonly QueryPair[]): string {
  return valueIn(query, 'pt') ?? ''
}

/** Sending the form of a finished session again leads to the same page as the first time. */
function wayOut(world: World, session: CheckoutSession): PageReply | null {
  if (session.state === 'paid' || session.state === 'paying') return goTo(world, session, session.returnUrl)
  return session.state === 'cancelled' ? goTo(world, session, session.cancelUrl) : null
}

function offered(world: World, session: CheckoutSession): PageReply {
  const buyer = session.buyer ?? {}
  return (
    unavailable(world, session) ??
    form(world, session, { status: 200, fields: buyerFieldsOf((name) => buyer[name]), faults: null, notice: null })
  )
}

/** The page of a domain that cannot be bought now; who bought or holds it is private. */
function unavailable(world: World, session: CheckoutSession): PageReply | null {
  return orUnavailable(world, session, () => {
    refuseUnavailable(world, session)
    return null
  })
}

function orUnavailable<Result>(world: World, session: CheckoutSession, work: () => Result): Result | PageReply {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return unavailablePage(world, session)
  }
}

const FIELDS = new Set(['action', 'price_cents', 'name', 'email', 'country'])

function submitted(world: World, session: CheckoutSession, request: PageRequest): PageReply {
  if (request.form.some(([name]) => !FIELDS.has(name))) throw new PageRefusal(400, 'the form has a foreign field')
  switch (valueIn(request.form, 'action')) {
    case 'pay':
      return paid(world, session, request)
    case 'decline':
      return declined(world, decline(world, session), fieldsIn(request))
    case 'cancel':
      return goTo(world, cancel(world, session), session.cancelUrl)
    default:
      throw new PageRefusal(400, 'the form has no known action')
  }
}

function paid(world: World, session: CheckoutSession, request: PageRequest): PageReply {
  const fields = fieldsIn(request)
  const gone = unavailable(world, session)
  if (gone) return gone
  const faults = faultsOf(fields)
  if (faults)
    return form(world, session, { status: 422, fields, faults, notice: <p>Please correct the marked fields.</p> })
  if (valueIn(request.form, 'price_cents') !== String(offerOf(world, session).priceCents)) {
    const notice = <p>The price has changed. Nothing was paid. Check the new price and pay if you agree.</p>
    return form(world, session, { status: 409, fields, faults, notice })
  }
  const visited = visitedLink(world, session.partnerId, request.cookies)
  // Another buyer may be quicker at this very moment.
  return orUnavailable(world, session, () => {
    const attempt = atomically(world.db, () => pay(world, session, fields, visited), effectOf)
    return after(world, attempt, fields)
  })
}

function after(world: World, { outcome: came, session }: PaymentAttempt, fields: BuyerFields): PageReply {
  if (came === 'declined') return declined(world, session, fields)
  return goTo(world, session, came === 'abandoned' ? session.cancelUrl : session.returnUrl)
}

function declined(world: World, session: CheckoutSession, fields: BuyerFields): PageReply {
  const notice = <p>Your card was declined. Nothing was paid. You can try again.</p>
  return form(world, session, { status: 402, fields, faults: null, notice })
}

function fieldsIn({ form }: PageRequest): BuyerFields {
  return buyerFieldsOf((name) => valueIn(form, name))
}

interface FormState extends Pick<FormPageProps, 'fields' | 'faults' | 'notice'> {
  status: number
}

function form(world: World, session: CheckoutSession, { status, ...state }: FormState): PageReply {
  const { domain, returnUrl, cancelUrl, expiresAtMs } = session
  const returnsTo = new URL(returnUrl).host
  const offer = offerOf(world, session)
  const shown = <FormPage domain={domain} offer={offer} returnsTo={returnsTo} openUntilMs={expiresAtMs} {...state} />
  return { status, body: document(shown), formTargets: [returnUrl, cancelUrl] }
}

function goTo(world: World, session: CheckoutSession, address: string): PageReply {
  return { status: 303, location: returnAddress(world, address, session) }
}
