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

test('a new world takes the rules that it is given, keeps the usual ones otherwise, shows them and follows them', async () => {
  const sandbox = await startSandbox()
  const rules = {
    commission: { partner_collected_basis_points: 1_234, brokerage_basis_points: 0 },
    review: { price_above_cents: 100_000 },
  }
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', { name: 'ruled', rules })
  const taken = {
    commission: { ...rules.commission, hosted_checkout_basis_points: 2_000 },
    review: { ...rules.review, buyer_countries: [] },
  }
  expect([status, json.rules]).toEqual([201, taken])
  expect((await sandbox.operate('GET', '/v1/worlds/ruled')).json.rules).toEqual(taken)
  for (const [domain, price, held] of [
    ['at.test', 100_000, 'EXTERNALLY_PAID'],
    ['above.test', 100_001, 'MANUAL_REVIEW'],
  ] as const) {
    await sandbox.operate('POST', '/v1/worlds/ruled/domains', { domain, price_cents: price })
    const order = { domain, expected_price: price, currency: 'USD', buyer: { email: 'b@example.test' } }
    const sold = await sandbox.call({ as: json.credentials[0], path: '/orders', body: order, key: domain })
    expect([domain, sold.json.status, sold.json.commission_cents]).toEqual([domain, held, 12_340])
  }
})

test('an order is held by the rule of the moment at which it is recorded, and its timeline says why', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const sold = async (buyer: Record<string, string> = {}) => {
    const { json } = await sandbox.sell({ order: { buyer: { email: 'buyer@example.test', ...buyer } } })
    return [json.status, json.timeline.at(-1)?.note]
  }
  expect((await sold())[0]).toBe('EXTERNALLY_PAID')
  await sandbox.operate('PUT', RULES, { review: { price_above_cents: 0 } })
  expect(await sold()).toEqual(['MANUAL_REVIEW', 'held for manual review: its price is above 0 USD cents'])
  await sandbox.operate('PUT', RULES, { review: { buyer_countries: ['DE', 'FR'] } })
  expect(await sold({ country: 'FR' })).toEqual(['MANUAL_REVIEW', 'held for manual review: its buyer is from FR'])
  expect((await sold({ country: 'AT' }))[0]).toBe('EXTERNALLY_PAID')
  expect((await sold())[0]).toBe('EXTERNALLY_PAID')
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

test.each<[body: object, words: string]>([
  ...[-1, 10_001, 1.5, '2000', null].map((rate): [object, string] => [
    { commission: { brokerage_basis_points: rate } },
    'commission.brokerage_basis_points',
  ]),
  [{ commission: { brokerage_basis_points: 10_001 } }, 'commission.brokerage_basis_points must be at most 10000'],
  [{ review: { buyer_countries: ['ZZ'] } }, 'review.buyer_countries.0 must be a two-letter country code'],
  [{ review: { buyer_countries: ['Germany'] } }, 'must be a two-letter country code'],
  [{ review: { buyer_countries: ['DE', 'ZZ'] } }, 'must be a two-letter country code'],
  [{ review: { price_above_cents: -1 } }, 'review.price_above_cents'],
  [{ review: { price: 1 } }, 'review.price'],
  [{ rates: {} }, 'unknown field'],
])('%j is refused by name, in a new world too, and changes nothing', async (body, words) => {
  const sandbox = shared
  const { status, json } = await sandbox.operate('PUT', RULES, body)
  expect([status, json.detail]).toEqual([400, expect.stringContaining(words)])
  expect((await sandbox.operate('GET', RULES)).json).toEqual(USUAL)
  const made = await sandbox.operate('POST', '/v1/worlds', { name: 'ruled', rules: body })
  expect([made.status, made.json.detail]).toEqual([400, expect.stringContaining(words)])
})
