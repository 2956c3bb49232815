import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { CheckoutOutcome } from '../../operator-api/rows/checkouts.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import { actionsFor, cancel, decline, type PayingBuyer, pay } from '../../sandbox/checkout/payments.ts'
import { presentSession } from '../../sandbox/checkout/present.ts'
import { findSession, listSessions } from '../../sandbox/checkout/sessions.ts'
import type { CheckoutSession } from '../../sandbox/checkout/types.ts'
import { atomically } from '../../sandbox/commit-queue.ts'
import { effectOf } from '../../sandbox/kernel/refusal-with-effect.ts'
import { canonical } from '../../sandbox/wire/fields.ts'
import { pagingOf } from '../../sandbox/wire/list-query.ts'
import { Problem, problem, required } from '../problems.ts'
import { type HandlersOf, ok, okPage } from '../route.ts'

/** Who pays where neither the partner nor the operator has said it. */
const ANY_BUYER: PayingBuyer = { email: 'buyer@example.test', name: 'Test Buyer', country: 'US' }

export const checkoutHandlers: HandlersOf<'checkout'> = {
  'checkout.list'({ world, query }) {
    const page = listSessions(world, {
      state: query.status,
      partnerId: query.partner_id,
      domain: query.domain && canonical(query.domain),
      ...pagingOf(query),
    })
    const present = (session: CheckoutSession) => presentForOperator(world, session)
    return okPage('checkout_sessions', page, present, ({ sessionId }) => sessionId)
  },
  'checkout.show': ({ world, params }) =>
    ok(presentForOperator(world, required(findSession(world, params.session_id), 'no-checkout-session'))),
  'checkout.pay': ({ world, params, body }) =>
    act(world, params.session_id, (session) => pay(world, session, { ...ANY_BUYER, ...session.buyer, ...body.buyer })),
  'checkout.decline': ({ world, params }) =>
    act(world, params.session_id, (session) => ({ outcome: 'declined', session: decline(world, session) })),
  'checkout.cancel': ({ world, params }) =>
    act(world, params.session_id, (session) => ({ outcome: 'cancelled', session: cancel(world, session) })),
}

/** Does what the page would do, and says what it came to; a refusal says the state of the session and what that allows. */
function act(
  world: Environment,
  sessionId: string,
  work: (session: CheckoutSession) => { outcome: CheckoutOutcome['outcome']; session: CheckoutSession },
) {
  const result = world.commits.commitNow(() => {
    const before = required(findSession(world, sessionId), 'no-checkout-session')
    try {
      const { outcome, session } = atomically(world.db, () => work(before), effectOf)
      return { outcome, ...presentForOperator(world, session) }
    } catch (error) {
      // As a value, for what a lost race leaves is to be committed.
      if (error instanceof ApiError) return refusal(world, before, error)
      throw error
    }
  })
  if (result instanceof Problem) throw result
  return ok(result)
}

function refusal(world: Environment, session: CheckoutSession, { code, message }: ApiError): Problem {
  const members = { state: session.state, actions: actionsFor(world, session) }
  return problem('refused-step', { message }, { code, members })
}

/** A session as its partner sees it, the rest of what is known of it, and what can be done with it now. */
function presentForOperator(world: Environment, session: CheckoutSession) {
  return {
    ...presentSession(world, session),
    partner_id: session.partnerId,
    return_url: session.returnUrl,
    cancel_url: session.cancelUrl,
    buyer: session.buyer,
    link_id: session.linkId,
    public_id: session.publicId,
    created_at: formatInstant(session.createdAtMs),
    pays_at: session.paysAtMs === null ? null : formatInstant(session.paysAtMs),
    actions: actionsFor(world, session),
  }
}
