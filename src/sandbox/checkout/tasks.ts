import { ApiError } from '../../contract/errors.ts'
import { undoneOnRefusal } from '../kernel/refusal-with-effect.ts'
import type { Happening, ScheduledTask, TaskSource } from '../kernel/scheduled-task.ts'
import type { World } from '../kernel/world.ts'
import { close, sell } from './payments.ts'
import { expiryInstant } from './sessions.ts'
import { countInState, earliestExpiring, earliestPaying, sessionById } from './store.ts'
import type { CheckoutSession } from './types.ts'

/** Ends an unpaid session when its seven days have passed (CHK-02). */
export const checkoutExpiry: TaskSource = {
  kind: 'checkout.expired',
  peek(world) {
    const session = earliestExpiring(world.db)
    return session && { atMs: expiryInstant(session), id: session.sessionId }
  },
  run(world, item) {
    const { sessionId, domain } = close(world, sessionOf(world, item), 'expired')
    const summary = `the checkout session for ${domain} expired`
    return [{ atMs: item.atMs, kind: 'checkout.expired', id: sessionId, summary }]
  },
  count: (world) => countInState(world.db, 'open'),
}

/** Lets a payment under way (`+pays-late`) succeed, even past the end of the session's seven days: the buyer was in time. */
export const latePayments: TaskSource = {
  kind: 'payment.succeeded',
  peek(world) {
    const session = earliestPaying(world.db)
    return session && { atMs: session.paysAtMs as number, id: session.sessionId }
  },
  run: (world, item) => [payLate(world, sessionOf(world, item), item.atMs)],
  count: (world) => countInState(world.db, 'paying'),
}

function payLate(world: World, session: CheckoutSession, atMs: number): Happening {
  const { sessionId, domain } = session
  try {
    const { publicId } = undoneOnRefusal(world.db, () => sell(world, session, session.agreedPriceCents as number))
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
  return sessionById(world.db, id) as CheckoutSession
}
