import { expect, test } from 'vitest'
import { longestWaitMs } from '../../src/conformance/target/target.ts'

const DELIVERY = { events: { hook: 'main', type: 'order.recorded' } } as const
const waitMs = (place: 'loopback' | 'elsewhere', slowestAnswerMs: number, told: object = {}) =>
  longestWaitMs({ place, target: { patience: told } }, DELIVERY, slowestAnswerMs)

test('a target nearby that answers slowly is waited for longer, but no longer than one elsewhere', () => {
  expect(waitMs('loopback', 5)).toBe(10_000)
  expect(waitMs('loopback', 1_500)).toBe(30_000)
  expect(waitMs('loopback', 20_000)).toBe(60_000)
  expect(waitMs('elsewhere', 20_000)).toBe(60_000)
})

test('a target file that says how late it is has the last word', () => {
  expect(waitMs('loopback', 1_500, { deliveries: 2_000 })).toBe(2_000)
  expect(waitMs('elsewhere', 5, { deliveries: 90_000 })).toBe(90_000)
})
