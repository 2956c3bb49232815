import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import { object, oneOf, optional, text } from '../../contract/schema.ts'
import {
  actionsFor,
  cancel,
  decline,
  type PayingBuyer,
  pay,
  type SessionAction,
} from '../../sandbox/checkout/payments.ts'
import { presentSession } from '../../sandbox/checkout/present.ts'
import { findSession, listSessions } from '../../sandbox/checkout/sessions.ts'
import { type CheckoutSession, SESSION_STATES } from '../../sandbox/checkout/types.ts'
import { normaliseDomain } from '../../sandbox/kernel/domain-name.ts'
import { undoneOnRefusal } from '../../sandbox/kernel/refusal-with-effect.ts'
import { nextCursor, pagingOf, pagingQuery } from '../../sandbox/wire/list-query.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { Problem } from '../problem.ts'
import { ok, worldRoute } from '../route.ts'

/** Who pays where neither the partner nor the operator has said it. */
const SOMEBODY: PayingBuyer = { email: 'buyer@example.test', name: 'Test Buyer', country: 'US' }

const list = worldRoute('GET', '/checkout-sessions', {
  summary: 'The hosted checkout sessions of all partners, newest first: `checkout_sessions`, `next_cursor`.',
  query: object({
    status: optional(oneOf(SESSION_STATES)),
    partner_id: optional(text({ maxLength: 64 })),
    domain: optional(text({ format: 'domain', maxLength: 255 })),
    ...pagingQuery,
  }),
  handle({ world, query }) {
    const page = listSessions(world, {
      state: query.status,
      partnerId: query.partner_id,
      domain: query.domain === undefined ? undefined : (normaliseDomain(query.domain) as string),
      ...pagingOf(query),
    })
    return ok({
      checkout_sessions: page.rows.map((session) => presentForOperator(world, session)),
      next_cursor: nextCursor(page, (session) => session.sessionId),
    })
  },
})

const show = worldRoute('GET', '/checkout-sessions/{session_id}', {
  summary: 'One session with its buyer, its order and the `actions` it allows now.',
  handle: ({ world, params }) => ok(presentForOperator(world, requireSession(world, params))),
})

const payAsBuyer = worldRoute('POST', '/checkout-sessions/{session_id}/pay', {
  summary: 'Pays as the buyer; what is not said is as the partner has it, or made up. The session and its `outcome`.',
  body: object({
    buyer: optional(
      object({
        email: optional(text({ format: 'email', maxLength: 320 })),
        name: optional(text({ format: 'plain', minLength: 1, maxLength: 200 })),
        country: optional(text({ format: 'country' })),
      }),
    ),
  }),
  handle({ world, params, body }) {
    return act(world, params, (session) => pay(world, session, { ...SOMEBODY, ...session.buyer, ...body.buyer }))
  },
})

const declineAsBank = worldRoute('POST', '/checkout-sessions/{session_id}/decline', {
  summary: 'Declines a payment as the bank. The session, which stays open, and its `outcome`.',
  body: object({}),
  handle: ({ world, params }) =>
    act(world, params, (session) => ({ outcome: 'declined', session: decline(world, session) })),
})

const cancelAsBuyer = worldRoute('POST', '/checkout-sessions/{session_id}/cancel', {
  summary: 'Cancels as the buyer. The session, which has ended, and its `outcome`.',
  body: object({}),
  handle: ({ world, params }) =>
    act(world, params, (session) => ({ outcome: 'cancelled', session: cancel(world, session) })),
})

type Params = Readonly<Record<string, string>>

/** Does what the page would do, and says what it came to; a refusal says where the session stands and what that allows. */
function act(
  world: Environment,
  params: Params,
  work: (session: CheckoutSession) => { outcome: string; session: CheckoutSession },
) {
  const result = world.commits.commitNow(() => {
    const before = requireSession(world, params)
    try {
      const { outcome, session } = undoneOnRefusal(world.db, () => work(before))
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
  return new Problem(409, message, { members: { code, state: session.state, actions: actionsFor(world, session) } })
}

function requireSession(world: Environment, params: Params): CheckoutSession {
  const session = findSession(world, params['session_id'] ?? '')
  if (!session) throw new Problem(404, 'there is no such checkout session in this world')
  return session
}

/** A session as its partner sees it, the rest of what is known of it, and what can be done with it now. */
function presentForOperator(world: Environment, session: CheckoutSession) {
  const actions: SessionAction[] = actionsFor(world, session)
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
    actions,
  }
}

export const checkoutSessionRoutes = [list, show, payAsBuyer, declineAsBank, cancelAsBuyer]
