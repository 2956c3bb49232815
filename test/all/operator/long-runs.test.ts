import { expect, test } from 'vitest'
import { deliver, settle } from '../../support/sales.ts'
import { startSandbox } from '../../support/sandbox.ts'

const START = { inventory: 0, frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }
const ORDERS = 1_200
/** More connections at once could be more than the system keeps waiting. */
const AT_ONCE = 100

/** A sandbox with so many delivered orders that a settlement run takes several turns of the event loop. */
async function soldOut() {
  const sandbox = await startSandbox(START)
  for (let sold = 0; sold < ORDERS; sold += AT_ONCE) {
    const orders = await Promise.all(Array.from({ length: AT_ONCE }, () => sandbox.sell()))
    for (const { json } of orders) await deliver(sandbox, json.public_id)
  }
  return sandbox
}

test('while a settlement run goes on, its world shows nothing of it, and other worlds are served; read later, it is as it was answered', async () => {
  const sandbox = await soldOut()
  await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 0 })
  const answered: string[] = []
  const named = async <Answer>(name: string, answer: Promise<Answer>) => {
    const result = await answer
    answered.push(name)
    return result
  }
  const run = named('run', settle(sandbox))
  const orders = named('orders', sandbox.operate('GET', '/v1/worlds/default/orders?limit=100&status=SETTLED'))
  const elsewhere = named('elsewhere', sandbox.operate('GET', '/v1/worlds/other/orders'))
  expect((await run).json.settled_count).toBe(ORDERS)
  // Either before the run or after all of it.
  expect([0, 100]).toContain((await orders).json.orders.length)
  expect((await elsewhere).json.orders).toEqual([])
  expect(answered.indexOf('elsewhere')).toBeLessThan(answered.indexOf('run'))
  const { json } = await run
  expect((await sandbox.operate('GET', `/v1/worlds/default/settlement-runs/${json.run_id}`)).json).toEqual(json)
})
