import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createOperatorClient } from '../../src/operator-api/client.ts'
import { startProxy } from '../../src/proxy/start-proxy.ts'

/** In plain JavaScript, without types. */
const FOREIGN: string = new URL('../foreign-servers/server.mjs', import.meta.url).href

it('the example in front of a server that is not ours: each planted mistake is named', async () => {
  const { startForeignServer } = await import(FOREIGN)
  const foreign = await startForeignServer('A')
  onTestFinished(() => foreign.close())
  const { keyId, secret } = foreign.credentials.main
  const credentials = [{ name: 'main', keyId, secret, scopes: null, partner: 'main' }]
  const compared = { requests: false, answers: false }
  const proxy = await startProxy({ target: foreign.url, credentials, port: 0, operatorPort: 0, compared })
  const client = createOperatorClient(proxy.operator)
  onTestFinished(async () => {
    client.close()
    await proxy.close()
  })
  const env = { PATH: process.env['PATH'], PARTNER_URL: proxy.url, PARTNER_KEY_ID: keyId, PARTNER_SECRET: secret }
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/proxy/mistaken-client.mjs'], { env })
  expect(stdout).toMatch(/^GET \/domains\/search\?q=solar&limit=5 401\nGET \/orders 200\n/)
  const list = async () => (await client.call('requests.list', { w: 'default' })).requests.reverse()
  await expect.poll(async () => (await list()).length).toBe(5)
  const [search, orders, payouts, first, second] = await list()
  expect(search?.reason).toMatch(/^The query was signed as it is in the URL; decode, sort and re-encode it\./)
  expect([orders?.reason, orders?.findings]).toEqual([null, []])
  expect(payouts?.reason).toMatch(/^The nonce was used before, by /)
  expect(payouts?.findings).toEqual([])
  expect(first?.findings).toEqual([])
  expect(second?.findings).toEqual([
    `The Idempotency-Key was used before for another request, by ${first?.request_id}.`,
  ])
})
