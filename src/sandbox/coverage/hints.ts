import type { Hint } from '../../contract/endpoints/endpoint.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { PastedCall } from './pasted-call.ts'
import type { Evidence } from './row.ts'

type HintWriter = (evidence: Evidence) => string

/** How to make a call of an endpoint that is answered with 2xx: a line to be pasted, or words where only the client knows what to send. */
export function endpointHint(id: EndpointId, { call, command, orderOf }: Evidence): string {
  const hint = acceptedCall(id, orderOf)
  if (!('words' in hint)) return call(hint)
  return `${hint.words}; ${command(hint.see)} lists them`
}

/**
 * A call of an endpoint that is answered with 2xx, or words where only the client knows what to send.
 *
 * @param orderOf an order of a magic name at its price.
 */
export function acceptedCall(
  id: EndpointId,
  orderOf: Evidence['orderOf'],
): PastedCall | Extract<Hint, { words: string }> {
  const { method, path, hint }: Endpoint = ENDPOINTS[id]
  if ('read' in hint) return { method, path: hint.read }
  if ('body' in hint) return { method, path, body: hint.body }
  return 'orderOf' in hint ? orderOf(hint.orderOf) : hint
}

/** What makes the sandbox answer with a code: a line to be pasted and what the client does then, or words. */
type CodeHint = { readonly line: HintWriter; readonly next?: string } | { readonly words: HintWriter }

function reading(path: string): CodeHint {
  return { line: ({ call }) => call({ method: 'GET', path }) }
}

/** A client can get a refusal without a mistake of its own: a fault answers a valid call with the code. */
function refused(code: ErrorCode): CodeHint {
  return {
    line: ({ command }) => command(`fault add --endpoint orders.list --code ${code}`),
    next: 'let the client GET /orders',
  }
}

const ANY_READ: PastedCall = { method: 'GET', path: '/orders' }

export const CODE_HINTS: Record<ErrorCode, CodeHint> = {
  validation_error: reading('/pricing'),
  invalid_signature: { line: ({ call }) => `PARTNER_SECRET=wrong ${call(ANY_READ)}` },
  missing_credentials: refused('missing_credentials'),
  forbidden: {
    line: ({ call }) => `PARTNER_SECRET= ${call({ method: 'GET', path: '/settlements', as: 'only-search' })}`,
  },
  not_found: reading('/pricing?domain=nowhere.test'),
  conflict: { line: ({ call }) => call({ method: 'POST', path: '/quotes', body: { domain: 'taken-901.test' } }) },
  price_mismatch: { line: ({ call, orderOf }) => call(orderOf('stalls-905.test', { expected_price: 1 })) },
  quote_expired: {
    words: ({ command }) =>
      `POST /quotes for quote-expired-1.test, then POST /orders with its quote_id; or ${command('clock advance 11m')} in between`,
  },
  rate_limited: reading('/pricing?domain=rate-limited-901.test'),
  internal_error: reading('/pricing?domain=error-901.test'),
  invalid_timestamp: refused('invalid_timestamp'),
  replay_detected: {
    line: ({ command, call, url }) => twice(call(ANY_READ), url(ANY_READ.path), command),
  },
  missing_signature_headers: {
    line: ({ keyId, url }) =>
      keyId === null
        ? `send a call without ${HEADERS.nonce}`
        : `curl -H '${HEADERS.keyId}: ${keyId}' ${url('/orders')}`,
  },
  missing_idempotency_key: {
    line: ({ call, orderOf }) => {
      const { idempotencyKey: _without, ...order } = orderOf('stalls-906.test')
      return call(order)
    },
  },
}

export function codeHint(code: ErrorCode, evidence: Evidence): string {
  const hint = CODE_HINTS[code]
  if ('words' in hint) return hint.words(evidence)
  return hint.next === undefined ? hint.line(evidence) : `${hint.line(evidence)}; then ${hint.next}`
}

/** The same signed line is sent a second time. */
function twice(line: string, url: string, command: Evidence['command']): string {
  const signed = line.replace(/ \| sh$/, '')
  return line === signed
    ? `send a call to ${url} twice with the same nonce; ${command('request list')} shows them`
    : `line=$(${signed}) && eval "$line" && eval "$line"`
}

/** The order that is recorded and whose answer is lost. */
export const LOST_REPLY_HINT: HintWriter = ({ call, orderOf }) =>
  `${call(orderOf('lost-reply-901.test'))}: the order is recorded, but the connection closes without an answer`
