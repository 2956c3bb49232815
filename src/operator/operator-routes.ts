import type { OperatorRoute } from './route.ts'
import { aboutRoutes } from './routes/about.ts'
import { auditRoutes } from './routes/audit.ts'
import { brokerageRoutes } from './routes/brokerage.ts'
import { checkoutSessionRoutes } from './routes/checkout-sessions.ts'
import { clockRoutes } from './routes/clock.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { deliveryProfileRoutes } from './routes/delivery-profile.ts'
import { domainRoutes } from './routes/domains.ts'
import { eventRoutes } from './routes/events.ts'
import { magicRoutes } from './routes/magic.ts'
import { orderRoutes } from './routes/orders.ts'
import { payoutRunRoutes } from './routes/payout-runs.ts'
import { progressRoutes } from './routes/progress.ts'
import { rateLimitRoutes } from './routes/rate-limit.ts'
import { requestRoutes } from './routes/requests.ts'
import { settlementRunRoutes } from './routes/settlement-runs.ts'
import { signatureRoutes } from './routes/signatures.ts'
import { worldRulesRoutes } from './routes/world-rules.ts'
import { worldRoutes } from './routes/worlds.ts'

/** All that the operator API serves; what is not here answers 404 and is not claimed by `GET /v1`. */
export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  ...aboutRoutes,
  ...magicRoutes,
  ...worldRoutes,
  ...clockRoutes,
  ...progressRoutes,
  ...worldRulesRoutes,
  ...rateLimitRoutes,
  ...orderRoutes,
  ...checkoutSessionRoutes,
  ...settlementRunRoutes,
  ...payoutRunRoutes,
  ...auditRoutes,
  ...domainRoutes,
  ...brokerageRoutes,
  ...requestRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...deliveryProfileRoutes,
  ...signatureRoutes,
]
