import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { canonicalQuery, canonicalString, decodeQuery, splitTarget } from '../../src/contract/canonical-string.ts'
import { bodySha256, hmacSha256Hex } from '../../src/contract/signature.ts'

/**
 * A small service by the API document, written apart from the sandbox, so that the runner is tried against something
 * that nobody tuned it to. It knows inventory, quotes, orders and events; its dialect and its faults can be chosen.
 */
export interface FakeOptions {
  /** Status of the four codes for which the document gives none. */
  openStatus?: number
  priceUnit?: 'cents' | 'units'
  /** Reads give whole units under `price`, without saying so. */
  readUnit?: 'cents' | 'units'
  staleAs?: 'invalid_timestamp' | 'invalid_signature'
  newestFirst?: boolean
  quoteField?: string
  fault?: FakeFault
  rateLimitOnce?: boolean
}

export type FakeFault =
  | 'refuses-everything'
  | 'accepts-everything'
  | 'nonce-untracked'
  | 'key-id-is-secret'
  | 'price-unchecked'
  | 'path-without-root'
  | 'refuses-writes'
  | 'code-misspelled'
  | 'mismatch-500-once'

export interface Fake {
  url: string
  keyId: string
  secret: string
  requests: { method: string; target: string; headers: IncomingMessage['headers']; body: string }[]
  advance(ms: number): void
  close(): Promise<void>
}

interface Order {
  public_id: string
  domain: string
  status: string
  sale_price_cents: number
  currency: string
}

interface State {
  options: FakeOptions
  nonces: Set<string>
  quotes: Map<string, { domain: string; at: number }>
  orders: Map<string, Order>
  keys: Map<string, { body: string; order: Order }>
  events: { id: string; type: string; created_at: string; data: object }[]
  aheadMs: number
  flags: Set<string>
}

const KEY_ID = 'pk_test_fake0001'
const SECRET = 'sk_test_fake-secret-0001'
const ROOT = '/api/partner/v1'

export async function startFake(options: FakeOptions = {}): Promise<Fake> {
  const state: State = {
    options,
    nonces: new Set(),
    quotes: new Map(),
    orders: new Map(),
    keys: new Map(),
    events: [],
    aheadMs: 0,
    flags: new Set(),
  }
  const requests: Fake['requests'] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces)
      requests.push({
        method: request.method ?? '',
        target: request.url ?? '',
        headers: request.headers,
        body: body.toString(),
      })
      answer(state, request, body, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    keyId: KEY_ID,
    secret: SECRET,
    requests,
    advance: (ms) => {
      state.aheadMs += ms
    },
    close: () => closed(server),
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function answer(state: State, request: IncomingMessage, body: Buffer, response: ServerResponse): unknown {
  const { fault } = state.options
  if (request.url === '/ops/clock') {
    state.aheadMs += Number(JSON.parse(body.toString()).advance_seconds) * 1000
    return send(response, 200, { ok: true })
  }
  if (fault === 'refuses-everything') return refuse(response, 401, 'invalid_signature')
  if (state.options.rateLimitOnce && !state.flags.has('limited')) {
    state.flags.add('limited')
    response.setHeader('retry-after', '0')
    return refuse(response, 429, 'rate_limited')
  }
  if (fault !== 'accepts-everything') {
    const problem = authProblem(state, request, body)
    if (problem) return refuse(response, problem[0], problem[1])
  }
  return route(state, request, body, response)
}

function authProblem(state: State, request: IncomingMessage, body: Buffer): [number, string] | null {
  const header = (name: string): string => String(request.headers[name] ?? '')
  const { options } = state
  const open = options.openStatus ?? 401
  if (!header('x-partner-key-id')) return [401, 'missing_credentials']
  const [timestamp, nonce, signature] = [
    header('x-partner-timestamp'),
    header('x-partner-nonce'),
    header('x-partner-signature'),
  ]
  if (!timestamp || !nonce || !signature) return [open, 'missing_signature_headers']
  if (!/^\d{1,11}$/.test(timestamp) || Math.abs(Number(timestamp) - Date.now() / 1000) > 300) {
    return options.staleAs === 'invalid_signature' ? [401, 'invalid_signature'] : [open, 'invalid_timestamp']
  }
  const { path, query } = splitTarget(request.url ?? '')
  const parts = {
    method: request.method ?? '',
    path: options.fault === 'path-without-root' ? path.replace(ROOT, '') : path,
    query: canonicalQuery(query),
    timestamp,
    nonce,
    bodySha256: bodySha256(body),
  }
  const good = [SECRET, ...(options.fault === 'key-id-is-secret' ? [KEY_ID] : [])].map(
    (key) => `v1=${hmacSha256Hex(key, canonicalString(parts))}`,
  )
  if (header('x-partner-key-id') !== KEY_ID || !good.includes(signature))
    return [401, options.fault === 'code-misspelled' ? 'bad_signature' : 'invalid_signature']
  if (options.fault !== 'nonce-untracked' && state.nonces.has(nonce)) return [open, 'replay_detected']
  state.nonces.add(nonce)
  return null
}

const PRICE_CENTS = 120_000

function route(state: State, request: IncomingMessage, body: Buffer, response: ServerResponse): unknown {
  const { path, query } = splitTarget(request.url ?? '')
  const params = new Map(decodeQuery(query))
  const domain = params.get('domain') ?? ''
  const price = state.options.readUnit === 'units' ? { price: PRICE_CENTS / 100 } : { price_cents: PRICE_CENTS }
  const listed = domain.endsWith('.test') || state.options.fault === 'accepts-everything'
  const sold = [...state.orders.values()].some((order) => order.domain === domain)
  switch (`${request.method} ${path.slice(ROOT.length)}`) {
    case 'GET /availability':
      return send(response, 200, { domain, available: listed && !sold, ...(listed ? price : {}), currency: 'USD' })
    case 'GET /pricing':
      if (!listed) return refuse(response, 404, 'not_found')
      return send(response, 200, { domain, ...price, floor_price_cents: 100_000, currency: 'USD' })
    case 'GET /domains/search':
      return send(response, 200, {
        domains: Array.from({ length: 5 }, (_, i) => ({ domain: `${params.get('q')}-${i}.test` })),
      })
    case 'GET /events':
      return listEvents(state, params, response)
    case 'POST /quotes':
      return createQuote(state, body, response)
    case 'POST /orders':
      return createOrder(state, request, body, response)
    default:
      return refuse(response, 404, 'not_found')
  }
}

function listEvents(state: State, params: Map<string, string>, response: ServerResponse): void {
  const { newestFirst } = state.options
  const after = params.get('after_id')
  const limit = Number(params.get('limit') ?? 20)
  const all = newestFirst ? [...state.events].reverse() : state.events
  const index = after === undefined ? -1 : all.findIndex(({ id }) => id === after)
  const from = index + 1
  const page = all.slice(from, from + limit)
  const next = from + limit < all.length ? (page.at(-1)?.id ?? null) : null
  send(response, 200, { events: page, next_cursor: next })
}

function createQuote(state: State, body: Buffer, response: ServerResponse): void {
  if (state.options.fault === 'refuses-writes') {
    refuse(response, 403, 'forbidden')
    return
  }
  const json = parsed(body)
  const field = state.options.quoteField ?? 'domain'
  if (typeof json?.[field] !== 'string') {
    refuse(response, 400, 'validation_error')
    return
  }
  const id = `qt_${state.quotes.size + 1}`
  state.quotes.set(id, { domain: json[field] as string, at: Date.now() + state.aheadMs })
  const expires_at = new Date().toISOString()
  send(response, 201, { quote_id: id, price_cents: PRICE_CENTS, quote_token: 'tok', expires_at })
}

function createOrder(state: State, request: IncomingMessage, body: Buffer, response: ServerResponse): unknown {
  const { fault, openStatus = 400 } = state.options
  if (fault === 'refuses-writes') return refuse(response, 403, 'forbidden')
  const key = String(request.headers['idempotency-key'] ?? '')
  if (!key && fault !== 'accepts-everything') return refuse(response, openStatus, 'missing_idempotency_key')
  const stored = state.keys.get(key)
  if (stored) {
    if (stored.body !== body.toString()) return refuse(response, 409, 'conflict')
    return send(response, 201, stored.order)
  }
  const json = parsed(body)
  if (!json || typeof json.domain !== 'string') return refuse(response, 400, 'validation_error')
  const expected = state.options.priceUnit === 'units' ? PRICE_CENTS / 100 : PRICE_CENTS
  if (json.expected_price !== expected && fault !== 'price-unchecked' && fault !== 'accepts-everything') {
    if (fault === 'mismatch-500-once' && !state.flags.has('once')) {
      state.flags.add('once')
      return refuse(response, 500, 'internal_error')
    }
    return refuse(response, 422, 'price_mismatch')
  }
  const quote = state.quotes.get(String(json.quote_id))
  const age = Date.now() + state.aheadMs - (quote?.at ?? Date.now() + state.aheadMs)
  if (age > 600_000) return refuse(response, 422, 'quote_expired')
  const order = record(state, json.domain)
  state.keys.set(key, { body: body.toString(), order })
  return send(response, 201, order)
}

function record(state: State, domain: string): Order {
  const order = {
    public_id: `ord_${state.orders.size + 1}`,
    domain,
    status: 'EXTERNALLY_PAID',
    sale_price_cents: PRICE_CENTS,
    currency: 'USD',
  }
  state.orders.set(order.public_id, order)
  state.events.push({
    id: `evt_${state.events.length + 1}`,
    type: 'order.recorded',
    created_at: new Date(Date.now() + state.aheadMs + state.events.length).toISOString(),
    data: { order },
  })
  return order
}

function parsed(body: Buffer): Record<string, unknown> | null {
  try {
    return JSON.parse(body.toString())
  } catch {
    return null
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  send(response, status, { code, message: `refused: ${code}` })
}

function send(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
}
