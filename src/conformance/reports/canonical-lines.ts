import { canonicalQuery, splitTarget } from '../../contract/canonical-string.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { RedactedExchange } from '../result/result.ts'

/** One line of a canonical string as it was signed. */
export interface CanonicalLine {
  text: string
  /** What the request as sent should have signed there; null where the two agree or it cannot be said. */
  instead: string | null
}

/** The lines that were signed, the first one that does not fit the request marked. */
export function canonicalLines(exchange: RedactedExchange): CanonicalLine[] {
  if (exchange.canonicalString === null) return []
  const sound = soundLines(exchange)
  const lines = exchange.canonicalString.split('\n')
  const first = lines.findIndex((line, at) => sound[at] !== undefined && sound[at] !== line)
  return lines.map((text, at) => ({ text, instead: at === first ? (sound[at] ?? null) : null }))
}

/** Verb, path, query, timestamp and nonce of the request. The body may have been redacted, so its hash is left out. */
function soundLines(exchange: RedactedExchange): (string | undefined)[] {
  const { path, query } = splitTarget(exchange.target)
  return [
    exchange.method.toUpperCase(),
    path,
    canonicalOrUndefined(query),
    headerOf(exchange, HEADERS.timestamp),
    headerOf(exchange, HEADERS.nonce),
  ]
}

function headerOf(exchange: RedactedExchange, name: string): string | undefined {
  return exchange.requestHeaders.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

function canonicalOrUndefined(query: string): string | undefined {
  try {
    return canonicalQuery(query)
  } catch {
    return undefined
  }
}
