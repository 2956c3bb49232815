import { canonicalQuery } from '../../contract/canonical-string.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { normaliseDomain } from '../kernel/domain-name.ts'
import type { Call } from './call.ts'
import { jsonObjectOf } from './json-body.ts'

/** Endpoints whose calls may name a domain: in the path, as parameter `domain`, or as member `domain` of the body. */
export const DOMAIN_NAMERS: readonly EndpointId[] = [
  ...(['domains.detail', 'availability', 'pricing', 'quotes.create', 'orders.create', 'orders.list'] as const),
  ...(['checkout.create', 'brokerage.eligibility', 'brokerage.create', 'links.create'] as const),
]

/** Endpoints whose calls name an order: in the path, or as member `public_id` of the body. */
export const ORDER_NAMERS: readonly EndpointId[] = ['orders.detail', 'refunds.create']

/** What a call is about, as far as it says so itself: ids are not looked up. */
interface CallSubject {
  /** Normalised. */
  readonly domain: string | null
  readonly publicId: string | null
  /** The domain, else the order, else the path's ids and the query; the same for every try of one thing. */
  readonly text: string
}

export function subjectOf(call: Call): CallSubject {
  const named = domainNamedBy(call, () => true)
  const domain = named === null ? null : normaliseDomain(named)
  const publicId = orderNamedBy(call)
  return { domain, publicId, text: domain ?? publicId ?? `${call.path}?${canonicalQuery(call.rawQuery)}` }
}

/**
 * The domain that a call names, as it writes it; null where it names none, or none worth a careful look.
 *
 * @param isWorthReading a quick look at a name in any spelling, or at a whole body. It may say yes for nothing.
 */
export function domainNamedBy(call: Call, isWorthReading: (text: string) => boolean): string | null {
  if (call.endpoint === null || !DOMAIN_NAMERS.includes(call.endpoint)) return null
  if (call.method !== 'GET') return memberOfBody(call, 'domain', isWorthReading)
  const named = call.endpoint === 'domains.detail' ? call.params['name'] : parameter(call, 'domain')
  return named !== undefined && isWorthReading(named) ? named : null
}

function orderNamedBy(call: Call): string | null {
  if (call.endpoint === 'orders.detail') return call.params['public_id'] ?? null
  return call.endpoint === 'refunds.create' ? memberOfBody(call, 'public_id', () => true) : null
}

function parameter(call: Call, wanted: string): string | undefined {
  return call.query.find(([name]) => name === wanted)?.[1]
}

function memberOfBody(call: Call, name: string, isWorthReading: (text: string) => boolean): string | null {
  if (!isWorthReading(Buffer.from(call.body.buffer, call.body.byteOffset, call.body.length).toString('latin1'))) {
    return null
  }
  try {
    const named = (jsonObjectOf(call) as Record<string, unknown>)[name]
    return typeof named === 'string' ? named : null
  } catch {
    // The endpoint will say what is wrong with it.
    return null
  }
}
