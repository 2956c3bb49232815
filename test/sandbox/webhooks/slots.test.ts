import { expect, test } from 'vitest'
import type { Slots } from '../../../src/sandbox/kernel/world.ts'
import { createSlots } from '../../../src/sandbox/webhooks/address-policy.ts'

function takeAll(slots: Slots, isFailing: boolean): number {
  let taken = 0
  while (slots.take(isFailing, () => {})) taken += 1
  return taken
}

test('endpoints that fail never hold more than half of the slots', () => {
  const slots = createSlots(64)
  expect(takeAll(slots, true)).toBe(32)
  expect(takeAll(slots, false)).toBe(32)
  slots.release()
  expect(slots.take(true, () => {})).toBe(false)
  expect(slots.take(false, () => {})).toBe(true)
})

test('whoever waits is told once when a slot is free', () => {
  const slots = createSlots(64)
  takeAll(slots, false)
  const told: string[] = []
  expect(slots.take(false, () => told.push('first'))).toBe(false)
  expect(slots.take(false, () => told.push('second'))).toBe(false)
  slots.release()
  expect(told).toEqual(['first', 'second'])
  slots.release()
  expect(told).toHaveLength(2)
})
