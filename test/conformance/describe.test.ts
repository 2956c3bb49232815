import { expect, it } from 'vitest'
import { describeExpectation } from '../../src/conformance/judge/judge.ts'

const EXPECTED = { count: 1, every: { 'event.type': 'order.settled' } }

it.each([
  ['events', { events: { type: 'order.settled' } }],
  ['deliveries', { events: { hook: 'main', type: 'order.settled' } }],
  ['accepted answers', { call: { op: 'orders.list' as const, at_once: 2 } }],
  ['items', { call: { op: 'orders.list' as const } }],
])('says that %s are counted', (things, step) => {
  const words = describeExpectation(EXPECTED, step)
  expect(words).toContain(`the number of ${things} is 1; each of the ${things}: event.type is`)
})

it('names a list by its role', () => {
  expect(describeExpectation({ ...EXPECTED, items: 'orders.items' })).toContain('the number of orders.items is 1')
})
