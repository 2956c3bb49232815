import type { OperatorRoute } from './route.ts'
import { aboutRoutes } from './routes/about.ts'
import { actRoutes } from './routes/acts.ts'
import { auditRoutes } from './routes/audit.ts'
import { brokerageRoutes } from './routes/brokerage.ts'
import { checkoutSessionRoutes } from './routes/checkout-sessions.ts'
import { clockRoutes } from './routes/clock.ts'
import { coverageRoutes } from './routes/coverage.ts'
import { credentialRoutes } from './routes/credentials.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { deliveryProfileRoutes } from './routes/delivery-profile.ts'
import { domainRoutes } from './routes/domains.ts'
import { eventRoutes } from './routes/events.ts'
import { faultRoutes } from './routes/faults.ts'
import { gapRoutes } from './routes/gaps.ts'
import { magicRoutes } from './routes/magic.ts'
import { orderRoutes } from './routes/orders.ts'
import { payoutRunRoutes } from './routes/payout-runs.ts'
import { progressRoutes } from './routes/progress.ts'
import { rateLimitRoutes } from './routes/rate-limit.ts'
import { requestRoutes } from './routes/requests.ts'
import { settlementRunRoutes } from './routes/settlement-runs.ts'
import { signatureRoutes } from './routes/signatures.ts'
import { snapshotRoutes } from './routes/snapshots.ts'
import { streamRoutes } from './routes/stream.ts'
import { worldRulesRoutes } from './routes/world-rules.ts'
import { worldRoutes } from './routes/worlds.ts'

/** All that the operator API serves; what is not here answers 404 and is not claimed by `GET /v1`. */
export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  ...aboutRoutes,
  ...magicRoutes,
  ...gapRoutes,
  ...worldRoutes,
  ...snapshotRoutes,
  ...clockRoutes,
  ...streamRoutes,
  ...progressRoutes,
  ...worldRulesRoutes,
  ...rateLimitRoutes,
  ...orderRoutes,
  ...checkoutSessionRoutes,
  ...settlementRunRoutes,
  ...payoutRunRoutes,
  ...auditRoutes,
  ...coverageRoutes,
  ...domainRoutes,
  ...brokerageRoutes,
  ...credentialRoutes,
  ...faultRoutes,
  ...requestRoutes,
  ...actRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...deliveryProfileRoutes,
  ...signatureRoutes,
]
