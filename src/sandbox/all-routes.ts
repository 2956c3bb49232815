import type { EndpointId } from '../contract/endpoints.ts'
import { brokerageRoutes } from './brokerage/routes.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { referralRoutes } from './referral/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { salesRoutes } from './sales/routes.ts'
import { settlementRoutes } from './settlement/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import type { Route } from './wire/route.ts'

/** Every endpoint of the document with its handler; a forgotten one does not compile. */
export const ROUTES: Record<EndpointId, Route> = {
  ...inventoryRoutes,
  ...salesRoutes,
  ...settlementRoutes,
  ...reportRoutes,
  ...eventRoutes,
  ...checkoutRoutes,
  ...brokerageRoutes,
  ...referralRoutes,
  ...webhookRoutes,
}
