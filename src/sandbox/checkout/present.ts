import { formatInstant } from '../../clock/instant.ts'
import type { World } from '../kernel/world.ts'
import { checkoutUrl, offerOf } from './sessions.ts'
import type { CheckoutSession } from './types.ts'

/** A session on the wire (CHK-04); see {@link offerOf} for its price. */
export function presentSession(world: World, session: CheckoutSession) {
  const { priceCents, currency, commissionCents } = offerOf(world, session)
  return {
    session_id: session.sessionId,
    checkout_url: checkoutUrl(world, session),
    expires_at: formatInstant(session.expiresAtMs),
    status: session.state,
    domain: session.domain,
    price_cents: priceCents,
    currency,
    commission_cents: commissionCents,
  }
}
