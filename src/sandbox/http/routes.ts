import type { EndpointId } from '../../contract/endpoints.ts'
import { eventRoutes } from '../events/routes.ts'
import { inventoryRoutes } from '../inventory/routes.ts'
import { salesRoutes } from '../sales/routes.ts'
import type { Route } from './route.ts'

/** Answers 404 until its milestone; listed as such by the operator API. */
const later: Route = {
  served: false,
  handle() {
    throw new Error('an endpoint that is not served was called')
  },
}

/** Every endpoint of the document with its handler; a forgotten one does not compile. */
export const ROUTES: Record<EndpointId, Route> = {
  ...inventoryRoutes,
  ...salesRoutes,
  ...eventRoutes,
  'checkout.create': later,
  'settlements.list': later,
  'transactions.list': later,
  'payouts.list': later,
  'brokerage.list': later,
  'refunds.create': later,
  'brokerage.eligibility': later,
  'brokerage.create': later,
  'brokerage.detail': later,
  'links.create': later,
  'links.list': later,
  'me.clicks': later,
  'me.sales': later,
  'me.commissions': later,
  'me.payouts': later,
  analytics: later,
  'webhooks.put': later,
}
