import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { sandboxOfFile, type TestSandbox } from '../../support/sandbox.ts'
import { signWith } from '../../support/signer.ts'

const shared = sandboxOfFile()

/** Sends bytes as they are and gives back all that was answered before the connection closed. */
function sendRaw(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

test.for([
  ['malformed JSON', '{"domain":', {}, 400],
  ['an array', '[]', {}, 400],
  ['null', 'null', {}, 400],
  ['a number', '5', {}, 400],
  ['an empty body', '', {}, 400],
  ['text/plain', '{"domain":"stalls-1.test"}', { 'content-type': 'text/plain' }, 415],
  ['another charset', '{"domain":"stalls-1.test"}', { 'content-type': 'application/json; charset=utf-16' }, 415],
  ['a malformed content type', '{"domain":"stalls-1.test"}', { 'content-type': 'garbage' }, 415],
  ['a compressed body', '{"domain":"stalls-1.test"}', { 'content-encoding': 'gzip' }, 415],
  ['a body of 64 KiB and one byte', `{"domain":"${'a'.repeat(64 * 1024 - 12)}"}`, {}, 413],
  ['a duplicate key', '{"domain":"a.test","domain":"b.test"}', {}, 400],
  ['33 levels', `{"domain":${'['.repeat(33)}${']'.repeat(33)}}`, {}, 400],
] as const)('%s is refused with validation_error and a message', async ([, body, headers, status]) => {
  const answer = await shared.call({ path: '/quotes', body, headers })
  expect([answer.status, answer.json.code]).toEqual([status, 'validation_error'])
  expect(answer.json.message.length).toBeGreaterThan(10)
})

test('application/json with a UTF-8 charset is accepted in any spelling', async () => {
  for (const type of ['application/json;charset=utf-8', 'Application/JSON; Charset="UTF-8"']) {
    const answer = await shared.call({
      path: '/quotes',
      body: { domain: 'stalls-1.test' },
      headers: { 'content-type': type },
    })
    expect(answer.status).toBe(201)
  }
})

test('invalid UTF-8 in a body is refused', async () => {
  const body = Buffer.concat([Buffer.from('{"domain":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
  const { status, json } = await shared.call({ path: '/quotes', body })
  expect([status, json.message]).toEqual([400, 'the body is not valid UTF-8'])
})

test.for([
  ['GET', '/nothing'],
  ['GET', '/orders/'],
  ['GET', '//orders'],
  ['GET', '/Orders'],
  ['DELETE', '/orders'],
  ['PUT', '/orders'],
  ['PATCH', '/orders/ord_1'],
  ['GET', '/checkout-session'],
  ['GET', '/domains/a%2Fb'],
  ['OPTIONS', '/orders'],
] as const)('%s %s, signed, is 404 not_found', async ([method, path]) => {
  const { status, json } = await shared.call({ method, path })
  expect([status, json.code]).toEqual([404, 'not_found'])
})

test.for(['%zz', '%', '%ff', '%ED%A0%80', 'a=%E0%A4'])('a query with %s is 400 validation_error', async (query) => {
  const { status, json } = await shared.call({ path: '/orders', after: (sent) => (sent.target += `?${query}`) })
  expect([status, json.code]).toEqual([400, 'validation_error'])
})

test('a list refuses a parameter it does not know and one given twice, by name', async () => {
  expect((await shared.call({ path: '/orders?statuss=SETTLED' })).json.message).toBe(
    'unknown parameter statuss (did you mean status?)',
  )
  expect((await shared.call({ path: '/orders?limit=1&limit=2' })).json.message).toBe('limit is given more than once')
})

test('a field that is unknown is taken for the one that is missing and ends in the same word', async () => {
  const { json } = await shared.call({ path: '/refunds', body: { order_id: 'ord_1', note: 'x' }, key: 'k-1' })
  expect(json.message).toBe(
    'public_id is required; unknown field order_id (did you mean public_id?); unknown field note',
  )
})

test.for(['0', '101', '-1', 'abc', '1e1', '1.0', '', '99999999999999999999'])(
  'a limit of %j is refused',
  async (limit) => {
    const { status, json } = await shared.call({ path: `/orders?limit=${limit}` })
    expect([status, json.code]).toEqual([400, 'validation_error'])
    expect(json.message).toMatch(/^limit must be/)
  },
)

test.for([
  ['garbage', 'this is not HTTP\r\n\r\n'],
  ['an absolute target', 'GET http://evil.test/api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a fragment', 'GET /api/partner/v1/orders#x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['an undecodable path', 'GET /api/partner/v1/orders/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a NUL escape', 'GET /api/partner/v1/orders/%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['bytes beyond ASCII', 'GET /api/partner/v1/orders?a=\u00e9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  [
    'two lengths',
    'POST /api/partner/v1/quotes HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
  ],
  ['no Host', 'GET /api/partner/v1/orders HTTP/1.1\r\nX-Partner-Key-Id: k\r\nConnection: close\r\n\r\n'],
  ['an expectation', 'GET /api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n'],
  ['a tunnel', 'CONNECT a.test:1 HTTP/1.1\r\nHost: a.test:1\r\n\r\n'],
  ['an unknown verb', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['huge headers', `GET /api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
] as const)('%s over a raw socket is a 4xx with code and message', async ([, bytes]) => {
  const text = await sendRaw(shared.url, Buffer.from(bytes, 'latin1'))
  expect(text).toMatch(/^HTTP\/1\.1 4\d\d /)
  const { code, message } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
  expect(code).toMatch(/^(?:validation_error|missing_credentials|missing_signature_headers)$/)
  expect(message).not.toMatch(/Error|at .*\.[tj]s/)
})

test('a GET with a body is refused, because nobody vouches for it', async () => {
  const { status, json } = await shared.call({
    method: 'GET',
    path: '/orders',
    body: '{}',
    headers: { 'content-length': '2' },
  })
  expect([status, json.code]).toEqual([400, 'validation_error'])
})

test('every answer carries a request id, and an error names it in its body', async () => {
  const good = await shared.call({ path: '/orders' })
  expect(good.headers['x-request-id']).toMatch(/^req_[0-9a-z]+$/)
  const bad = await shared.call({ path: '/orders/ord_none' })
  expect(bad.json).toEqual({
    code: 'not_found',
    message: 'no such order',
    request_id: bad.headers['x-request-id'],
  })
})

test('bytes behind a valid call cost it neither its answer nor the call before it', async () => {
  const main = shared.credentials[0] as TestSandbox['credentials'][number]
  const signed = () => {
    const call = {
      method: 'GET',
      target: '/api/partner/v1/orders',
      nonce: randomUUID(),
      timestamp: String(Math.floor(Date.now() / 1000)),
    }
    const { headers } = signWith({ keyId: main.key_id, secret: main.secret }, call)
    const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    return `GET ${call.target} HTTP/1.1\r\n${lines.join('')}\r\n`
  }
  const text = await sendRaw(shared.url, `${signed()}${signed()}garbage\r\n\r\n`)
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400'])
})

test('a second nonce behind two thousand header lines is seen', async () => {
  const filler = 'a:\r\n'.repeat(2_200)
  const text = await sendRaw(
    shared.url,
    `GET /api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nX-Partner-Key-Id: k\r\nX-Partner-Timestamp: 1\r\nX-Partner-Nonce: a\r\nX-Partner-Signature: v1=x\r\n${filler}X-Partner-Nonce: b\r\nConnection: close\r\n\r\n`,
  )
  expect(text).toContain('missing_signature_headers')
  expect(text).toContain('occurs more than once')
})

test('without a key id the answer is missing_credentials, also where the path cannot be read', async () => {
  for (const target of ['/api/partner/v1/orders/%zz', '/api/partner/v1/orders#x', 'http://evil.test/']) {
    expect(await sendRaw(shared.url, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain(
      'missing_credentials',
    )
  }
})
