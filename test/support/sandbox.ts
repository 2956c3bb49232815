import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { DEFAULT_GAPS } from '../../src/contract/choices.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/server.ts'
import { expectDocumented } from './documented.ts'
import { expectOperatorAnswer } from './operator-documented.ts'
import { showIfTestFails } from './shown-if-test-fails.ts'
import { signWith } from './signer.ts'

/** What a test says of a call; everything left out is valid. */
export interface TestCall {
  /** A member of the cast, `main` unless said otherwise, or a credential from elsewhere. */
  as?: string | { key_id: string; secret: string }
  method?: string
  /** Behind /api/partner/v1, with its query; a full path starts with /api. */
  path: string
  /** An object is sent as JSON; a text or bytes go out as they are. */
  body?: unknown
  headers?: Record<string, string>
  key?: string
  nonce?: string
  timestamp?: string
  /** Changes what is sent after it was signed. */
  after?: (sent: { method: string; target: string; headers: Record<string, string>; body: Buffer }) => void
  /** The answer is not held against the OpenAPI document, because an injected fault makes it up. */
  undocumented?: boolean
  /** Where it is sent instead of to the sandbox itself. */
  via?: string
  /** Changes what is signed. */
  signs?: Partial<{ method: string; target: string; body: Buffer; timestamp: string; nonce: string; secret: string }>
}

export interface TestAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
  json: any
}

export interface TestSandbox extends RunningServer {
  call(call: TestCall): Promise<TestAnswer>
  operate(method: string, path: string, body?: unknown): Promise<TestAnswer>
  /** Names of domains that are for sale, different ones each time. */
  forSale(count: number): Promise<{ domain: string; price_cents: number; currency: string }[]>
  /** A valid order of a fresh domain, recorded. */
  sell(call?: Partial<TestCall> & { order?: Record<string, unknown> }): Promise<TestAnswer>
}

const ROOT = '/api/partner/v1'

/**
 * A real sandbox on free ports, stopped when the test ends. Every answer of a valid one is held against the OpenAPI
 * document; one with a defect is meant to give others. Every answer of the operator API is held against its own.
 */
export async function startSandbox(options: Partial<ServerOptions> = {}): Promise<TestSandbox> {
  const sandbox = await openSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

/**
 * The sandbox that the tests of a file share, because none of them leaves anything behind that another one sees. It is
 * there as soon as they run.
 */
export function sandboxOfFile(options: Partial<ServerOptions> = {}): TestSandbox {
  let shared: TestSandbox
  beforeAll(async () => {
    shared = await openSandbox(options)
  })
  afterAll(() => shared.close())
  return new Proxy({} as TestSandbox, { get: (_none, name) => Reflect.get(shared, name) })
}

async function openSandbox(options: Partial<ServerOptions>): Promise<TestSandbox> {
  const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null, ...options })
  const isValid = (options.defect ?? null) === null
  const gaps = { ...DEFAULT_GAPS, ...options.gaps }
  let taken = 0

  function credential(name: NonNullable<TestCall['as']>) {
    if (typeof name !== 'string') return name
    const found = server.credentials.find((member) => member.name === name)
    if (!found) throw new Error(`the cast has no ${name}`)
    return found
  }

  async function call(wanted: TestCall): Promise<TestAnswer> {
    const { key_id: keyId, secret } = credential(wanted.as ?? 'main')
    const method = wanted.method ?? (wanted.body === undefined ? 'GET' : 'POST')
    const target = wanted.path.startsWith('/api') ? wanted.path : ROOT + wanted.path
    const body = bytesOf(wanted.body)
    const signed = {
      method,
      target,
      body,
      timestamp: wanted.timestamp ?? String(Math.floor(Date.now() / 1000)),
      nonce: wanted.nonce ?? randomUUID(),
      ...wanted.signs,
    }
    const sent = {
      method,
      target,
      body,
      headers: {
        ...signWith({ keyId, secret: wanted.signs?.secret ?? secret }, signed).headers,
        ...(wanted.body !== undefined && { 'content-type': 'application/json' }),
        ...(wanted.key !== undefined && { 'idempotency-key': wanted.key }),
        ...wanted.headers,
      } as Record<string, string>,
    }
    wanted.after?.(sent)
    const answer = await exchange(wanted.via ?? server.url, sent)
    const { method: sentMethod, target: sentTarget } = sent
    if (isValid && !wanted.undocumented) expectDocumented({ ...answer, method: sentMethod, target: sentTarget }, gaps)
    return answer
  }

  async function forSale(count: number) {
    const found = []
    while (found.length < count) {
      taken += 1
      const { json } = await call({ path: `/availability?domain=stalls-${taken}.test` })
      found.push({ domain: json.domain, price_cents: json.price_cents, currency: json.currency })
    }
    return found
  }

  return {
    ...server,
    call,
    forSale,
    async operate(method, path, body) {
      const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = { method, target: path, headers, body: bytesOf(body) }
      const answer = await exchange(server.operator?.url as string, sent)
      expectOperatorAnswer({ ...answer, method, target: path })
      return answer
    },
    async sell({ order, ...rest } = {}) {
      const [listing] = (await forSale(1)) as [{ domain: string; price_cents: number; currency: string }]
      const body = {
        domain: listing.domain,
        expected_price: listing.price_cents,
        currency: listing.currency,
        buyer: { email: 'buyer@example.test' },
        ...order,
      }
      return call({ path: '/orders', body, key: randomUUID(), ...rest })
    },
  }
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0)
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

export function exchange(
  origin: string,
  { method, target, headers, body }: { method: string; target: string; headers: Record<string, string>; body: Buffer },
): Promise<TestAnswer> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: hostname, port, method, path: target, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const status = incoming.statusCode ?? 0
        showIfTestFails(
          `${method} ${target.slice(0, 120)}: ${status} ${status < 400 ? '' : text.slice(0, 300)}`.trimEnd(),
        )
        resolve({ status, headers: incoming.headers, text, json: parsed(text) })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
