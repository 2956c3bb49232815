import { canonicalQuery, hasUnsignedBody } from '../../contract/canonical-string.ts'
import type { Subject } from '../../contract/endpoints/endpoint.ts'
import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { normalizeDomain } from '../kernel/domain-name.ts'
import type { Call } from './call.ts'
import { jsonObjectOf } from './json-body.ts'

/** Endpoints whose calls may name a domain, or name an order. */
export const DOMAIN_NAMERS = namersOf('domain')
export const ORDER_NAMERS = namersOf('order')

function namersOf(kind: Subject['kind']): EndpointId[] {
  return ENDPOINT_IDS.filter((id) => ENDPOINTS[id].subject?.kind === kind)
}

/** What a call is about, as far as it says so itself: ids are not looked up. */
export interface CallSubject {
  /** Normalized. */
  readonly domain: string | null
  readonly publicId: string | null
  /** The domain, else the order, else the path's ids and the query; the same for every try of one thing. */
  readonly text: string
}

export function subjectOf(call: Call): CallSubject {
  const named = namedBy(call, 'domain')
  const domain = named === null ? null : normalizeDomain(named)
  const publicId = namedBy(call, 'order')
  return { domain, publicId, text: domain ?? publicId ?? `${call.path}?${canonicalQuery(call.rawQuery)}` }
}

/**
 * The domain or order that a call names, as it writes it; null if it names none, or none worth a careful look.
 *
 * @param isWorthReading finds whether it may be in a name in any spelling, or in a whole body. A false yes is harmless.
 */
export function namedBy(call: Call, kind: Subject['kind'], isWorthReading?: RegExp): string | null {
  const subject = call.endpoint === null ? null : ENDPOINTS[call.endpoint].subject
  if (subject?.kind !== kind) return null
  const { name } = subject
  if (hasUnsignedBody(call.method)) {
    const named = call.params[name] ?? call.query.find(([key]) => key === name)?.[1]
    return named === undefined || isWorthReading?.test(named) === false ? null : named
  }
  const { buffer, byteOffset, length } = call.body
  if (isWorthReading?.test(Buffer.from(buffer, byteOffset, length).toString('latin1')) === false) return null
  try {
    const named = (jsonObjectOf(call) as Record<string, unknown>)[name]
    return typeof named === 'string' ? named : null
  } catch {
    // The endpoint will say what is wrong with it.
    return null
  }
}
