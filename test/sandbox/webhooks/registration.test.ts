import { expect, test } from 'vitest'
import { SECRET, settled, signatureOf, startTelling } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const URL_ = 'http://127.0.0.1:9/hook'

function put(sandbox: TestSandbox, body: unknown) {
  return sandbox.call({ method: 'PUT', path: '/api/partner/webhooks', body })
}

test('a registration answers 200 with url, active and created_at, and never with the secret', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.parse('2026-03-01T00:00:00Z') })
  const first = await put(sandbox, { url: URL_, secret: SECRET })
  expect([first.status, first.json]).toEqual([200, { url: URL_, active: true, created_at: '2026-03-01T00:00:00.000Z' }])
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '1h' })
  const second = await put(sandbox, { url: `${URL_}2`, secret: SECRET })
  expect(second.json).toEqual({ url: `${URL_}2`, active: true, created_at: '2026-03-01T00:00:00.000Z' })
})

const BAD: [name: string, body: unknown, says: RegExp][] = [
  ['no url', { secret: SECRET }, /url is required/],
  ['no secret', { url: URL_ }, /secret is required/],
  [
    'an empty secret',
    { url: URL_, secret: '' },
    /secret: at least 16 characters; this is a choice of the sandbox, see gap list$/,
  ],
  [
    'a short secret',
    { url: URL_, secret: 'fifteen-letters' },
    /secret: at least 16 characters; this is a choice of the sandbox, see gap list$/,
  ],
  ['a long secret', { url: URL_, secret: 's'.repeat(257) }, /secret must have at most 256 characters$/],
  ['a secret that is no text', { url: URL_, secret: 1234567890123456 }, /secret must be a string$/],
  ['a secret with a line end', { url: URL_, secret: `${SECRET}\n` }, /secret must not contain control characters/],
  ['half a character', `{"url":"${URL_}","secret":"${SECRET}\\ud800"}`, /half of a surrogate pair/],
  ['another scheme', { url: 'ftp://127.0.0.1/hook', secret: SECRET }, /url must be an absolute http or https URL/],
  ['no scheme', { url: '127.0.0.1/hook', secret: SECRET }, /url must be/],
  ['a script', { url: 'javascript:alert(1)', secret: SECRET }, /url must be/],
  ['no host', { url: 'http:///hook', secret: SECRET }, /url/],
  ['a user', { url: 'http://a:b@127.0.0.1/hook', secret: SECRET }, /url must be/],
  ['a line end', { url: 'http://127.0.0.1/hook\r\nX-A: b', secret: SECRET }, /url must be/],
  ['a NUL', { url: 'http://127.0.0.1/\u0000', secret: SECRET }, /url must be an absolute http or https URL/],
  ['a port too far', { url: 'http://127.0.0.1:65536/', secret: SECRET }, /url must be/],
  ['port 0', { url: 'http://127.0.0.1:0/', secret: SECRET }, /url is not allowed: nothing can listen on port 0$/],
  ['three thousand characters', { url: `${URL_}?${'a'.repeat(3_000)}`, secret: SECRET }, /url must have at most/],
  [
    'a metadata address',
    { url: 'http://169.254.169.254/latest', secret: SECRET },
    /url is not allowed: webhooks may not/,
  ],
  ['an odd notation', { url: 'http://0xa9fea9fe/latest', secret: SECRET }, /url is not allowed: webhooks may not/],
  ['another field', { url: URL_, secret: SECRET, active: false }, /unknown field active/],
]

const shared = sandboxOfFile()

test.each(BAD)('%s is refused by name', async (_name, body, says) => {
  const refused = await put(shared, body)
  expect([refused.status, refused.json.code]).toEqual([400, 'validation_error'])
  expect(refused.json.message).toMatch(says)
  expect(refused.json.message).not.toContain(SECRET)
})

test('a refused registration leaves the one before as it was', async () => {
  const hook = await startReceiver()
  const sandbox = await startTelling(hook.url, { frozen: true })
  for (const [n, [, body]] of BAD.entries()) {
    await put(sandbox, body)
    await sandbox.sell()
    await settled(sandbox)
    expect(hook.received[n]!.headers['x-partner-signature']).toBe(signatureOf(hook.received[n]!.body))
  }
})

test('the operator port cannot be registered, by address or as localhost', async () => {
  const sandbox = await startSandbox({ webhookHosts: 'any' })
  const { port } = new URL(sandbox.operator!.url)
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', '[::ffff:127.0.0.1]']) {
    const { status, json } = await put(sandbox, { url: `http://${host}:${port}/v1/worlds`, secret: SECRET })
    expect([host, status, json.message]).toEqual([
      host,
      400,
      'url is not allowed: the operator port of this sandbox takes no webhooks',
    ])
  }
})

test('a secret may be any text of 16 to 256 characters, and signs as its UTF-8 bytes', async () => {
  const hook = await startReceiver()
  const sandbox = await startSandbox({ frozen: true })
  for (const secret of ['exactly-16-chars', 'ключ "в" \\ кавычках', '🔑'.repeat(256)]) {
    expect((await put(sandbox, { url: hook.url, secret })).status).toBe(200)
    await sandbox.sell()
    await settled(sandbox)
    const last = hook.received.at(-1)!
    expect(last.headers['x-partner-signature']).toBe(signatureOf(last.body, secret))
  }
})

test('no webhook secret appears in the request log, registered or refused', async () => {
  const sandbox = await startSandbox()
  const secrets = ['first-of-the-secrets', 'ключ "в" \\ кавычках', 'secret-of-a-refused-call', 'secret\\with\\slashes']
  for (const secret of secrets.slice(0, 2)) await put(sandbox, { url: URL_, secret })
  await put(sandbox, { url: 'ftp://nowhere', secret: secrets[2] })
  await put(sandbox, { url: URL_, secret: secrets[3] })
  await put(sandbox, { url: `${URL_}?again=${secrets[0]}`, secret: secrets[3] })
  await sandbox.call({ path: `/availability?domain=${secrets[0]}` })
  const { requests } = (await sandbox.operate('GET', '/v1/worlds/default/requests')).json
  expect(requests).toHaveLength(6)
  const shown = await Promise.all(
    requests.map(({ request_id }: { request_id: string }) =>
      sandbox.operate('GET', `/v1/worlds/default/requests/${request_id}`),
    ),
  )
  const log = JSON.stringify(requests) + shown.map(({ text }) => text).join('')
  for (const secret of secrets) {
    expect(log).not.toContain(secret)
    expect(log).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(log).not.toContain(JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1))
  }
  expect(log).toContain('[redacted]')
})
