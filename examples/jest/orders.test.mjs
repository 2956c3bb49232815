import { test, testWith } from 'partner-sandbox/jest'

test('an order that is sent twice is recorded once', async ({ world }) => {
  const { price_cents } = await world.domains.show('stalls-1.test')
  const order = {
    domain: 'stalls-1.test',
    expected_price: price_cents,
    currency: 'USD',
    buyer: { email: 'ada@example.test' },
  }
  const once = await world.call('POST', '/orders', order, { idempotencyKey: 'order-1' })
  const again = await world.call('POST', '/orders', order, { idempotencyKey: 'order-1' })
  expect(again.json.public_id).toBe(once.json.public_id)
  expect(await world.orders.all()).toHaveLength(1)
})

const frozen = testWith({ worldOptions: { frozen: true } })

frozen('time stands still in a frozen world', async ({ world }) => {
  expect(await world.clock.now()).toEqual(await world.clock.now())
})
