import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startProxy, startSandbox } from '../../src/index.ts'
import { listening } from '../support/listening.ts'
import { deadUrl } from '../support/receiver.ts'

it('a proxy in a test passes calls on, waits for one, and counts coverage', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  onTestFinished(sandbox.close)
  const { keyId, secret } = sandbox.credentials.main
  const proxy = await startProxy({ target: sandbox.url, keyId, secret: secret ?? '' })
  onTestFinished(proxy.close)
  const answer = await fetch(`${proxy.url}/api/partner/v1/orders`, { headers: { 'X-Partner-Key-Id': keyId } })
  expect(answer.status).toBe(401)
  const call = await proxy.waitForRequest({ endpoint: 'orders.list' })
  expect(call).toMatchObject({ status: 401, code: 'missing_signature_headers', refused_by: 'headers' })
  expect(call.reason).toMatch(/X-Partner-Timestamp/)
  expect((await proxy.requests.show(call.request_id)).diagnosis?.sentence).toBe(call.reason)
  const { sections } = await proxy.coverage()
  expect(sections.find(({ id }) => id === 'codes')?.met).toBe(1)
})

it('a target that closes the connection has given no answer, whatever the proxy puts in its place', async () => {
  let calls = 0
  const target = await listening(
    createServer((request, response) => {
      calls += 1
      if (calls === 1) request.socket.destroy()
      else response.writeHead(201, { 'content-type': 'application/json' }).end('{}')
    }),
  )
  const proxy = await startProxy({ target, keyId: 'pk_test_1', secret: 'sk_test_1' })
  onTestFinished(proxy.close)
  const order = (key: string) =>
    fetch(`${proxy.url}/api/partner/v1/orders`, {
      method: 'POST',
      headers: { 'X-Partner-Key-Id': 'pk_test_1', 'Idempotency-Key': key },
    })
  expect([(await order('one')).status, (await order('two')).status]).toEqual([502, 201])
  const { findings } = await proxy.waitForRequest({ endpoint: 'orders.create', status: 201 })
  expect(findings).toContain('This is a retry after no answer, and the Idempotency-Key was different.')
  const { sections } = await proxy.coverage()
  const retries = sections.find(({ id }) => id === 'retries')?.rows.map(({ id, state }) => [id, state])
  expect(retries).toContainEqual(['lost_reply', 'wrong'])
  expect(retries).toContainEqual(['internal_error', 'not_met'])
})

it.each([
  ['/orders?status=NONE', {}, 'status must be one of OPEN, PAID'],
  ['/quotes', { method: 'POST', body: '{"domain":1}' }, 'domain must be a text'],
])('a parameter at the beginning of a message keeps its spelling: %s', async (path, call, message) => {
  const target = await listening(
    createServer((_request, response) => {
      response.writeHead(400).end(JSON.stringify({ code: 'validation_error', message }))
    }),
  )
  const proxy = await startProxy({ target, keyId: 'pk_test_1', secret: 'sk_test_1' })
  onTestFinished(proxy.close)
  await fetch(`${proxy.url}/api/partner/v1${path}`, call)
  expect((await proxy.waitForRequest({ status: 400 })).reason).toBe(`${message}.`)
})

it('a wait that is over says what came instead, and asks the proxy for nothing that only a sandbox has', async () => {
  const target = await listening(createServer((_request, response) => response.writeHead(401).end('{}')))
  const proxy = await startProxy({ target, keyId: 'pk_test_1', secret: 'sk_test_1' })
  onTestFinished(proxy.close)
  await fetch(`${proxy.url}/api/partner/v1/orders`)
  await proxy.waitForRequest({ endpoint: 'orders.list' })
  const { message } = await proxy.waitForRequest({ endpoint: 'orders.create', timeoutMs: 50 }).catch((error) => error)
  expect(message).toMatch(/^waited 50 ms for .*, but it did not happen\n {2}/)
  expect(message).toMatch(/\n {2}refused: GET \/api\/partner\/v1\/orders as unknown got 401: It was answered 401\. /)
  expect(message).not.toMatch(/proxy in front|no longer answers/)
})

it('does not start in front of itself', async () => {
  const target = await deadUrl()
  const port = Number(new URL(target).port)
  const options = { target: `http://localhost:${port}`, port, keyId: 'pk_test_1', secret: 'sk_test_1' }
  await expect(startProxy(options)).rejects.toThrow(
    `target: http://localhost:${port} is an address of this proxy itself`,
  )
})

it('does not start with certificates that Node would pass over', async () => {
  const options = { target: 'https://127.0.0.1:1', keyId: 'pk_test_1', secret: 'sk_test_1' }
  const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  await expect(startProxy({ ...options, ca: 'url: x' })).rejects.toThrow('ca: no certificate in PEM is in it')
  await expect(startProxy({ ...options, ca: broken })).rejects.toThrow('ca: certificate 1 of 1 cannot be read')
})

it('does not start for a live key', async () => {
  const options = { target: 'http://127.0.0.1:1', keyId: 'pk_live_1', secret: 'sk_live_1' }
  await expect(startProxy(options)).rejects.toThrow('pk_live_1 is a live key')
})
