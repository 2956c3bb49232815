import { expect, it, onTestFinished } from 'vitest'
import { startProxy, startSandbox } from '../../src/index.ts'

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

it('does not start for a live key', async () => {
  const options = { target: 'http://127.0.0.1:1', keyId: 'pk_live_1', secret: 'sk_live_1' }
  await expect(startProxy(options)).rejects.toThrow('pk_live_1 is a live key')
})
