import type { EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Evidence } from './row.ts'

/** A call that is answered with 2xx, as short as it can be said. */
export const ENDPOINT_HINTS: Record<EndpointId, string> = {
  'domains.search': 'GET /domains/search?q=solar',
  'domains.detail': 'GET /domains/stalls-1.test',
  availability: 'GET /availability?domain=stalls-1.test',
  pricing: 'GET /pricing?domain=stalls-1.test',
  'quotes.create': 'POST /quotes {"domain": "stalls-1.test"}',
  'orders.create': 'POST /orders for stalls-1.test with its price, a buyer and an Idempotency-Key',
  'orders.list': 'GET /orders',
  'orders.detail': 'GET /orders/{public_id} of an order that was recorded',
  'checkout.create': 'POST /checkout-session for stalls-1.test with return_url and cancel_url',
  'settlements.list': 'GET /settlements',
  'transactions.list': 'GET /transactions',
  'payouts.list': 'GET /payouts',
  'brokerage.list': 'GET /brokerage',
  'refunds.create': 'POST /refunds {"public_id": …} for an order that was not delivered yet',
  'brokerage.eligibility': 'GET /brokerage/eligibility?domain=stalls-1.test',
  'brokerage.create': 'POST /brokerage {"tier": "managed", "buyer_email": …, "budget": 500000}',
  'brokerage.detail': 'GET /brokerage/{case_id} of a case that was opened',
  'links.create': 'POST /links {"kind": "generic"}',
  'links.list': 'GET /links',
  'me.clicks': 'GET /me/clicks',
  'me.sales': 'GET /me/sales',
  'me.commissions': 'GET /me/commissions',
  'me.payouts': 'GET /me/payouts',
  analytics: 'GET /analytics',
  'webhooks.put': 'PUT /api/partner/webhooks {"url": "http://127.0.0.1:…", "secret": …}',
  'events.list': 'GET /events',
}

type Hint = (evidence: Evidence) => string

/** What makes the sandbox answer with a code. */
export const CODE_HINTS: Record<ErrorCode, Hint> = {
  validation_error: () => 'GET /pricing without its domain',
  invalid_signature: () => 'sign a call with another secret',
  missing_credentials: () => 'send a call without X-Partner-Key-Id',
  forbidden: () => 'call anything but the inventory with the credential only-search',
  not_found: () => 'GET /pricing?domain=nowhere.test',
  conflict: () => 'POST /orders twice under one Idempotency-Key with different bodies',
  price_mismatch: () => 'POST /orders for price-moves-1.test with the price read before',
  quote_expired: ({ command }) =>
    `POST /quotes for quote-expired-1.test, then POST /orders with its quote_id; or ${command('clock advance 11m')} in between`,
  rate_limited: () => 'GET /pricing?domain=rate-limited-1.test',
  internal_error: () => 'GET /pricing?domain=error-1.test',
  invalid_timestamp: () => `send a timestamp more than ${LIMITS.timestampSkewSeconds} seconds off`,
  replay_detected: () => 'send a call twice with the same nonce',
  missing_signature_headers: () => 'send a call without X-Partner-Nonce',
  missing_idempotency_key: () => 'POST /orders without Idempotency-Key',
}
