import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startProxy } from '../../src/proxy/start-proxy.ts'
import { startServer } from '../../src/server.ts'
import { listening } from '../support/listening.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

/** A proxy in front of a sandbox, after one call that was refused. */
async function usedProxy() {
  const sandbox = await startServer({ port: 0, operatorPort: null, inventory: 0 })
  onTestFinished(sandbox.close)
  const [main] = sandbox.credentials
  const credentials = [
    { name: 'main', keyId: main?.key_id ?? '', secret: main?.secret ?? '', scopes: null, partner: 'main' },
  ]
  const webhooks = { port: 0, receiver: sandbox.url, secret: null }
  const proxy = await startProxy({ target: sandbox.url, credentials, port: 0, operatorPort: 0, webhooks })
  onTestFinished(proxy.close)
  const signed = await cli(
    ['sign', 'GET', `${proxy.url}/api/partner/v1/orders`, '--key-id', main?.key_id ?? '', '--json'],
    {
      env: { PARTNER_SECRET: main?.key_id ?? '' },
    },
  )
  const { headers } = JSON.parse(signed.out) as { headers: Record<string, string> }
  expect((await fetch(`${proxy.url}/api/partner/v1/orders`, { headers })).status).toBe(401)
  return { proxy, operator: ['--sandbox', proxy.operator.url] }
}

it('the commands that look at calls show those of a proxy', async () => {
  const { operator, proxy } = await usedProxy()
  const list = async () => (await cli(['request', 'list', ...operator])).out
  await expect.poll(list).toMatch(/401 +invalid_signature +main +- +The key id was used as the secret\./)
  const shown = await cli(['request', 'show', 'last', ...operator])
  expect(shown.out).toMatch(/The key id was used as the secret\.\n[\s\S]*X-Partner-Signature: v1=[0-9a-f]{64}/)
  const coverage = await cli(['coverage', ...operator])
  expect(coverage.out).toMatch(/Error codes +1 +14/)
  const advance = await cli(['clock', 'advance', '10m', ...operator])
  expect([advance.code, advance.err]).toEqual([
    1,
    expect.stringContaining(`this is a proxy in front of ${proxy.target}`),
  ])
})

it('the log is written as an HTTP archive for its owner alone, without secret and signature', async () => {
  const { operator } = await usedProxy()
  await expect.poll(async () => (await cli(['request', 'list', ...operator])).out).toContain('401')
  const file = join(tempFolder(), 'calls.har')
  expect(await cli(['request', 'har', '--out', file, ...operator])).toMatchObject({ code: 0, err: `wrote ${file}\n` })
  const { log } = JSON.parse(readFileSync(file, 'utf8'))
  expect(
    log.entries.map(({ response, comment }: { response: { status: number }; comment: string }) => [
      response.status,
      comment,
    ]),
  ).toEqual([[401, 'The key id was used as the secret.']])
  expect(JSON.stringify(log)).not.toMatch(/v1=|X-Partner-Signature/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('a scenario is recorded from the calls of a proxy', async () => {
  const { operator, proxy } = await usedProxy()
  await fetch(`${proxy.webhooksUrl}/hooks`, { method: 'POST', body: '{}' })
  const list = async () => (await cli(['request', 'list', ...operator])).out
  await expect.poll(list).toContain('401')
  await expect.poll(list).toContain('/hooks')
  const { out, err, code } = await cli(['record', ...operator])
  const leftOut = /^left out: POST \/hooks \(hook_\w+\): a delivery of a webhook, not a call\n$/
  expect([code, err]).toEqual([0, expect.stringMatching(leftOut)])
  expect(out).toMatch(/op: orders\.list[\s\S]*key: key_id[\s\S]*refused: invalid_signature/)
})

it.each(['no_such_code', 'constructor', '__proto__'])(
  'what a lenient target took is recorded as it was sent, and what no scenario can say is left out with the reason: %s',
  async (told) => {
    const target = await listening(
      createServer((request, response) => {
        const [status, body] =
          request.url === '/api/partner/v1/quotes'
            ? [409, { code: told, message: 'no' }]
            : [201, { public_id: 'ord_1', domain: 'a.test', status: 'EXTERNALLY_PAID', sale_price_cents: 1 }]
        request.resume()
        response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      }),
    )
    const credentials = [{ name: 'main', keyId: 'pk_test_1', secret: 'sk_test_1', scopes: null, partner: 'main' }]
    const proxy = await startProxy({ target, credentials, port: 0, operatorPort: 0 })
    onTestFinished(proxy.close)
    const send = async (path: string, body: object, key: string) => {
      const words = ['sign', 'POST', `${proxy.url}/api/partner/v1/${path}`, '--key-id', 'pk_test_1', '--json']
      const text = JSON.stringify(body)
      const { out } = await cli([...words, '--body', text, '--idempotency-key', key], {
        env: { PARTNER_SECRET: 'sk_test_1' },
      })
      const { headers } = JSON.parse(out) as { headers: Record<string, string> }
      await fetch(`${proxy.url}/api/partner/v1/${path}`, { method: 'POST', headers, body: text })
    }
    await send('orders', { domain: 'a.test', expected_pricee: 1, 'buyer.email': 'b@b.test' }, 'k-1')
    await send('quotes', { domain: 'a.test' }, 'k-2')
    const operator = ['--sandbox', proxy.operator.url]
    await expect.poll(async () => (await cli(['request', 'list', ...operator])).out).toContain('/quotes')
    const { out, err, code } = await cli(['record', ...operator])
    expect(out).toMatch(/json:\n +domain: .*\n +expected_pricee: 1\n +buyer\.email: b@b\.test\n/)
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^left out: POST \\S+quotes \\(px_\\w+\\): .*${told}.*\n$`)),
    ])
    const file = join(tempFolder(), 'recorded.yaml')
    writeFileSync(file, out)
    expect((await cli(['scenario', 'lint', file])).err).toBe('')
  },
)

it('no output has a secret, wherever client and target have put it', async () => {
  const [secret, hookSecret] = ['sk_test_thesecretofthisclient', 'hook-secret-of-this-client']
  const target = await listening(
    createServer((_request, response) => {
      const told = JSON.stringify({ error: { code: 'conflict', message: `not ${secret}` }, secret: hookSecret })
      response.writeHead(409, { 'content-type': 'application/json', 'x-debug': secret, 'set-cookie': secret }).end(told)
    }),
  )
  const credentials = [{ name: 'main', keyId: 'pk_test_1', secret, scopes: null, partner: 'main' }]
  const lines: string[] = []
  const onActivity = (activity: unknown) => void lines.push(JSON.stringify(activity))
  const proxy = await startProxy({ target, credentials, port: 0, operatorPort: 0, onActivity })
  onTestFinished(proxy.close)
  const calls = [
    { path: `/api/partner/v1/orders?status=${secret}`, headers: { Authorization: `Basic ${btoa(`a:${secret}`)}` } },
    { path: `/api/partner/v1/orders/${secret}`, headers: { 'X-Partner-Signature': secret, 'X-Partner-Nonce': secret } },
    {
      path: '/api/partner/webhooks',
      method: 'PUT',
      body: JSON.stringify({ url: 'http://ada:password-of-the-hook@x.test', secret: hookSecret }),
    },
    { path: '/api/partner/v1/links', method: 'POST', body: JSON.stringify({ kind: secret.slice(8) }) },
  ]
  for (const { path, headers = {}, ...init } of calls)
    await fetch(proxy.url + path, { ...init, headers: { 'X-Partner-Key-Id': 'pk_test_1', ...headers } })
  const operator = ['--sandbox', proxy.operator.url]
  await expect.poll(async () => (await cli(['request', 'list', ...operator])).out).toContain('webhooks')
  const har = join(tempFolder(), 'calls.har')
  const outputs = [
    ...(await Promise.all(
      [
        ['request', 'list', '--wide'],
        ['request', 'list', '--json'],
        ['request', 'show', 'last', '--full'],
        ['request', 'har', '--out', har],
        ['record'],
        ['coverage', '--json'],
      ].map(async (words) => Object.values(await cli([...words, ...operator])).join('\n')),
    )),
    readFileSync(har, 'utf8'),
    ...lines,
  ]
  expect(outputs.length).toBeGreaterThan(7)
  for (const output of outputs) {
    expect(output).not.toContain('thesecretofthisclient')
    expect(output).not.toContain(hookSecret)
    expect(output).not.toContain('password-of-the-hook')
    expect(output).not.toContain(btoa(`a:${secret}`))
  }
})

it.each([
  [['proxy'], /name a target: a URL with --key-id, or --target FILE/],
  [['proxy', 'http://x.test'], /--key-id is missing/],
  [['proxy', 'http://x.test/api', '--key-id', 'pk_test_1'], /the URL of the target: must be an address without a path/],
  [
    ['proxy', 'http://u:p@x.test', '--key-id', 'pk_test_1'],
    /the URL of the target: must be .* without user and password/,
  ],
  [
    ['proxy', 'http://x.test', '--key-id', 'pk_test_1', '--ca', 'package.json'],
    /--ca package.json: no certificate in PEM/,
  ],
  [['proxy', 'http://x.test', '--key-id', 'staging-1'], /the key id of main has to begin with pk_/],
  [['proxy', 'http://x.test', '--key-id', 'pk_live_1'], /pk_live_1 is a live key; pass --live/],
  [['proxy', 'http://x.test', '--key-id', 'pk_test_1', '--webhooks', '0'], /give --webhooks and --receiver together/],
  [['proxy', 'http://x.test', '--key-id', 'pk_test_1', '--ca', '/nowhere.pem'], /--ca/],
  [['proxy', 'http://x.test', '--target', 'a.yaml'], /--target names address and credentials/],
])('%j is refused in one line', async (args, message) => {
  const { code, err } = await cli(args, { env: { PARTNER_SECRET: 'sk_test_1' } })
  expect([code, err.split('\n').length]).toEqual([4, 2])
  expect(err).toMatch(message)
})

it('starts from a target file, prints its addresses, and ends with Ctrl-C', async () => {
  const file = join(tempFolder(), 'staging.yaml')
  writeFileSync(
    file,
    'url: http://127.0.0.1:1\ncredentials:\n  - {name: main, key_id: pk_test_1, secret: "${env:S}"}\n',
  )
  const ended = new AbortController()
  setTimeout(() => ended.abort(), 1_500)
  const args = ['proxy', '--target', file, '--port', '0', '--operator-port', '0', '--ready-json']
  const { out, code } = await cli(args, { env: { S: 'sk_test_1' }, stop: ended.signal })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    operator: { url: expect.stringMatching(/^http:/), token: null },
    target: 'http://127.0.0.1:1',
    webhooks: null,
  })
})
