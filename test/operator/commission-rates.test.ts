import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox } from '../support/sandbox.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile()

test('a new world takes the rates it is given, keeps the usual ones otherwise, and shows them', async () => {
  const sandbox = await startSandbox()
  const rules = { commission: { partner_collected_basis_points: 1_234, brokerage_basis_points: 0 } }
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', { name: 'rates', rules })
  expect(status).toBe(201)
  const rates = {
    partner_collected_basis_points: 1_234,
    hosted_checkout_basis_points: 2_000,
    brokerage_basis_points: 0,
  }
  expect(json.rules.commission).toEqual(rates)
  expect((await sandbox.operate('GET', '/v1/worlds/rates')).json.rules.commission).toEqual(rates)
})

test.for([-1, 10_001, 1.5, '2000', null])('a rate of %j is refused', async (rate) => {
  const sandbox = shared()
  const body = { rules: { commission: { brokerage_basis_points: rate } } }
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', body)
  expect([status, json.detail]).toEqual([400, expect.stringContaining('brokerage_basis_points')])
})

test('a listing in another currency is refused, and says why', async () => {
  const sandbox = await startSandbox()
  const body = { domain: 'euros.test', price_cents: 100, currency: 'EUR' }
  const { status, json } = await sandbox.operate('POST', '/v1/worlds/default/domains', body)
  expect([status, json.detail]).toEqual([400, 'currency must be USD: this sandbox sells in one currency'])
  expect((await sandbox.operate('POST', '/v1/worlds/default/domains', { ...body, currency: 'USD' })).status).toBe(201)
})
