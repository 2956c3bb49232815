import type { OperatorRoute } from './route.ts'
import { aboutRoutes } from './routes/about.ts'
import { clockRoutes } from './routes/clock.ts'
import { domainRoutes } from './routes/domains.ts'
import { eventRoutes } from './routes/events.ts'
import { orderRoutes } from './routes/orders.ts'
import { rateLimitRoutes } from './routes/rate-limit.ts'
import { requestRoutes } from './routes/requests.ts'
import { settlementRunRoutes } from './routes/settlement-runs.ts'
import { signatureRoutes } from './routes/signatures.ts'
import { worldRoutes } from './routes/worlds.ts'

/** All that the operator API serves; what is not here answers 404 and is not claimed by `GET /v1`. */
export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  ...aboutRoutes,
  ...worldRoutes,
  ...clockRoutes,
  ...rateLimitRoutes,
  ...orderRoutes,
  ...settlementRunRoutes,
  ...domainRoutes,
  ...requestRoutes,
  ...eventRoutes,
  ...signatureRoutes,
]
