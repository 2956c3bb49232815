import assert from 'node:assert/strict'
import { test, testWith } from 'partner-sandbox/node-test'

test('a held order waits for its clearance', async ({ world }) => {
  const { price_cents } = await world.domains.show('held-1.test')
  const order = {
    domain: 'held-1.test',
    expected_price: price_cents,
    currency: 'USD',
    buyer: { email: 'ada@example.test' },
  }
  const { json } = await world.call('POST', '/orders', order, { idempotencyKey: 'order-1' })
  await world.waitForOrder(json.public_id, 'MANUAL_REVIEW')
  await world.orders.clear(json.public_id)
  assert.equal((await world.orders.show(json.public_id)).status, 'EXTERNALLY_PAID')
})

test('the next test has the same sandbox and a new world', async ({ world }) => {
  assert.deepEqual(await world.orders.all(), [])
})

const frozen = testWith({ worldOptions: { frozen: true } })

frozen('time stands still in a frozen world', async ({ world, t }) => {
  t.diagnostic(`world ${world.name}`)
  assert.deepEqual(await world.clock.now(), await world.clock.now())
})
