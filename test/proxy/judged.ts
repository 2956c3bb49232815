import { createHash, createHmac, randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { parseTarget } from '../../src/conformance/target/load-target.ts'
import { createOperatorClient } from '../../src/operator-api/client.ts'
import { type ProxyServerOptions, startProxy } from '../../src/proxy/start-proxy.ts'
import { type ServerOptions, startServer } from '../../src/server.ts'
import { secondCanonicalString } from '../support/signer.ts'

/** In plain JavaScript, without types. */
const FOREIGN: string = new URL('../foreign-servers/', import.meta.url).href

/** Each is a dialect: names, places, statuses and units of its own. */
export type Personality = 'A' | 'B' | 'C'

interface Key {
  readonly keyId: string
  readonly secret: string
}

/** A call of a client, and how it departs from what is right. */
export interface Sent {
  readonly method?: string
  readonly target?: string
  readonly body?: unknown
  /** Instead of the body as JSON. */
  readonly bytes?: string
  readonly as?: Key
  readonly nonce?: string
  readonly timestamp?: string
  /** Of its clock; a client that is behind has a positive one. */
  readonly agoSeconds?: number
  readonly inMilliseconds?: true
  readonly idempotencyKey?: string
  /** What is signed, where that is not what the document says. */
  readonly signed?: (parts: SignedParts) => string
  readonly hmacKey?: (secret: string) => string
  readonly signature?: (hmac: Buffer) => string
  /** Headers as they are sent; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export interface SignedParts {
  readonly right: string
  readonly lines: readonly string[]
  readonly target: string
  readonly body: string
}

/** A proxy before a server, with a client that signs by itself and the operator's view of its calls. */
async function proxyTo(target: string, key: Key, options: Partial<ProxyServerOptions>) {
  const credentials = options.credentials ?? [{ name: 'main', ...key, scopes: null, partner: 'main' }]
  const proxy = await startProxy({ port: 0, operatorPort: 0, target, ...options, credentials })
  const operator = createOperatorClient(proxy.operator)
  onTestFinished(async () => {
    operator.close()
    await proxy.close()
  })
  const list = async () => (await operator.call('requests.list', { w: 'default' }, { limit: 1_000 })).requests.reverse()
  let calls = 0
  return {
    proxy,
    operator,
    key,
    async send(sent: Sent) {
      const answer = await send(proxy.url, key, sent)
      calls += 1
      return answer
    },
    /** All calls in their order, once each has been judged. */
    async log(count = calls) {
      await expect.poll(async () => (await list()).length, { timeout: 20_000, interval: 10 }).toBe(count)
      return list()
    },
  }
}

export type Judged = Awaited<ReturnType<typeof proxyTo>>

/** A foreign server behind a proxy, which has the server's target file or knows its address and credentials alone. */
export async function foreign(personality: Personality, defect?: string, { knowsNames = true } = {}) {
  const [{ startForeignServer }, { targetOf }] = await Promise.all([
    import(`${FOREIGN}server.mjs`),
    import(`${FOREIGN}targets.mjs`),
  ])
  const server = await startForeignServer(personality, { defect })
  onTestFinished(() => server.close())
  const file = JSON.stringify(targetOf(personality, server))
  const { target } = parseTarget(file, 'target.json', {})
  if (target === null) throw new Error('the target file of a foreign server is not valid')
  const { credentials, dialect, fixtures } = target
  const judged = await proxyTo(server.url, server.credentials.main, {
    credentials,
    dialect: knowsNames ? dialect : null,
  })
  return {
    ...judged,
    credentials: server.credentials as Record<string, Key>,
    dialect,
    fixtures,
    url: server.url as string,
    /** The price of a listing, in the unit that the server takes. */
    priceOf: (domain: string): number => {
      const { price } = server.service.environments.sandbox.listings.get(domain)
      return dialect.priceUnit === 'units' ? price / 100 : price
    },
    /** A step that only its operator can take. */
    operate: (what: string, body: object) =>
      fetch(`${server.url}/ops/${what}`, {
        method: 'POST',
        headers: { 'x-operator': 'let-me-operate' },
        body: JSON.stringify(body),
      }),
  }
}

export type Foreign = Awaited<ReturnType<typeof foreign>>

/** A sandbox, broken or not, behind a proxy that knows no target file. */
export async function sandbox({ defect = null, gaps = {} }: Partial<Pick<ServerOptions, 'defect' | 'gaps'>> = {}) {
  const server = await startServer({ port: 0, operatorPort: null, defect, gaps })
  onTestFinished(server.close)
  const { key_id: keyId = '', secret = '' } = server.credentials[0] ?? {}
  const key = { keyId, secret }
  const judged = await proxyTo(server.url, key, {})
  const pricing = await send(server.url, key, { target: '/api/partner/v1/pricing?domain=stalls-901.test' })
  const { buy_now_price_cents: price } = (await pricing.json()) as { buy_now_price_cents?: number }
  return { ...judged, price }
}

async function send(url: string, key: Key, sent: Sent): Promise<Response> {
  const { method = 'GET', target = '/api/partner/v1/orders', as = key, nonce = randomUUID() } = sent
  const clockMs = Date.now() - 1_000 * (sent.agoSeconds ?? 0)
  const timestamp = sent.timestamp ?? String(sent.inMilliseconds ? clockMs : Math.floor(clockMs / 1_000))
  const body = sent.bytes ?? (sent.body === undefined ? '' : JSON.stringify(sent.body))
  const right = secondCanonicalString({ method, target, body, timestamp, nonce })
  const signed = sent.signed?.({ right, lines: right.split('\n'), target, body }) ?? right
  const hmac = createHmac('sha256', sent.hmacKey?.(as.secret) ?? as.secret)
    .update(signed)
    .digest()
  const headers: Record<string, string | null> = {
    'X-Partner-Key-Id': as.keyId,
    'X-Partner-Timestamp': timestamp,
    'X-Partner-Nonce': nonce,
    'X-Partner-Signature': sent.signature?.(hmac) ?? `v1=${hmac.toString('hex')}`,
    'Content-Type': body === '' ? null : 'application/json',
    'Idempotency-Key': sent.idempotencyKey ?? null,
    ...sent.headers,
  }
  const present = Object.entries(headers).filter((header): header is [string, string] => header[1] !== null)
  const answer = await fetch(url + target, {
    method,
    headers: present,
    redirect: 'manual',
    ...(method !== 'GET' && body !== '' && { body }),
  })
  return new Response(await answer.text(), answer)
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
