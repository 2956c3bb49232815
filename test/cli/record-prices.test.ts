import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { expectGreen, recorded } from './recorded.ts'

const LONG = { timeout: 30_000 }

/** Statuses of one order after the other at these prices. */
async function ordered(sandbox: TestSandbox, domain: string, ...prices: number[]): Promise<number[]> {
  const statuses: number[] = []
  for (const price of prices) {
    const body = { domain, expected_price: price, currency: 'USD', buyer: { email: 'ada@example.test' } }
    statuses.push((await sandbox.call({ path: '/orders', key: randomUUID(), body })).status)
  }
  return statuses
}

async function priceOf(sandbox: TestSandbox, domain: string): Promise<number> {
  return (await sandbox.call({ path: `/availability?domain=${domain}` })).json.price_cents
}

function setPrice(sandbox: TestSandbox, domain: string, price_cents: number) {
  return sandbox.operate('PATCH', `/v1/worlds/default/domains/${domain}`, { price_cents })
}

it('keeps a price below that of the listing, however low it is, above zero for a cheaper domain', LONG, async () => {
  const sandbox = await startSandbox()
  const domain = 'costly-listing.test'
  await sandbox.operate('POST', '/v1/worlds/default/domains', { domain, price_cents: 90_000_000 })
  expect(await priceOf(sandbox, domain)).toBe(90_000_000)
  expect(await ordered(sandbox, domain, 1, 40_000_000, 90_000_100, 0, -1)).toEqual([422, 422, 422, 422, 400])
  await setPrice(sandbox, domain, 40_000_000)
  expect(await ordered(sandbox, domain, 1, 40_000_000)).toEqual([422, 201])
  const { file, err, scenario } = await recorded(sandbox)
  expect(err).toBe("left out: the operator's POST /domains\n")
  expect(scenario.steps.flatMap(({ call }) => call?.body?.set?.['expected_price'] ?? [])).toEqual([
    ...['${sellable.price - 200}', '${sellable.price - 100}', '${sellable.price + 100}', 0],
    ...['${sellable.price - 200}', '${sellable.price - 100}'],
  ])
  await expectGreen(file)
})

it('asks for the price of a magic domain, which is another one in a world of another seed', LONG, async () => {
  const sandbox = await startSandbox({ seed: 'another' })
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/domains/stalls-1.test')
  const price: number = json.price_cents
  expect(await ordered(sandbox, 'stalls-1.test', price + 100)).toEqual([422])
  await setPrice(sandbox, 'stalls-1.test', 500)
  expect(await ordered(sandbox, 'stalls-1.test', price, 500)).toEqual([422, 201])
  const { file, err, scenario } = await recorded(sandbox)
  expect(err).toBe('')
  expect(scenario.steps[0]?.call).toEqual({ op: 'availability', query: { domain: 'stalls-1.test' } })
  await expectGreen(file)
})

it('takes the price of a magic domain from the answer that gave it', LONG, async () => {
  const sandbox = await startSandbox({ seed: 'another' })
  const domain = 'price-moves-1.test'
  const first = (await sandbox.call({ path: `/pricing?domain=${domain}` })).json.buy_now_price_cents
  const moved = await priceOf(sandbox, domain)
  expect(moved).toBeGreaterThan(first)
  expect(await ordered(sandbox, domain, first, moved)).toEqual([422, 201])
  const { file, scenario } = await recorded(sandbox)
  expect(scenario.steps.flatMap(({ call }) => call?.body?.set?.['expected_price'] ?? [])).toEqual([
    '${pricing_1.listing.price}',
    '${availability_1.listing.price}',
  ])
  await expectGreen(file)
})
