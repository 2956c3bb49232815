import type { GapChoices } from './choices.ts'
import { ENDPOINT_IDS, type EndpointId } from './endpoint-ids.ts'
import { BROKERAGE, BROKERAGE_SHAPES } from './endpoints/brokerage.ts'
import { CHECKOUT, CHECKOUT_SHAPES } from './endpoints/checkout.ts'
import type { Endpoint, Shape } from './endpoints/endpoint.ts'
import { INVENTORY, INVENTORY_SHAPES } from './endpoints/inventory.ts'
import { REFERRAL, REFERRAL_SHAPES } from './endpoints/referral.ts'
import { SALES, SALES_SHAPES } from './endpoints/sales.ts'
import { SETTLEMENT, SETTLEMENT_SHAPES } from './endpoints/settlement.ts'
import { WEBHOOKS, WEBHOOKS_SHAPES } from './endpoints/webhooks.ts'

export type { EndpointId } from './endpoint-ids.ts'
export type { Endpoint, Shape } from './endpoints/endpoint.ts'

/**
 * Every operation of the document (Endpoints). Routes, scope checks, the OpenAPI document, coverage and lists follow from these rows. The two order reads take either scope, since the document lists both (SCOPE-08).
 */
export const ENDPOINTS = {
  ...INVENTORY,
  ...SALES,
  ...CHECKOUT,
  ...SETTLEMENT,
  ...BROKERAGE,
  ...REFERRAL,
  ...WEBHOOKS,
} as const satisfies Record<EndpointId, Endpoint>

/**
 * The named shapes of the OpenAPI document. The same shape elsewhere is referred to by this name, so one row
 * names, say, the order that three operations answer with.
 */
export const SHAPES: Readonly<Record<string, Shape & { readonly endpoint: EndpointId }>> = {
  ...INVENTORY_SHAPES,
  ...SALES_SHAPES,
  ...CHECKOUT_SHAPES,
  ...SETTLEMENT_SHAPES,
  ...BROKERAGE_SHAPES,
  ...REFERRAL_SHAPES,
  ...WEBHOOKS_SHAPES,
}

/** Whether the partner must be merchant of record, which the document leaves open for quotes (SCOPE-10). */
export function isForMerchants(id: EndpointId, gaps: GapChoices): boolean {
  const endpoint: Endpoint = ENDPOINTS[id]
  return endpoint.merchantOfRecord === true || (id === 'quotes.create' && gaps['not-merchant-endpoints'] !== 'orders')
}

const ROWS = ENDPOINT_IDS.map((id) => ({ id, method: ENDPOINTS[id].method, segments: ENDPOINTS[id].path.split('/') }))

/**
 * The operation of a verb and a path; null if the document has none. Fixed segments come before parameters.
 *
 * @example endpointAt('GET', '/api/partner/v1/orders/ord_1') // 'orders.detail'
 */
export function endpointAt(method: string, path: string): EndpointId | null {
  const sent = path.split('/')
  const fitting = ROWS.filter(
    (row) =>
      row.method === method &&
      row.segments.length === sent.length &&
      row.segments.every((segment, at) => (segment.startsWith('{') ? sent[at] !== '' : segment === sent[at])),
  )
  const [first] = fitting.sort((a, b) => parametersOf(a.segments) - parametersOf(b.segments))
  return first?.id ?? null
}

function parametersOf(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith('{')).length
}
