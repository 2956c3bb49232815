import { expect, test } from 'vitest'
import { DEFAULT_GAPS } from '../../src/contract/choices.ts'
import {
  OPERATOR_STEPS,
  ORDER_STATES,
  ORDER_STEPS,
  type OrderState,
  stepsFrom,
} from '../../src/contract/order-states.ts'
import { stepsTo } from '../support/order-ways.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const WORLD = '/v1/worlds/default'

async function orderIn(sandbox: TestSandbox, state: OrderState): Promise<string> {
  const { json } = await sandbox.sell()
  for (const step of stepsTo(state) ?? []) {
    const path = step === 'settle' ? `${WORLD}/settlement-runs` : `${WORLD}/orders/${json.public_id}/${step}`
    expect((await sandbox.operate('POST', path, {})).status).toBeLessThan(300)
  }
  return json.public_id
}

async function eventsOf(sandbox: TestSandbox, publicId: string): Promise<string[]> {
  const { json } = await sandbox.operate('GET', `${WORLD}/events?limit=200`)
  return json.events
    .filter((event: { data: { order: { public_id: string } } }) => event.data.order.public_id === publicId)
    .map((event: { type: string }) => event.type)
}

test.each(ORDER_STATES)(
  '%s allows the steps of the table and refuses every other with 409, its state and its steps',
  async (state) => {
    const sandbox = await startSandbox()
    for (const step of OPERATOR_STEPS) {
      const publicId = await orderIn(sandbox, state)
      const before = await sandbox.operate('GET', `${WORLD}/orders/${publicId}`)
      expect(before.json).toMatchObject({ status: state, steps: stepsFrom(state, DEFAULT_GAPS) })
      const { status, json } = await sandbox.operate('POST', `${WORLD}/orders/${publicId}/${step}`, {
        reason: 'a test',
      })
      const after = await sandbox.operate('GET', `${WORLD}/orders/${publicId}`)
      if (stepsFrom(state, DEFAULT_GAPS).includes(step)) {
        expect([step, status, json.status]).toEqual([step, 200, ORDER_STEPS[step].to])
        expect(json.timeline.at(-1)).toMatchObject({ status: ORDER_STEPS[step].to, note: 'a test' })
        expect(after.json).toEqual(json)
        const event = ORDER_STEPS[step].event
        if (event) expect((await eventsOf(sandbox, publicId)).at(-1)).toBe(event)
      } else {
        expect([step, status, json.state, json.steps]).toEqual([step, 409, state, stepsFrom(state, DEFAULT_GAPS)])
        expect(json.detail).toContain(`${step} is not possible in state ${state}`)
        expect(after.text).toBe(before.text)
      }
    }
  },
)

test('settling is no step of an operator, and an unknown order or step is 404', async () => {
  const sandbox = await startSandbox()
  const publicId = await orderIn(sandbox, 'TRANSFER_COMPLETED')
  for (const path of [`orders/${publicId}/settle`, `orders/${publicId}/toString`, 'orders/ord_none/hold']) {
    const { status, json } = await sandbox.operate('POST', `${WORLD}/${path}`, {})
    expect([path, status, json.status]).toEqual([path, 404, 404])
  }
  expect((await sandbox.operate('GET', `${WORLD}/orders/ord_none`)).status).toBe(404)
})

test('a reason is text of 1 to 500 characters, and nothing else is taken', async () => {
  const sandbox = await startSandbox()
  const publicId = await orderIn(sandbox, 'EXTERNALLY_PAID')
  for (const body of [{ reason: '' }, { reason: 'x'.repeat(501) }, { reason: 7 }, { because: 'x' }, [], 'x', null]) {
    expect((await sandbox.operate('POST', `${WORLD}/orders/${publicId}/hold`, body)).status).toBe(400)
  }
  expect((await sandbox.operate('GET', `${WORLD}/orders/${publicId}`)).json.status).toBe('EXTERNALLY_PAID')
})

test('the list spans all partners, newest first, with filters and a cursor', async () => {
  const sandbox = await startSandbox()
  const sold = []
  for (const as of ['main', 'other-partner', 'main', 'other-partner', 'main'])
    sold.push((await sandbox.sell({ as })).json)
  const ids = sold.map((order) => order.public_id).reverse()
  await sandbox.operate('POST', `${WORLD}/orders/${ids[0]}/hold`, {})

  const list = async (query: string) => (await sandbox.operate('GET', `${WORLD}/orders${query}`)).json
  const idsOf = (page: { orders: { public_id: string }[] }) => page.orders.map((order) => order.public_id)
  const all = await list('')
  expect([idsOf(all), all.next_cursor]).toEqual([ids, null])

  const first = await list('?limit=2')
  const second = await list(`?limit=2&cursor=${first.next_cursor}`)
  const third = await list(`?limit=2&cursor=${second.next_cursor}`)
  expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(ids)
  expect(third.next_cursor).toBeNull()

  const other = all.orders[1].partner_id
  expect(other).not.toBe(all.orders[0].partner_id)
  expect(idsOf(await list(`?partner_id=${other}`))).toEqual([ids[1], ids[3]])
  expect(idsOf(await list('?status=MANUAL_REVIEW'))).toEqual([ids[0]])
  expect(idsOf(await list(`?domain=${sold[2].domain.toUpperCase()}`))).toEqual([ids[2]])
  expect(idsOf(await list(`?status=MANUAL_REVIEW&partner_id=${other}`))).toEqual([])
})

test('a wrong filter is 400 and names it', async () => {
  const sandbox = await startSandbox()
  for (const [query, says] of [
    ['status=PAID', 'status must be one of EXTERNALLY_PAID'],
    ['limit=0', 'limit must be at least 1'],
    ['limit=x', 'limit must be an integer'],
    ['cursor=ord_none', 'cursor is not one that this list gave out'],
    ['color=red', 'unknown parameter color'],
    ['limit=1&limit=2', 'limit is given more than once'],
    ['domain=%ff', 'cannot be decoded'],
  ]) {
    const { status, json } = await sandbox.operate('GET', `${WORLD}/orders?${query}`)
    expect(status).toBe(400)
    expect(json.detail).toContain(says)
  }
})

test('a settlement run settles what was delivered, once, over all partners', async () => {
  const sandbox = await startSandbox()
  const delivered = [await orderIn(sandbox, 'TRANSFER_COMPLETED')]
  await orderIn(sandbox, 'TRANSFER_IN_PROGRESS')
  const other = (await sandbox.sell({ as: 'other-partner' })).json
  for (const step of stepsTo('TRANSFER_COMPLETED') ?? [])
    await sandbox.operate('POST', `${WORLD}/orders/${other.public_id}/${step}`, {})
  delivered.push(other.public_id)

  const { status, json } = await sandbox.operate('POST', `${WORLD}/settlement-runs`, {})
  expect(status).toBe(201)
  expect(json.run_id).toMatch(/^run_/)
  expect(json.settled.map((order: { public_id: string }) => order.public_id)).toEqual(delivered)
  for (const order of json.settled) {
    expect(order.status).toBe('SETTLED')
    expect(order.commission_cents + order.amount_owed_cents).toBe(order.sale_price_cents)
  }
  expect((await eventsOf(sandbox, other.public_id)).at(-1)).toBe('order.settled')
  expect((await sandbox.operate('POST', `${WORLD}/settlement-runs`, {})).json.settled).toEqual([])
})

test('the events of all partners are listed oldest first and paged by cursor', async () => {
  const sandbox = await startSandbox()
  for (const as of ['main', 'other-partner', 'main']) await sandbox.sell({ as })
  const first = (await sandbox.operate('GET', `${WORLD}/events?limit=2`)).json
  const second = (await sandbox.operate('GET', `${WORLD}/events?limit=2&cursor=${first.next_cursor}`)).json
  expect([first.events.length, second.events.length, second.next_cursor]).toEqual([2, 1, null])
  const partners = [...first.events, ...second.events].map((event: { partner_id: string }) => event.partner_id)
  expect(partners[0]).toBe(partners[2])
  expect(partners[0]).not.toBe(partners[1])
  expect((await sandbox.operate('GET', `${WORLD}/events?cursor=-1`)).status).toBe(400)
})

test('orders are found by a part of id, domain, or email or name of the buyer, in upper or lower case', async () => {
  const sandbox = await startSandbox()
  const { json: one } = await sandbox.sell({ order: { buyer: { email: 'ada@example.test', name: 'Ada 100%' } } })
  const { json: other } = await sandbox.sell({ order: { buyer: { email: 'bo@example.test' } } })
  const found = async (q: string) => {
    const { json } = await sandbox.operate('GET', `${WORLD}/orders?q=${encodeURIComponent(q)}`)
    return json.orders.map(({ public_id }: { public_id: string }) => public_id)
  }
  expect(await found(one.public_id.slice(5))).toEqual([one.public_id])
  expect(await found(other.domain.toUpperCase())).toEqual([other.public_id])
  expect(await found('ADA@')).toEqual([one.public_id])
  expect(await found('100%')).toEqual([one.public_id])
  expect(await found('@example.test')).toEqual([other.public_id, one.public_id])
  expect(await found('%')).toEqual([one.public_id])
  expect(await found('email')).toEqual([])
})
