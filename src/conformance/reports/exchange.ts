import { canonicalQuery, splitTarget } from '../../contract/canonical-string.ts'
import { ENDPOINTS, endpointAt } from '../../contract/endpoints.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import type { RedactedExchange } from '../result/result.ts'
import { shorten } from './escape.ts'

export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}

/** Whether the exchange is a delivery of an event, by the target or by the runner in its place. */
export function isDelivery(exchange: RedactedExchange): boolean {
  return exchange.speaker === 'target' || isDeliveryOfOurs(exchange)
}

/** The runner stood in for the service and delivered an event: the receiver of a partner is being judged. */
export function isDeliveryOfOurs({ requestHeaders, speaker }: RedactedExchange): boolean {
  return speaker === undefined && headerIn(requestHeaders, 'user-agent') === SERVICE_USER_AGENT
}

/** The User-Agent of the service. The calls of the runner have another one. */
const SERVICE_USER_AGENT = 'partner-sandbox'

const API_ROOT = '/api/partner'

/** Of longer queries only the names are shown. */
const MAX_QUERY_CHARACTERS = 80

/**
 * Which call it was, for a sentence; null for a delivery.
 *
 * @example callWords(exchange) // 'GET /orders/{public_id}'
 */
export function callWords(exchange: RedactedExchange): string | null {
  if (isDelivery(exchange)) return null
  const { method, target } = exchange
  const { path, query } = splitTarget(target)
  // The address of a target may have a path of its own before it.
  const op = endpointAt(method, path.slice(Math.max(0, path.lastIndexOf(`${API_ROOT}/`))))
  const name = op === null ? path : ENDPOINTS[op].path.slice(API_ROOT.length).replace(/^\/v1/, '')
  const names = query.split('&').map((pair) => pair.split('=')[0])
  const asked = query.length > MAX_QUERY_CHARACTERS ? names.join('&') : query
  return shorten(`${method} ${name}${asked === '' ? '' : `?${asked}`}`, MAX_CALL_CHARACTERS)
}

const MAX_CALL_CHARACTERS = 160

/** The domain that an accepted write is about; null for any other call, and for a delivery, whose event only names one. */
export function domainTaken(exchange: RedactedExchange): string | null {
  const { method, status, requestBody } = exchange
  if (isDelivery(exchange) || method !== 'POST' || status === null || status >= 300) return null
  return /"domain\w*"\s*:\s*"([^"]+)"/.exec(requestBody)?.[1] ?? null
}

/** The query as it has to be signed; undefined if its escapes are broken. */
export function validQuery(target: string): string | undefined {
  try {
    return canonicalQuery(splitTarget(target).query)
  } catch {
    return undefined
  }
}

/** One line of a canonical string as it was signed. */
interface CanonicalLine {
  text: string
  /** What the request as sent should have signed there; null where the two agree or it cannot be said. */
  instead: string | null
}

/** The lines that were signed, the first one that does not fit the request marked. */
export function canonicalLines(exchange: RedactedExchange): CanonicalLine[] {
  if (exchange.canonicalString === null) return []
  const valid = validLines(exchange)
  const lines = exchange.canonicalString.split('\n')
  const first = lines.findIndex((line, at) => valid[at] !== undefined && valid[at] !== line)
  return lines.map((text, at) => ({ text, instead: at === first ? (valid[at] ?? null) : null }))
}

/** Verb, path, query, timestamp and nonce of the request. The body may have been redacted, so its hash is left out. */
function validLines({ method, target, requestHeaders }: RedactedExchange): (string | undefined)[] {
  return [
    method.toUpperCase(),
    splitTarget(target).path,
    validQuery(target),
    headerIn(requestHeaders, HEADERS.timestamp),
    headerIn(requestHeaders, HEADERS.nonce),
  ]
}
