import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { foreign } from './judged.ts'

it('the example in front of a server that is not ours: each planted mistake is named', async () => {
  const { proxy, key, log } = await foreign('A')
  const env = {
    PATH: process.env['PATH'],
    PARTNER_URL: proxy.url,
    PARTNER_KEY_ID: key.keyId,
    PARTNER_SECRET: key.secret,
  }
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/proxy/mistaken-client.mjs'], { env })
  expect(stdout).toMatch(/^GET \/domains\/search\?q=solar&limit=5 401\nGET \/orders 200\n/)
  const [search, orders, payouts, first, second] = await log(5)
  expect(search?.reason).toMatch(/^The query was signed as it is in the URL; decode, sort and re-encode it\./)
  expect([orders?.reason, orders?.findings]).toEqual([null, []])
  expect(payouts?.reason).toMatch(/^The nonce was used before, by /)
  expect(payouts?.findings).toEqual([])
  expect(first?.findings).toEqual([])
  expect(second?.findings).toEqual([
    `The Idempotency-Key was used before for another request, by ${first?.request_id}.`,
  ])
})
