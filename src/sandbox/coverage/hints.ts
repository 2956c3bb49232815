import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { orderOf, type PastedCall, urlOf } from './pasted-call.ts'
import type { Evidence } from './row.ts'

type Hint = (evidence: Evidence) => string

/** How to make a call of an endpoint that is answered with 2xx: a line to be pasted, or words where only the client knows what to send. */
export function endpointHint(id: EndpointId, { call, command, world }: Evidence): string {
  const { method, path, hint }: Endpoint = ENDPOINTS[id]
  if ('read' in hint) return call({ method, path: hint.read })
  if ('body' in hint) return call({ method, path, body: hint.body })
  if ('orderOf' in hint) return call(orderOf(world, hint.orderOf))
  return hint.see === null ? hint.words : `${hint.words}; ${command(hint.see)} lists them`
}

function reading(path: string): Hint {
  return ({ call }) => call({ method: 'GET', path })
}

function writing(path: string, body: unknown): Hint {
  return ({ call }) => call({ method: 'POST', path, body })
}

const ANY_READ: PastedCall = { method: 'GET', path: '/orders' }

/** What makes the sandbox answer with a code. */
export const CODE_HINTS: Record<ErrorCode, Hint> = {
  validation_error: reading('/pricing'),
  invalid_signature: ({ call }) => `PARTNER_SECRET=wrong ${call(ANY_READ)}`,
  missing_credentials: refused('missing_credentials'),
  forbidden: ({ call }) => `PARTNER_SECRET= ${call({ method: 'GET', path: '/settlements', as: 'only-search' })}`,
  not_found: reading('/pricing?domain=nowhere.test'),
  conflict: writing('/quotes', { domain: 'taken-901.test' }),
  price_mismatch: ({ call, world }) => call(orderOf(world, 'stalls-905.test', { expected_price: 1 })),
  quote_expired: ({ command }) =>
    `POST /quotes for quote-expired-1.test, then POST /orders with its quote_id; or ${command('clock advance 11m')} in between`,
  rate_limited: reading('/pricing?domain=rate-limited-901.test'),
  internal_error: reading('/pricing?domain=error-901.test'),
  invalid_timestamp: refused('invalid_timestamp'),
  replay_detected: ({ command, call, world }) => twice(call(ANY_READ), urlOf(world, ANY_READ.path), command),
  missing_signature_headers: ({ world }) => {
    const [signer] = world.credentials.values()
    return signer
      ? `curl -H '${HEADERS.keyId}: ${signer.keyId}' ${urlOf(world, '/orders')}`
      : `send a call without ${HEADERS.nonce}`
  },
  missing_idempotency_key: ({ call, world }) => {
    const { idempotencyKey: _without, ...order } = orderOf(world, 'stalls-906.test')
    return call(order)
  },
}

/** A client can get a refusal without a mistake of its own: a fault answers a valid call with the code. */
function refused(code: ErrorCode): Hint {
  return ({ command }) =>
    `${command(`fault add --endpoint orders.list --code ${code}`)}; then let the client GET /orders`
}

/** The same signed line is sent a second time. */
function twice(line: string, url: string, command: Evidence['command']): string {
  const signed = line.replace(/ \| sh$/, '')
  return line === signed
    ? `send a call to ${url} twice with the same nonce; ${command('request list')} shows them`
    : `line=$(${signed}) && eval "$line" && eval "$line"`
}

/** The order that is recorded and whose answer is lost. */
export const LOST_REPLY_HINT: Hint = ({ call, world }) =>
  `${call(orderOf(world, 'lost-reply-901.test'))}: the order is recorded, but the connection closes without an answer`
