import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signCall } from '../../src/contract/signature.ts'
import { createOperatorClient } from '../../src/operator-api/client.ts'
import { type ProxyServerOptions, startProxy } from '../../src/proxy/start-proxy.ts'
import { startServer } from '../../src/server.ts'
import { listening } from '../support/listening.ts'
import { exchangeBytes } from './support.ts'

const KEY = { keyId: 'pk_test_1', secret: 'sk_test_abcdefghijklmnopqrstuvwxyz' }
const ORDERS = '/api/partner/v1/orders'

interface Sent {
  method?: string
  target?: string
  /** What is signed, where that is not what is sent. */
  signedTarget?: string
  body?: unknown
  secret?: string
  keyId?: string
  headers?: Record<string, string>
  nonce?: string
  aheadSeconds?: number
}

/** A proxy in front of a target, and a client that signs. */
async function proxied(target: string, options: Partial<ProxyServerOptions> = {}, key = KEY) {
  const credentials = [{ name: 'main', ...key, scopes: null, partner: 'main' }]
  const proxy = await startProxy({ target, credentials, port: 0, operatorPort: 0, ...options })
  const client = createOperatorClient(proxy.operator)
  onTestFinished(async () => {
    client.close()
    await proxy.close()
  })
  return {
    proxy,
    client,
    async send({ method = 'GET', target = ORDERS, signedTarget = target, body, ...sent }: Sent = {}) {
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const signed = signCall(
        { keyId: sent.keyId ?? key.keyId, secret: sent.secret ?? key.secret },
        {
          method,
          target: signedTarget,
          nonce: sent.nonce ?? randomUUID(),
          ...(bytes && { body: bytes }),
          timestampSeconds: Math.floor(Date.now() / 1_000) + (sent.aheadSeconds ?? 0),
        },
      )
      const headers = { ...signed.headers, ...(bytes && { 'content-type': 'application/json' }), ...sent.headers }
      return fetch(proxy.url + target, { method, headers, ...(bytes && { body: bytes }), redirect: 'manual' })
    },
    /** The log, oldest first, once it has so many calls. */
    async log(calls: number) {
      const list = async () => (await client.call('requests.list', { w: 'default' })).requests.reverse()
      await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(calls)
      return list()
    },
    show: (request_id: string) => client.call('requests.find', { request_id }),
  }
}

/** A target that answers everything alike. */
async function answering(status: number, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  return serving((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
}

async function serving(listener: RequestListener): Promise<string> {
  return listening(createServer(listener))
}

function refusing(status: number, code: string, message = 'no') {
  return answering(status, { error: { code, message } })
}

describe('the signature', () => {
  it('of a refused call is explained: the mistake, the line that differs, the right header', async () => {
    const { send, log, show } = await proxied(await refusing(401, 'invalid_signature'))
    const answer = await send({ signedTarget: '/orders' })
    expect([answer.status, await answer.json()]).toEqual([401, { error: { code: 'invalid_signature', message: 'no' } }])
    const [call] = await log(1)
    expect(call).toMatchObject({ status: 401, code: 'invalid_signature', refused_by: 'signature', credential: 'main' })
    expect(call?.reason).toBe('The path was signed without the API root; sign the whole path, with /api/partner/v1.')
    const { diagnosis } = await show(call?.request_id ?? '')
    expect(diagnosis?.mistakes.map(({ id }) => id)).toEqual(['path-without-root'])
    expect(diagnosis?.first_difference?.line).toBe('PATH')
    expect(diagnosis?.expected_signature_header).toMatch(/^X-Partner-Signature: v1=[0-9a-f]{64}$/)
  })

  it('that is wrong and was accepted is said to be', async () => {
    const { send, log } = await proxied(await answering(200, { orders: [], next_cursor: null }))
    await send({ secret: KEY.keyId })
    const [call] = await log(1)
    expect(call?.reason).toMatch(/^The key id was used as the secret/)
    expect(call?.findings).toEqual(['The target accepted the call all the same.'])
  })

  it('that is right and was refused is said to be', async () => {
    const { send, log } = await proxied(await refusing(401, 'invalid_signature'))
    await send()
    const [call] = await log(1)
    expect(call?.reason).toMatch(/^The signature is right for this key id and secret, but the target refused it/)
  })

  it('of a call with an unknown key is not judged', async () => {
    const { send, log } = await proxied(await answering(200, { orders: [], next_cursor: null }))
    await send({ keyId: 'pk_test_other', secret: 'sk_test_other' })
    const [call] = await log(1)
    expect(call?.findings).toEqual([
      'The proxy does not know the secret of this key id, so it did not check the signature.',
    ])
  })

  it('of a right call that was accepted leaves nothing to say', async () => {
    const { send, log } = await proxied(await answering(200, { orders: [], next_cursor: null }))
    await send({ target: `${ORDERS}?limit=2&from=2026-01-01` })
    const [call] = await log(1)
    expect(call).toMatchObject({ status: 200, reason: null, findings: [] })
  })

  it('of a page without a key is not asked for', async () => {
    const { proxy, log } = await proxied(await answering(200, {}))
    await fetch(`${proxy.url}/checkout/cs_1`)
    const [call] = await log(1)
    expect(call).toMatchObject({ reason: null, findings: [] })
  })

  it('of a refused call to no endpoint without headers is not said to be there', async () => {
    const { proxy, log } = await proxied(await refusing(401, 'missing_credentials'))
    await fetch(`${proxy.url}/api/partner/v1/nope`)
    const [call] = await log(1)
    expect(call?.reason).toMatch(/X-Partner-Key-Id/)
  })
})

describe('clocks', () => {
  it('of a client that is too far behind', async () => {
    const { send, log } = await proxied(await refusing(401, 'invalid_timestamp'))
    await send({ aheadSeconds: -420 })
    const [call] = await log(1)
    expect(call?.reason).toMatch(/^The clock that made the timestamp is 7 minutes behind/)
    expect(call?.findings).toEqual([
      expect.stringMatching(/^The clock of the client is 42\d seconds behind this machine\.$/),
    ])
  })

  it('of a target that is ahead', async () => {
    const date = new Date(Date.now() + 400_000).toUTCString()
    const { send, log } = await proxied(
      await answering(401, { error: { code: 'invalid_timestamp', message: 'no' } }, { Date: date }),
    )
    await send()
    const [call] = await log(1)
    expect(call?.reason).toMatch(/^The timestamp fits the clock of this machine, but the target refused it/)
    expect(call?.findings?.[0]).toMatch(/^The clock of the target is (399|400) seconds ahead of this machine\.$/)
  })
})

describe('the contract', () => {
  it.each([
    [
      'an unknown parameter',
      { target: `${ORDERS}?page=2` },
      'The request differs from what the sandbox takes: unknown parameter page (did you mean page_size?); the target accepted it.',
    ],
    [
      'an unknown field',
      { method: 'POST', target: '/api/partner/v1/quotes', body: { domain: 'a.test', colour: 'red' } },
      /unknown field colour/,
    ],
  ])('names %s of a request', async (_name, sent, says) => {
    const { send, log } = await proxied(await answering(200, { orders: [], next_cursor: null }))
    await send(sent)
    const [call] = await log(1)
    expect(call?.findings?.[0]).toMatch(says)
  })

  it('names what is wrong in an answer, also in a compressed one', async () => {
    const { send, log } = await proxied(
      await serving((_request, response) => {
        const body = gzipSync(JSON.stringify({ orders: 'none', extra: 1 }))
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body)
      }),
    )
    expect(await (await send()).json()).toEqual({ orders: 'none', extra: 1 })
    const [call] = await log(1)
    expect(call?.findings?.[0]).toMatch(
      /^The answer differs from that of the sandbox: next_cursor is required; orders must be an array.*; unknown field extra\.$/,
    )
  })

  it.each(['compress-of-tomorrow', 'constructor'])(
    'does not compare an answer that it cannot decode: %s',
    async (encoding) => {
      const { send, log } = await proxied(await answering(200, { orders: 'none' }, { 'Content-Encoding': encoding }))
      await send({ headers: { 'Accept-Encoding': 'identity' } })
      const [call] = await log(1)
      expect(call?.findings).toEqual([
        'The Content-Encoding of the answer could not be undone, so it was not compared.',
      ])
    },
  )

  it.each([
    ['a code of its own', () => refusing(400, 'bad_thing'), 'The error code bad_thing is not in the API document.'],
    [
      'a code with another status',
      () => refusing(400, 'price_mismatch'),
      'The target answered price_mismatch with 400; the API document says 422.',
    ],
    ['no code', () => answering(503, {}), 'The target answered 503 without an error code of the API document.'],
    ['a 429 without Retry-After', () => refusing(429, 'rate_limited'), 'The target sent a 429 without Retry-After.'],
  ])('names %s', async (_name, target, says) => {
    const { send, log } = await proxied(await target())
    await send()
    const [call] = await log(1)
    expect(call?.findings).toContain(says)
  })

  it('takes the sentence of a refusal from what it lists, where it has none of the whole', async () => {
    const details = [{ field: 'domain', message: 'required' }]
    const { send, log } = await proxied(await answering(400, { code: 'validation_error', details }))
    await send()
    const [call] = await log(1)
    expect([call?.reason, call?.findings]).toEqual(['Required.', []])
  })

  it.each([
    ['a control character', '{"code":"forbidden","message":"a\tb"}', null],
    ['a line end', '{"code":"forbidden","message":"a\nb"}', null],
    ['more behind it', '{"code":"forbidden","message":"no"}x', null],
    ['an end too early', '{"code":"forbidden","mess', null],
    ['a byte order mark', '\ufeff{"code":"forbidden","message":"no"}', 'forbidden'],
    ['another type for each part', '{"code":{},"message":[],"error":1,"errors":"no"}', null],
    ['no members', 'null', null],
  ])('has every refusal in its log: JSON with %s', async (_name, body, code) => {
    const { send, log, show } = await proxied(
      await serving((_request, response) => {
        response.writeHead(403, { 'content-type': 'application/json' }).end(body)
      }),
    )
    expect(await (await send()).arrayBuffer()).toEqual(await new Response(body).arrayBuffer())
    const [call] = await log(1)
    expect([call?.status, call?.code, call?.reason]).toEqual([403, code, expect.any(String)])
    const isJson = /^\ufeff|^null$|errors/.test(body)
    expect(call?.findings?.includes('The answer is not JSON.')).toBe(!isJson)
    expect((await show(call?.request_id ?? '')).answer.body).toBe(body)
  })

  it('judges a call to a whole address, as a client sends it that takes the proxy for one of its network', async () => {
    const { proxy, log } = await proxied(await refusing(401, 'missing_credentials'))
    await exchangeBytes(
      proxy.url,
      `GET ${proxy.url}${ORDERS}?limit=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    const [call] = await log(1)
    expect([call?.endpoint, call?.target]).toEqual(['orders.list', `${ORDERS}?limit=1`])
  })

  it('has a call that the proxy itself failed to judge', async () => {
    const roles = new Proxy({}, { get: () => JSON.parse('sk_test_of_the_client') })
    const dialect = { priceUnit: null, params: {}, bodies: {}, roles, statuses: {}, paymentModels: {} }
    const { send, log } = await proxied(await answering(200, { orders: [] }), { dialect })
    await send()
    const [call] = await log(1)
    expect(call?.findings).toEqual(['The proxy failed to judge this call; its terminal shows where.'])
  })
})

describe('habits', () => {
  it('a nonce that is used twice', async () => {
    const { send, log } = await proxied(await answering(200, { orders: [], next_cursor: null }))
    await send({ nonce: 'again' })
    await send({ nonce: 'again' })
    const [first, second] = await log(2)
    expect(second?.findings).toContain(
      `The nonce was used before, by ${first?.request_id}; every attempt needs a fresh one.`,
    )
  })

  it('an Idempotency-Key for two bodies, and a new one for the retry of a write', async () => {
    const { send, log } = await proxied(await refusing(500, 'internal_error'))
    const quote = (domain: string, key: string) =>
      send({ method: 'POST', target: '/api/partner/v1/orders', body: { domain }, headers: { 'Idempotency-Key': key } })
    await quote('a.test', 'one')
    await quote('a.test', 'two')
    await quote('b.test', 'two')
    const [first, second, third] = await log(3)
    expect(first?.findings).not.toContainEqual(expect.stringMatching(/Idempotency/))
    expect(second?.findings).toContain('This is a retry after internal_error, and the Idempotency-Key was different.')
    expect(third?.findings).toContain(
      `The Idempotency-Key was used before for another request, by ${second?.request_id}.`,
    )
  })

  it('an Idempotency-Key belongs to the first request under it that may have been carried out', async () => {
    const statuses = [400, 500, 409, 201]
    const target = await serving((_request, response) => {
      response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' }).end('{}')
    })
    const { send, log } = await proxied(target)
    for (const domain of ['refused.test', 'a.test', 'b.test', 'a.test'])
      await send({ method: 'POST', body: { domain }, headers: { 'Idempotency-Key': 'one' } })
    const calls = await log(4)
    const said = calls.map(({ findings }) => findings?.filter((finding) => finding.includes('used before')))
    const usedBy = (index: number) =>
      `The Idempotency-Key was used before for another request, by ${calls[index]?.request_id}.`
    expect(said).toEqual([[], [usedBy(0)], [usedBy(1)], []])
  })

  it('a retry before Retry-After', async () => {
    const { send, log } = await proxied(
      await answering(429, { error: { code: 'rate_limited', message: 'slow' } }, { 'Retry-After': '9' }),
    )
    await send()
    await send()
    const [, second] = await log(2)
    expect(second?.findings?.[0]).toMatch(
      /^This is a retry after rate_limited, and it came after \d+ ms, but Retry-After said 9 s\.$/,
    )
  })

  it('polling faster than once a second', async () => {
    const { send, log } = await proxied(await answering(200, { orders: [], next_cursor: null }))
    for (let read = 0; read < 5; read++) await send()
    const calls = await log(5)
    expect(calls.map(({ findings }) => findings?.length)).toEqual([0, 0, 0, 2, 1])
    expect(calls[3]?.findings?.[1]).toMatch(/^No webhook has been registered and no event read /)
    expect(calls[3]?.findings?.[0]).toMatch(/^The same read was sent 4 times, .*; poll once a second at most\.$/)
  })
})

describe('the live line begins with', () => {
  async function lastLine(listener: RequestListener, sent: readonly Sent[]) {
    const lines: unknown[] = []
    const onActivity: ProxyServerOptions['onActivity'] = (activity) => lines.push('says' in activity && activity.says)
    const { send, log } = await proxied(await serving(listener), { onActivity })
    for (const each of sent) await send(each)
    await log(sent.length)
    return lines.at(-1)
  }

  const wrongSecret = [{ secret: 'nobody-knows-this-one' }]

  it('a target that gave no answer, before the signature', async () => {
    expect(await lastLine((request) => request.socket.destroy(), wrongSecret)).toEqual(
      expect.stringMatching(
        /^The target 127[.]0[.]0[.]1:\d+ gave no answer: it closed the connection; perhaps it speaks https[.] [(]and 1 more[)]$/,
      ),
    )
  })

  it('the secret of the proxy, where the target accepted what the proxy cannot explain', async () => {
    const says = await lastLine((_, response) => response.end('{"orders":[],"next_cursor":null}'), wrongSecret)
    expect(says).toMatch(
      /^The target accepted the call all the same, so the secret of the proxy is most likely wrong: /,
    )
    expect(says).not.toContain('(and')
  })

  it('what the proxy has found, before the message of the target', async () => {
    const answers = ['internal_error', 'conflict'].map((code) => JSON.stringify({ code, message: 'sold already' }))
    const order = (key: string) => ({ method: 'POST', body: {}, headers: { 'Idempotency-Key': key } })
    const refuse: RequestListener = (_, response) =>
      response.writeHead(answers.length === 2 ? 500 : 409).end(answers.shift())
    expect(await lastLine(refuse, [order('one'), order('two')])).toBe(
      'This is a retry after internal_error, and the Idempotency-Key was different. (and 1 more)',
    )
  })
})

describe('what is kept', () => {
  it('has no secret, no signature and no header that is not harmless', async () => {
    const target = await answering(
      200,
      { url: 'http://x.test', secret: 'hook-secret-of-mine' },
      { 'Set-Cookie': 'sid=private' },
    )
    const { send, log, show } = await proxied(target)
    const headers = { Authorization: 'Bearer private', 'X-Mine': 'private', 'User-Agent': 'mine' }
    const body = { url: 'http://x.test/hook', secret: 'hook-secret-of-mine' }
    await send({ method: 'PUT', target: '/api/partner/webhooks', body, headers })
    const [call] = await log(1)
    const shown = JSON.stringify(await show(call?.request_id ?? ''))
    expect(shown).not.toMatch(/private|hook-secret|X-Partner-Signature|v1=|sk_test/i)
    expect(shown).toContain('"User-Agent","mine"')
  })

  it('has the headers that were asked for', async () => {
    const { send, log, show } = await proxied(await answering(200, {}), { recordHeaders: ['X-Mine'] })
    await send({ headers: { 'x-mine': 'wanted' } })
    const [call] = await log(1)
    expect((await show(call?.request_id ?? '')).request.headers).toContainEqual(['x-mine', 'wanted'])
  })

  it('says when a body was cut', async () => {
    const { send, log, show } = await proxied(await answering(200, { long: 'x'.repeat(500) }), { keepBytes: 100 })
    expect((await (await send()).text()).length).toBeGreaterThan(500)
    const [call] = await log(1)
    expect(call?.findings).toEqual(['Of the 511 bytes of the answer, the log has 100.'])
    expect((await show(call?.request_id ?? '')).answer.body.length).toBe(100)
  })
})

it('the signature of a body that was cut is checked all the same, though its mistake is not looked for', async () => {
  const { send, log } = await proxied(await refusing(401, 'invalid_signature'), { keepBytes: 100 })
  const sent = { method: 'POST', target: '/api/partner/v1/quotes', body: { domain: 'x'.repeat(500) } }
  await send(sent)
  await send({ ...sent, secret: KEY.keyId })
  const [right, wrong] = await log(2)
  expect(right?.reason).toMatch(/^The signature is right for this key id and secret, but the target refused it/)
  expect(wrong?.reason).toBe('The signature does not fit the request as it arrived.')
})

it('the signature of a body that did not arrive whole is not judged', async () => {
  const target = await serving((_request, response) => {
    response.writeHead(413, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify({ error: { code: 'validation_error', message: 'too large' } }))
  })
  const { proxy, log } = await proxied(target)
  const body = 'x'.repeat(1_000)
  const { headers } = signCall(KEY, {
    method: 'POST',
    target: ORDERS,
    nonce: 'n',
    body: Buffer.from(body),
    timestampSeconds: Math.floor(Date.now() / 1_000),
  })
  const lines = Object.entries({ ...headers, Host: 'x', 'Content-Length': 1_000 }).map((pair) => pair.join(': '))
  await exchangeBytes(proxy.url, `POST ${ORDERS} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`, {
    isEnough: (text) => text.includes('too large'),
  })
  const [call] = await log(1)
  expect([call?.reason, call?.findings?.[0]]).toEqual([
    'Too large.',
    'The body did not arrive whole, so its signature was not checked.',
  ])
})

it('says nothing of an event of the family that the document names without showing it, and something of another', async () => {
  const event = { id: 'evt_1', created_at: '2026-01-01T00:00:00Z', data: { transfer: {} } }
  const saidOf = async (type: string) => {
    const { send, log } = await proxied(await answering(200, { events: [{ ...event, type }], next_cursor: null }))
    await send({ target: '/api/partner/v1/events' })
    return (await log(1))[0]?.findings
  }
  expect(await saidOf('transfer.started')).toEqual([])
  expect((await saidOf('order.started'))?.[0]).toContain('events.0.type must be one of')
})

describe('the operator port', () => {
  it('counts coverage from the calls', async () => {
    const { send, log, client } = await proxied(
      await answering(200, { events: [{ id: 'e-1', type: 'order.settled' }], next_cursor: null }),
    )
    await send({ target: '/api/partner/v1/events' })
    await log(1)
    const { sections } = await client.call('coverage.show', { w: 'default' })
    const row = (section: string, id: string) =>
      sections.find((each) => each.id === section)?.rows.find((each) => each.id === id)
    expect(row('endpoints', 'events.list')).toMatchObject({ state: 'met', count: 1 })
    expect(row('events', 'order.settled')).toMatchObject({ state: 'met' })
    expect(sections.map(({ id }) => id)).not.toContain('gaps')
  })

  it('answers 409 to what needs a sandbox, and lists only what it serves', async () => {
    const { client, proxy } = await proxied(await answering(200, {}))
    const moved = await client.call('clock.advance', { w: 'default' }, { by: 'PT1S' }).catch((error) => error)
    expect([moved.status, moved.detail]).toEqual([
      409,
      `this is a proxy in front of ${proxy.target}; POST /v1/worlds/{w}/clock/advance needs a sandbox with a world of its own: start one with \`serve\``,
    ])
    const about = await client.call('sandbox.show', {})
    expect(about.proxy).toEqual({ target: proxy.target })
    expect(about.operations).toContain('GET /v1/worlds/{w}/requests')
    expect(about.operations).not.toContain('GET /v1/magic')
  })
})

describe('what does not start', () => {
  const start = (options: Partial<ProxyServerOptions>) =>
    startProxy({ target: 'http://127.0.0.1:1', credentials: [], port: 0, operatorPort: 0, ...options })

  it.each([
    [
      'a live key',
      { credentials: [{ name: 'main', keyId: 'pk_live_1', secret: 's', scopes: null, partner: 'main' }] },
      /pk_live_1 is a live key; pass --live/,
    ],
    ['a target with a path', { target: 'http://127.0.0.1:1/api' }, /must be an address without a path/],
    ['another scheme', { target: 'ftp://x.test' }, /must be an http or https URL/],
    ['a short token beyond loopback', { host: '0.0.0.0', operatorToken: 'short' }, /at least 16 characters/],
  ])('%s', async (_name, options, message) => {
    await expect(start(options)).rejects.toThrow(message)
  })

  it('beyond loopback a token is made up', async () => {
    const proxy = await start({ host: '0.0.0.0' })
    onTestFinished(proxy.close)
    expect(proxy.operator.token?.length).toBeGreaterThanOrEqual(16)
    expect((await fetch(`${proxy.operator.url}/v1`)).status).toBe(401)
  })
})

describe('in front of a sandbox', () => {
  it('a client that does everything right gets the same answers, and nothing is said of it', async () => {
    const sandbox = await startServer({ port: 0, operatorPort: null })
    onTestFinished(sandbox.close)
    const [main] = sandbox.credentials
    const { send, log } = await proxied(sandbox.url, {}, { keyId: main?.key_id ?? '', secret: main?.secret ?? '' })
    const search = await send({ target: '/api/partner/v1/domains/search?q=solar&limit=3' })
    expect(search.status).toBe(200)
    const domain = 'stalls-1.test'
    const pricing = await send({ target: `/api/partner/v1/pricing?domain=${domain}` })
    const priced = (await pricing.json()) as { buy_now_price_cents: number }
    const body = {
      domain,
      expected_price: priced.buy_now_price_cents,
      currency: 'USD',
      buyer: { email: 'buyer@example.test' },
    }
    const order = await send({ method: 'POST', target: ORDERS, body, headers: { 'Idempotency-Key': 'k-1' } })
    expect([order.status, await order.text()]).toEqual([201, expect.stringContaining(domain)])
    for (const target of ['/orders', '/events', '/settlements', '/payouts'])
      expect((await send({ target: `/api/partner/v1${target}` })).status).toBe(200)
    const calls = await log(7)
    expect(calls.map(({ reason, findings }) => [reason, findings])).toEqual(calls.map(() => [null, []]))
  })
})

it('many calls at once are all logged, in the order of their ends, though not every wrong signature is searched', async () => {
  const { send, log } = await proxied(await refusing(401, 'invalid_signature'))
  await Promise.all(Array.from({ length: 40 }, () => send({ secret: 'nobody-knows-this-one' })))
  const reasons = new Set((await log(40)).map(({ reason }) => reason?.slice(0, 40)))
  expect([...reasons].sort()).toEqual([
    'No known mistake, alone or in a pair, le',
    'The signature does not fit the request a',
  ])
}, 30_000)

it('of a long list of odd rows the first is described: in the line what is missing, and beside it all else', async () => {
  const rows = Array.from({ length: 50 }, () => ({ a: 1, b: 2 }))
  const { send, log } = await proxied(await answering(200, { orders: rows, next_cursor: null }))
  await send()
  const [call] = await log(1)
  const [line, beside] = call?.findings ?? []
  const left = Number(
    /^The answer differs from that of the sandbox: (?:orders\.0\.\w+ is required; ){5}and (\d+) more\.$/.exec(
      line ?? '',
    )?.[1],
  )
  expect(beside).toMatch(/^The other differences: .*; unknown field orders\.0\.a; unknown field orders\.0\.b\.$/)
  expect(beside?.split('; ')).toHaveLength(left)
})

it('of a hostile answer the log has a bounded number of differences', async () => {
  const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, index]))
  const { send, log } = await proxied(await answering(200, { orders: [], next_cursor: null, ...members }))
  await send()
  const findings = (await log(1))[0]?.findings ?? []
  expect(findings.map((says) => /and \d+ more/.exec(says)?.[0])).toEqual(['and 4995 more', 'and 4945 more'])
  expect(findings.join('').length).toBeLessThan(2_500)
})
