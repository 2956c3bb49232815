import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectSandbox } from '../../../src/index.ts'
import { submit, visit } from '../../support/checkout.ts'
import { end, serve } from '../../support/served.ts'
import { signWith } from '../../support/signer.ts'
import { sampleOf, size } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { lacks } from '../../support/tools.ts'

const START = fileURLToPath(new URL('../../../examples/scale-out/start.mjs', import.meta.url))
const SHARDS = ['a', 'b'] as const
const BACKUP = fileURLToPath(new URL('../../../examples/scale-out/backup.mjs', import.meta.url))
type Label = (typeof SHARDS)[number]

interface Key {
  keyId: string
  secret: string
}

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
  json: any
}

/** The example, running on free ports. */
interface ScaleOut {
  url: string
  operatorUrl: string
  /** The API and the operator API of a shard itself, past nginx. */
  own: Record<Label, { url: string; operatorUrl: string }>
  keys: Record<Label, Key>
  /** Which process a shard is now. */
  pidOf(label: Label): number
  /** How often a shard has become ready. */
  startsOf(label: Label): number
  said(): string
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

async function startExample(whenDone: (stop: () => Promise<void>) => void = onTestFinished): Promise<ScaleOut> {
  const ports = await freePorts(6)
  const args = [START, '--data', tempFolder(whenDone), '--ports', ports.join()]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  whenDone(() => end(child, 'SIGTERM'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  await until(
    child,
    () => output.includes('ready: '),
    () => output,
  )
  const starts = (label: Label) => [
    ...output.matchAll(
      new RegExp(`^shard ${label} is process (\\d+): PARTNER_KEY_ID=(\\S+) PARTNER_SECRET=(\\S+)$`, 'gm'),
    ),
  ]
  const latest = (label: Label) => starts(label).at(-1) ?? []
  const address = (index: number) => `http://127.0.0.1:${ports[index]}`
  const keyOf = (label: Label) => ({ keyId: latest(label)[2] as string, secret: latest(label)[3] as string })
  return {
    url: address(0),
    operatorUrl: address(1),
    own: {
      a: { url: address(2), operatorUrl: address(3) },
      b: { url: address(4), operatorUrl: address(5) },
    },
    keys: { a: keyOf('a'), b: keyOf('b') },
    pidOf: (label) => Number(latest(label)[1]),
    startsOf: (label) => starts(label).length,
    said: () => output,
  }
}

/** Waits for what the example does; fails with what it said where it ends before. */
async function until(child: ChildProcess, isDone: () => boolean, said: () => string): Promise<void> {
  while (!isDone()) {
    if (child.exitCode !== null) throw new Error(`the example has ended: ${said()}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function call(
  url: string,
  key: Key,
  method: string,
  path: string,
  body?: string,
  idempotencyKey: string = randomUUID(),
) {
  const target = `/api/partner/v1${path}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signed = { method, target, timestamp, nonce: randomUUID(), ...(body !== undefined && { body }) }
  const headers = {
    ...signWith(key, signed).headers,
    ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }),
  }
  const answer = await fetch(url + target, { method, headers, ...(body !== undefined && { body }) })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, json: isJson ? JSON.parse(text) : text } as Answer
}

async function operate(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await fetch(url + path, { method, ...sent })
  return { status: answer.status, json: await answer.json() }
}

/** An order for a domain of any name that begins so. */
async function orderOf(url: string, key: Key, domain: string): Promise<string> {
  const { json } = await call(url, key, 'GET', `/availability?domain=${domain}`)
  const buyer = { email: 'b@example.test' }
  return JSON.stringify({ domain, expected_price: json.price_cents, currency: 'USD', buyer })
}

const withNginx = test.skipIf(lacks('nginx'))

/** A request whose target and headers go out as they are written. */
async function raw(url: string, method: string, target: string, headers: Record<string, string>, body = '') {
  const { hostname, port } = new URL(url)
  const sent = request({ hostname, port, method, path: target, headers }).end(body)
  const [answer] = await once(sent, 'response')
  let text = ''
  for await (const chunk of answer) text += chunk
  return { status: answer.statusCode, type: answer.headers['content-type'], text: text.replace(/req_\w+/g, 'req_') }
}

const TARGETS = [
  ['GET', '/api/partner/v1/domains/search?q=a%2Fb+c%20d&limit=2'],
  ['GET', '/api/partner/v1/domains/search?limit=2&q=%7Esolar~&q=again'],
  ['GET', '/api/partner/v1/orders/..%2F..%2Forders'],
  ['GET', '/api/partner/v1//orders?'],
  ['GET', '/api/partner/v1/./orders'],
  ['GET', '/api/partner/v1/orders/caf%c3%a9'],
  ['POST', '/api/partner/v1/quotes'],
] as const

describe.skipIf(lacks('nginx'))('two shards behind nginx', () => {
  let example: ScaleOut
  const stops: (() => Promise<void>)[] = []
  beforeAll(async () => {
    example = await startExample((stop) => stops.unshift(stop))
  })
  afterAll(async () => {
    for (const stop of stops) await stop()
  })

  test('worlds of every shard sell through the one address, and operators find each of them by its name', async () => {
    const { url, operatorUrl, own } = example
    const seen = new Map<string, Key>()
    const labels = () => new Set([...seen.keys()].map((name) => name.slice(0, 2)))
    while (seen.size < 4 || labels().size < 2) {
      const { status, json } = await operate(operatorUrl, 'POST', '/v1/worlds', { inventory: 1, seed: randomUUID() })
      expect(status).toBe(201)
      seen.set(json.world, { keyId: json.credentials[0].key_id, secret: json.credentials[0].secret })
    }
    for (const [name, key] of seen) {
      const sold = await call(url, key, 'POST', '/orders', await orderOf(url, key, 'stalls-1.test'))
      expect(sold.status).toBe(201)
      const shown = await operate(operatorUrl, 'GET', `/v1/worlds/${name}/orders`)
      expect(shown.json.orders.map((order: { public_id: string }) => order.public_id)).toEqual([sold.json.public_id])
      const { operatorUrl: itsOwn } = own[name.slice(0, 1) as Label]
      expect((await operate(itsOwn, 'GET', `/v1/worlds/${name}/orders`)).json).toEqual(shown.json)
    }
  })

  test('the library makes worlds through the one operator address, wherever they are made', async () => {
    const { url, operatorUrl } = example
    await using sandbox = await connectSandbox({ url: operatorUrl })
    expect(sandbox.url).toBe(url)
    const shards = new Set<string>()
    while (shards.size < 2) {
      const world = await sandbox.createWorld({ inventory: 1 })
      shards.add(world.name.slice(0, 2))
      expect((await world.call('GET', '/orders')).status).toBe(200)
      await world.clock.advance('1h')
    }
  })

  test('buyers open the pages of every shard through the one address, and pay there', async () => {
    const { url, keys } = example
    for (const label of SHARDS) {
      const key = keys[label]
      const wanted = {
        domain: 'stalls-2.test',
        return_url: 'https://shop.example/',
        cancel_url: 'https://shop.example/',
      }
      const { json: session } = await call(url, key, 'POST', '/checkout-session', JSON.stringify(wanted))
      expect(session.checkout_url).toContain(`${url}/checkout?pt=${label}.`)
      expect((await visit(session.checkout_url)).text).toContain('stalls-2.test')
      const fields = { name: 'Jo Doe', email: 'jo@buyer.example', country: 'AT' }
      const paid = { action: 'pay', price_cents: String(session.price_cents), ...fields }
      const sameOrigin = { headers: { origin: url, 'sec-fetch-site': 'same-origin' } }
      expect(await submit(session.checkout_url, paid, sameOrigin)).toMatchObject({
        status: 303,
        location: expect.stringContaining('https://shop.example/'),
      })
      const brokered = { tier: 'managed', buyer_email: 'jo@buyer.example', budget: 100_000 }
      const opened = await call(url, key, 'POST', '/brokerage', JSON.stringify(brokered))
      const link = await call(url, key, 'POST', '/links', JSON.stringify({ kind: 'domain', domain: 'stalls-3.test' }))
      expect((await visit(opened.json.progress_url)).text).toContain(opened.json.case_id)
      const followed = await visit(link.json.url)
      expect(followed).toMatchObject({
        status: 303,
        location: expect.stringContaining(`${url}/shop/${label}.default/`),
      })
      expect((await visit(followed.location as string)).text).toContain('stalls-3.test')
    }
  })

  test('a call arrives as it was sent: target, long headers and body, byte for byte', async () => {
    const { url, own, keys } = example
    const body = ' {"domain" : "st\\u0061lls-4.test",\r\n\t"pad":"é€𝒳"} '
    const spoiled = { 'x-long': 'x'.repeat(12_000), under_score: 'kept', 'idempotency-key': '' }
    for (const [method, target] of TARGETS) {
      const answers = []
      for (const to of [url, own.b.url]) {
        const timestamp = String(Math.floor(Date.now() / 1000))
        const content = method === 'POST' ? body : ''
        const signed = { method, target, timestamp, nonce: randomUUID(), body: content }
        const headers = { ...signWith(keys.b, signed).headers, ...spoiled, 'content-type': 'application/json' }
        answers.push(await raw(to, method, target, headers, content))
      }
      expect(answers[0], target).toEqual(answers[1])
      expect(answers[0]?.status, target).not.toBe(401)
    }
    const broken = await raw(url, 'GET', '/api/partner/v1/domains/%zz', { host: new URL(url).host })
    expect([broken.status, broken.type, JSON.parse(broken.text).code]).toEqual([
      ...[400, 'application/json', 'validation_error'],
    ])
    const tooLong = JSON.stringify({ domain: 'a'.repeat(70_000) })
    const refused = await call(url, keys.b, 'POST', '/quotes', tooLong)
    const ofShard = await call(own.b.url, keys.b, 'POST', '/quotes', tooLong)
    expect(ofShard.status).toBe(413)
    expect(refused).toEqual({ status: 413, json: { ...ofShard.json, request_id: expect.stringMatching(/^req_/) } })
    const stranger = await call(url, { keyId: 'pk_sandbox_zz_1', secret: 'sk_sandbox_1' }, 'GET', '/orders')
    expect([stranger.status, stranger.json.code]).toEqual([401, 'invalid_signature'])
  })

  test('only the address of the operators itself opens the operator side', async () => {
    const { operatorUrl } = example
    const port = new URL(operatorUrl).port
    const statusFor = async (host: string) => (await raw(operatorUrl, 'GET', '/v1/worlds', { host })).status
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200)
    expect(await statusFor(`evil.test:${port}`)).toBe(403)
    const foreign = { host: `127.0.0.1:${port}`, origin: 'http://evil.test', 'content-type': 'application/json' }
    expect((await raw(operatorUrl, 'POST', '/v1/worlds/b.default/reset', foreign, '{}')).status).toBe(403)
  })
})

withNginx('a backup of the running shards is a data folder for each of them', async () => {
  const { url, own, keys } = await startExample()
  const made = await operate(own.b.operatorUrl, 'POST', '/v1/worlds', { name: 'ci', inventory: 1 })
  const ofCi = { keyId: made.json.credentials[0].key_id, secret: made.json.credentials[0].secret }
  const sold = await call(url, ofCi, 'POST', '/orders', await orderOf(url, ofCi, 'stalls-5.test'))
  const folder = tempFolder()
  const saving = spawn(process.execPath, [BACKUP, folder, own.a.operatorUrl, own.b.operatorUrl], { stdio: 'ignore' })
  expect((await once(saving, 'exit'))[0]).toBe(0)
  expect(readdirSync(join(folder, 'b')).sort()).toEqual(['b.ci.sqlite', 'b.default.sqlite'])
  for (const label of SHARDS) {
    const restored = await serve('--shard', label, '--data', join(folder, label))
    onTestFinished(() => end(restored.child, 'SIGTERM'))
    expect((await call(restored.url, keys[label], 'GET', '/orders')).status).toBe(200)
    if (label === 'b') {
      const found = await call(restored.url, ofCi, 'GET', `/orders/${sold.json.public_id}`)
      expect([found.status, found.json.domain]).toEqual([200, 'stalls-5.test'])
    }
  }
})

interface Acknowledged {
  key: string
  body: string
  publicId: string
}

/** Sells under one key until it is told to stop. A lost answer is asked for again with the same idempotency key. */
async function sellUntil(stop: AbortSignal, { url }: ScaleOut, key: Key, seller: number, done: Acknowledged[]) {
  const answered = async (method: string, path: string, body?: string, idempotencyKey?: string): Promise<Answer> => {
    for (;;) {
      const answer = await call(url, key, method, path, body, idempotencyKey)
      if (answer.status < 500) return answer
      refusals.push(answer.status)
      await setTimeout(50) // As a client would before it tries again.
    }
  }
  const refusals: number[] = []
  for (let sold = 1; !stop.aborted; sold++) {
    const domain = `stalls-${1_000_000 * seller + sold}.test`
    const { json } = await answered('GET', `/availability?domain=${domain}`)
    const buyer = { email: 'b@example.test' }
    const body = JSON.stringify({ domain, expected_price: json.price_cents, currency: 'USD', buyer })
    const idempotencyKey = randomUUID()
    const answer = await answered('POST', '/orders', body, idempotencyKey)
    if (answer.status !== 201) throw new Error(`an order was answered ${answer.status}: ${JSON.stringify(answer.json)}`)
    done.push({ key: idempotencyKey, body, publicId: answer.json.public_id })
  }
  return refusals
}

const ROUNDS = size(1, 10)

withNginx.each(sampleOf([['kill -9', 'SIGKILL'] as const, ['a drain', 'SIGTERM'] as const], 2))(
  'after %s of one shard no acknowledged order of it is lost, and meanwhile the other answers every call',
  async (_words, signal) => {
    const example = await startExample()
    const { url, operatorUrl, keys, startsOf, pidOf } = example
    for (const label of SHARDS) {
      const noLimit = { requests: 0, seconds: 1 }
      await operate(operatorUrl, 'PUT', `/v1/worlds/${label}.default/rate-limit`, noLimit)
    }
    const stop = new AbortController()
    const sold: Record<Label, Acknowledged[]> = { a: [], b: [] }
    const sellers = (['a', 'b'] as const).flatMap((label) =>
      [1, 2].map((n) => sellUntil(stop.signal, example, keys[label], n, sold[label])),
    )
    const soldBy = async (label: Label, count: number) => {
      const wanted = sold[label].length + count
      while (sold[label].length < wanted)
        await Promise.race([new Promise((resolve) => setImmediate(resolve)), ...sellers])
    }
    for (let round = 1; round <= ROUNDS; round++) {
      await soldBy('a', 10)
      process.kill(pidOf('a'), signal)
      await soldBy('b', 3)
      while (startsOf('a') <= round) await new Promise((resolve) => setImmediate(resolve))
      await soldBy('a', 5)
    }
    stop.abort()
    const refusals = await Promise.all(sellers)
    expect(refusals.slice(2)).toEqual([[], []])
    expect(
      refusals
        .slice(0, 2)
        .flat()
        .filter((status) => status !== 502),
    ).toEqual([])
    for (const label of SHARDS) {
      const left = [...sold[label]]
      const askAgain = async () => {
        for (let one = left.pop(); one; one = left.pop()) {
          const again = await call(url, keys[label], 'POST', '/orders', one.body, one.key)
          expect([again.status, again.json.public_id]).toEqual([201, one.publicId])
        }
      }
      await Promise.all(Array.from({ length: 8 }, askAgain))
    }
    expect(example.said()).toContain(
      signal === 'SIGKILL' ? 'shard a has ended (SIGKILL)' : 'shard a has ended (exit code 0)',
    )
  },
  size(120_000, 600_000),
)
