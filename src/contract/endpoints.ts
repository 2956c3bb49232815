import type { GapChoices } from './gaps.ts'
import type { Scope } from './scopes.ts'

/** One operation of the partner API. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Full path; a segment in braces is a parameter. */
  readonly path: `/api/partner/${string}`
  /** Any one of these is enough. */
  readonly scopes: readonly Scope[]
  /** Whether the call changes anything of its own accord. */
  readonly effect: 'read' | 'write'
  /** The credential must be linked to an affiliate account (SCOPE-09). */
  readonly affiliate?: true
  /** The partner must be merchant of record (SCOPE-10). */
  readonly merchantOfRecord?: true
  /** Idempotency-Key is demanded (IDEM-01). */
  readonly idempotencyKey?: 'required'
  /** Heading of the document that lists it. */
  readonly section: string
}

export const API_ROOT = '/api/partner/v1'

/** The path without a version segment (document: Versioning, 3). */
export const WEBHOOKS_PATH = '/api/partner/webhooks'

/**
 * Every operation of the document (Endpoints), in its order. Routes, scope checks, coverage and lists follow from
 * these rows. The two order reads take either scope, since the document lists both (SCOPE-08).
 */
export const ENDPOINTS = {
  'domains.search': read('/domains/search', ['search'], 'Inventory'),
  'domains.detail': read('/domains/{name}', ['search'], 'Inventory'),
  availability: read('/availability', ['search'], 'Inventory'),
  pricing: read('/pricing', ['search'], 'Inventory'),

  'quotes.create': write('/quotes', ['buy'], 'Partner-collected sales'),
  'orders.create': {
    ...write('/orders', ['buy'], 'Partner-collected sales'),
    merchantOfRecord: true,
    idempotencyKey: 'required',
  },
  'orders.list': read('/orders', ['search', 'buy'], 'Partner-collected sales'),
  'orders.detail': read('/orders/{public_id}', ['search', 'buy'], 'Partner-collected sales'),

  'checkout.create': write('/checkout-session', ['embed'], 'Hosted checkout'),

  'settlements.list': read('/settlements', ['buy'], 'Settlement and reporting'),
  'transactions.list': read('/transactions', ['report'], 'Settlement and reporting'),
  'payouts.list': read('/payouts', ['report'], 'Settlement and reporting'),
  'brokerage.list': read('/brokerage', ['report'], 'Settlement and reporting'),
  'refunds.create': write('/refunds', ['buy'], 'Settlement and reporting'),

  'brokerage.eligibility': read('/brokerage/eligibility', ['broker'], 'Brokerage'),
  'brokerage.create': write('/brokerage', ['broker'], 'Brokerage'),
  'brokerage.detail': read('/brokerage/{case_id}', ['broker'], 'Brokerage'),

  'links.create': { ...write('/links', ['refer'], 'Referral'), affiliate: true },
  'links.list': { ...read('/links', ['refer'], 'Referral'), affiliate: true },
  'me.clicks': { ...read('/me/clicks', ['report'], 'Referral'), affiliate: true },
  'me.sales': { ...read('/me/sales', ['report'], 'Referral'), affiliate: true },
  'me.commissions': { ...read('/me/commissions', ['report'], 'Referral'), affiliate: true },
  'me.payouts': { ...read('/me/payouts', ['report'], 'Referral'), affiliate: true },
  analytics: { ...read('/analytics', ['report'], 'Referral'), affiliate: true },

  'webhooks.put': { method: 'PUT', path: WEBHOOKS_PATH, scopes: ['webhook'], effect: 'write', section: 'Webhooks' },
  'events.list': read('/events', ['webhook'], 'Webhooks'),
} as const satisfies Record<string, Endpoint>

export type EndpointId = keyof typeof ENDPOINTS

export const ENDPOINT_IDS = Object.keys(ENDPOINTS) as EndpointId[]

/** Whether the partner must be merchant of record, which the document leaves open for quotes (SCOPE-10). */
export function isForMerchants(id: EndpointId, gaps: GapChoices): boolean {
  const endpoint: Endpoint = ENDPOINTS[id]
  return endpoint.merchantOfRecord === true || (id === 'quotes.create' && gaps['not-merchant-endpoints'] !== 'orders')
}

function read<const Scopes extends readonly Scope[]>(path: `/${string}`, scopes: Scopes, section: string) {
  return { method: 'GET', path: `${API_ROOT}${path}`, scopes, effect: 'read', section } as const
}

function write<const Scopes extends readonly Scope[]>(path: `/${string}`, scopes: Scopes, section: string) {
  return { method: 'POST', path: `${API_ROOT}${path}`, scopes, effect: 'write', section } as const
}
