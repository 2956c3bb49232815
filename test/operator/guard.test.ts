import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { rawAnswer } from './raw-answer.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile()

function operatorOf(sandbox: TestSandbox) {
  const { url, token } = sandbox.operator as { url: string; token: string | null }
  return { url, token, port: new URL(url).port }
}

/** One request head with just these headers, on a connection of its own. */
function ask(url: string, request: string, headers: readonly string[]) {
  return rawAnswer(url, [request, ...headers, 'Connection: close'])
}

const PATHS = ['/v1', '/v1/worlds', '/nowhere', '/', '/v1/%zz', '/v1?a=%zz']

test('answers to 127.0.0.1, localhost and [::1] with its port, and to nothing else', async () => {
  const { url, port } = operatorOf(shared)
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    expect((await ask(url, 'GET /v1 HTTP/1.1', [`Host: ${name}:${port}`])).status, name).toBe(200)
  }
  const foreign = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '127.0.0.1:1',
    `127.0.0.1:0${port}`,
    `127.0.0.1.evil.test:${port}`,
    `evil.test#127.0.0.1:${port}`,
    `127.0.0.1@evil.test:${port}`,
    `evil.test@127.0.0.1:${port}`,
    `127.0.0.1:${port}@evil.test`,
    `127.0.0.1:${port}.evil.test`,
    `localhost.:${port}`,
    `LOCALHOST:${port}`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `127.0.0.2:${port}`,
    `2130706433:${port}`,
    `0x7f.0.0.1:${port}`,
    `::1:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `[0:0:0:0:0:0:0:1]:${port}`,
    `http://127.0.0.1:${port}`,
    `127.0.0.1:${port}, evil.test`,
    `evil.test`,
    '',
    '[',
    '[::1',
    ':',
    '%',
  ]
  for (const host of foreign) {
    const answer = await ask(url, 'GET /v1 HTTP/1.1', [`Host: ${host}`])
    expect([host, answer.status]).toEqual([host, 403])
    expect(answer.body).toContain('the Host header must be there once and be one of')
  }
})

test('refuses a call without a Host, with two, or of HTTP/1.0 without one', async () => {
  const { url, port } = operatorOf(shared)
  const own = `Host: 127.0.0.1:${port}`
  expect((await ask(url, 'GET /v1 HTTP/1.1', [])).status).toBe(403)
  expect((await ask(url, 'GET /v1 HTTP/1.0', [])).status).toBe(403)
  expect((await ask(url, 'GET /v1 HTTP/1.1', [own, own])).status).toBe(403)
  expect((await ask(url, 'GET /v1 HTTP/1.1', [own, 'Host: evil.test'])).status).toBe(403)
  expect((await ask(url, 'GET /v1 HTTP/1.1', ['Host: evil.test', own])).status).toBe(403)
})

test('refuses a foreign Host on every path, unknown and undecodable ones included', async () => {
  const { url } = operatorOf(shared)
  for (const path of PATHS) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD']) {
      expect([method, path, (await ask(url, `${method} ${path} HTTP/1.1`, ['Host: evil.test'])).status]).toEqual([
        method,
        path,
        403,
      ])
    }
  }
})

test('refuses a foreign Origin with 403, whatever the Host says, and lets its own through', async () => {
  const { url, port } = operatorOf(shared)
  const own = `Host: 127.0.0.1:${port}`
  const foreign = [
    'null',
    'http://evil.test',
    `http://evil.test:${port}`,
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1`,
    '',
  ]
  for (const origin of foreign) {
    const answer = await ask(url, 'GET /v1 HTTP/1.1', [own, `Origin: ${origin}`])
    expect([origin, answer.status]).toEqual([origin, 403])
    expect(answer.body).toContain('pages of another origin may not use the operator API')
  }
  expect((await ask(url, 'GET /v1 HTTP/1.1', [own, `Origin: http://127.0.0.1:${port}`])).status).toBe(200)
  expect((await ask(url, 'GET /v1 HTTP/1.1', ['Host: evil.test', 'Origin: http://evil.test'])).status).toBe(403)
})

test('refuses what a browser marks as cross-site', async () => {
  const { url, port } = operatorOf(shared)
  const own = `Host: 127.0.0.1:${port}`
  expect((await ask(url, 'GET /v1 HTTP/1.1', [own, 'Sec-Fetch-Site: cross-site'])).status).toBe(403)
  expect((await ask(url, 'GET /v1 HTTP/1.1', [own, 'Sec-Fetch-Site: none'])).status).toBe(200)
  expect((await ask(url, 'GET /v1 HTTP/1.1', [own, 'Sec-Fetch-Site: same-origin'])).status).toBe(200)
})

test('refuses a write whose content type a plain form could send, and changes nothing', async () => {
  const sandbox = shared
  const { url, port } = operatorOf(sandbox)
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    '',
  ]
  for (const type of types) {
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const headers = [`Host: 127.0.0.1:${port}`, `Content-Type: ${type}`, 'Content-Length: 2', 'Connection: close']
      const answer = await rawAnswer(url, [`${method} /v1/worlds HTTP/1.1`, ...headers], '{}')
      expect([method, type, answer.status]).toEqual([method, type, 415])
    }
  }
  const none = await rawAnswer(url, ['POST /v1/worlds HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: close'])
  expect(none.status).toBe(415)
  expect((await sandbox.operate('GET', '/v1/worlds')).json.worlds).toHaveLength(1)
})

test('a preflight gets 404 and no answer ever has a CORS header', async () => {
  const { url, port } = operatorOf(shared)
  const origin = [`Host: 127.0.0.1:${port}`, `Origin: http://127.0.0.1:${port}`]
  const preflight = await ask(url, 'OPTIONS /v1/worlds HTTP/1.1', [...origin, 'Access-Control-Request-Method: POST'])
  expect(preflight.status).toBe(404)
  const served = await ask(url, 'GET /v1 HTTP/1.1', origin)
  for (const { head } of [preflight, served]) expect(head.toLowerCase()).not.toContain('access-control')
})

test('every answer, refusals included, forbids sniffing, frames, caches and Referer', async () => {
  const sandbox = shared
  const { url } = operatorOf(sandbox)
  const refused = await ask(url, 'GET /v1/%zz HTTP/1.1', ['Host: evil.test'])
  const broken = await rawAnswer(url, ['this is no HTTP'])
  const heads = [refused.head, broken.head]
  for (const path of PATHS) {
    const { headers } = await sandbox.operate('GET', path)
    heads.push(
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join('\n'),
    )
  }
  for (const head of heads) {
    expect(head.toLowerCase()).toContain('x-content-type-options: nosniff')
    expect(head.toLowerCase()).toContain('cache-control: no-store')
    expect(head.toLowerCase()).toContain("frame-ancestors 'none'")
    expect(head.toLowerCase()).toContain('referrer-policy: no-referrer')
  }
  expect([refused.status, broken.status]).toEqual([403, 400])
})

test('with a token, every path wants it as a bearer token and says so', async () => {
  const token = 'a-token-of-the-tests'
  const { url, port } = operatorOf(await startSandbox({ operatorToken: token }))
  const own = `Host: 127.0.0.1:${port}`
  const wrong = [
    [],
    ['Authorization: Bearer wrong'],
    [`Authorization: Bearer ${token}x`],
    [`Authorization: Bearer ${token.slice(0, -1)}`],
    [`Authorization: Basic ${token}`],
    [`Authorization: ${token}`],
    ['Authorization: Bearer'],
    [`Authorization: Bearer ${token}`, 'Authorization: Bearer wrong'],
    [`Cookie: token=${token}`],
  ]
  for (const headers of wrong) {
    for (const path of ['/v1', '/nowhere', `/v1?token=${token}`]) {
      const answer = await ask(url, `GET ${path} HTTP/1.1`, [own, ...headers])
      expect([headers, answer.status]).toEqual([headers, 401])
      expect(answer.head).toMatch(/www-authenticate: Bearer /i)
      expect(answer.body).not.toContain(token)
    }
  }
  expect((await ask(url, 'GET /v1 HTTP/1.1', [own, `Authorization: Bearer ${token}`])).status).toBe(200)
  expect((await ask(url, 'GET /v1 HTTP/1.1', ['Host: evil.test', `Authorization: Bearer ${token}`])).status).toBe(403)
})

test('a partner credential opens nothing here', async () => {
  const sandbox = await startSandbox({ operatorToken: 'a-token-of-the-tests' })
  const { url, port } = operatorOf(sandbox)
  const { key_id: keyId, secret } = sandbox.credentials[0] as { key_id: string; secret: string }
  for (const offered of [keyId, secret]) {
    const headers = [`Host: 127.0.0.1:${port}`, `X-Partner-Key-Id: ${keyId}`, `Authorization: Bearer ${offered}`]
    expect((await ask(url, 'GET /v1/worlds HTTP/1.1', headers)).status).toBe(401)
  }
})

test('opened on every address it makes up a token and answers to the address that was called', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0' })
  const { port, token } = operatorOf(sandbox)
  const url = `http://127.0.0.1:${port}`
  expect(token).toMatch(/^[\w-]{22,}$/)
  const withToken = [`Authorization: Bearer ${token}`]
  expect((await ask(url, 'GET /v1 HTTP/1.1', [`Host: 127.0.0.1:${port}`, ...withToken])).status).toBe(200)
  expect((await ask(url, 'GET /v1 HTTP/1.1', [`Host: 0.0.0.0:${port}`, ...withToken])).status).toBe(403)
  expect((await ask(url, 'GET /v1 HTTP/1.1', [`Host: evil.test:${port}`, ...withToken])).status).toBe(403)
})
