import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import type { RedactedExchange } from '../result.ts'
import { curlCommand, shellQuote } from './curl.ts'

/** What stands where a value may not be shown or would be stale. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  [HEADERS.signature.toLowerCase()]: `${SIGNATURE_PREFIX}SIGNATURE`,
  authorization: 'AUTHORIZATION',
  cookie: 'COOKIE',
}

/** Headers that curl writes itself. */
const CURLS_OWN = new Set(['host', 'content-length', 'connection', 'user-agent', 'accept-encoding'])

/**
 * The request of an exchange as a `curl` command, with a placeholder for the signature, so that no line of a report
 * could be used to act as the partner.
 */
export function curlOf(exchange: RedactedExchange, baseUrl: string): string {
  const headers = exchange.requestHeaders
    .filter(([name]) => !CURLS_OWN.has(name.toLowerCase()))
    .map(([name, value]): [string, string] => [name, placeholderOf(exchange, name, value) ?? value])
  return curlCommand({
    method: exchange.method,
    url: (exchange.origin ?? originOf(baseUrl)) + exchange.target,
    headers,
    body: exchange.requestBody,
  })
}

/** In a delivery the digest stands alone, or in whatever dress it was sent on purpose. */
function placeholderOf(exchange: RedactedExchange, name: string, value: string): string | undefined {
  const isBare = name.toLowerCase() === HEADERS.signature.toLowerCase() && isDeliveryOfOurs(exchange)
  return isBare ? value.replace(/\[\d+ characters, [^\]]*\]/, 'SIGNATURE') : PLACEHOLDERS[name.toLowerCase()]
}

/** The runner stood in for the service and delivered an event: the receiver of a partner is being judged. */
export function isDeliveryOfOurs({ requestHeaders, speaker }: RedactedExchange): boolean {
  const agent = requestHeaders.find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
  return speaker === undefined && agent === SERVICE_USER_AGENT
}

/** As the service says who it is; the calls of the runner say so otherwise. */
const SERVICE_USER_AGENT = 'partner-sandbox'

/** The command that runs one scenario again. */
export function rerunCommand(invocation: string, scenario: string): string {
  return `${invocation} --only ${shellQuote(scenario)}`
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}
