import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile({ inventory: 0 })

const RULES = '/v1/worlds/default/rules'
const USUAL = {
  commission: {
    partner_collected_basis_points: 2_000,
    hosted_checkout_basis_points: 2_000,
    brokerage_basis_points: 1_000,
  },
  review: { price_above_cents: null, buyer_countries: [] },
}

test('a living world takes other rules, which replace all of those before', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  expect((await sandbox.operate('GET', RULES)).json).toEqual(USUAL)
  const wanted = {
    commission: { partner_collected_basis_points: 100, hosted_checkout_basis_points: 200, brokerage_basis_points: 0 },
    review: { price_above_cents: 5, buyer_countries: ['SE'] },
  }
  expect((await sandbox.operate('PUT', RULES, wanted)).json).toEqual(wanted)
  expect((await sandbox.operate('GET', '/v1/worlds/default')).json.rules).toEqual(wanted)
  const part = await sandbox.operate('PUT', RULES, { commission: { brokerage_basis_points: 5 } })
  expect(part.json).toEqual({ ...USUAL, commission: { ...USUAL.commission, brokerage_basis_points: 5 } })
  expect((await sandbox.operate('PUT', RULES, {})).json).toEqual(USUAL)
})

test('what was sold before keeps its commission, and the audit knows both rates', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const before = (await sandbox.sell()).json
  await sandbox.operate('PUT', RULES, { commission: { partner_collected_basis_points: 333 } })
  const after = (await sandbox.sell()).json
  expect(before.commission_cents).toBe(Math.floor((before.sale_price_cents * 2_000) / 10_000))
  expect(after.commission_cents).toBe(Math.floor((after.sale_price_cents * 333) / 10_000))
  expect((await sandbox.call({ path: `/orders/${before.public_id}` })).json.commission_cents).toBe(
    before.commission_cents,
  )
  expect((await sandbox.operate('GET', '/v1/worlds/default/audit')).json).toMatchObject({ balanced: true })
})

test('an order is held by the rule of the moment at which it is recorded', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  expect((await sandbox.sell()).json.status).toBe('EXTERNALLY_PAID')
  await sandbox.operate('PUT', RULES, { review: { price_above_cents: 0 } })
  expect((await sandbox.sell()).json.status).toBe('MANUAL_REVIEW')
})

test('rules outlive a reset and a restart', async () => {
  const dataDir = tempFolder()
  const sandbox = await startSandbox({ inventory: 0, dataDir })
  const { json } = await sandbox.operate('PUT', RULES, { review: { buyer_countries: ['NO'] } })
  await sandbox.operate('POST', '/v1/worlds/default/reset', {})
  expect((await sandbox.operate('GET', RULES)).json).toEqual(json)
  await sandbox.close()
  const again = await startSandbox({ inventory: 0, dataDir })
  expect((await again.operate('GET', RULES)).json).toEqual(json)
})

test.each([
  [{ commission: { brokerage_basis_points: 10_001 } }, 'commission.brokerage_basis_points must be at most 10000'],
  [{ review: { buyer_countries: ['ZZ'] } }, 'review.buyer_countries.0 must be a two-letter country code'],
  [{ rates: {} }, 'unknown field rates'],
])('%j is refused by name and changes nothing', async (body, words) => {
  const sandbox = shared()
  const { status, json } = await sandbox.operate('PUT', RULES, body)
  expect([status, json.detail]).toEqual([400, expect.stringContaining(words)])
  expect((await sandbox.operate('GET', RULES)).json).toEqual(USUAL)
})
