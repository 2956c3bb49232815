import { canonicalQuery, splitTarget } from '../../contract/canonical-string.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
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

/** The operations of the document; those without a name in their path come first, since such a name stands for any word. */
const PATHS = Object.values(ENDPOINTS)
  .map(({ method, path }) => ({ method, name: path.replace(/^\/api\/partner(?:\/v1)?/, ''), pattern: patternOf(path) }))
  .sort((a, b) => a.name.split('{').length - b.name.split('{').length)

function patternOf(path: string): RegExp {
  return new RegExp(`${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

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
  const known = PATHS.find((one) => one.method === method && one.pattern.test(path))
  const names = query.split('&').map((pair) => pair.split('=')[0])
  const asked = query.length > MAX_QUERY_CHARACTERS ? names.join('&') : query
  return shorten(`${method} ${known?.name ?? path}${asked === '' ? '' : `?${asked}`}`, MAX_CALL_CHARACTERS)
}

const MAX_CALL_CHARACTERS = 160

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
