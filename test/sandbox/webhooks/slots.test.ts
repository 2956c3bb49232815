import { expect, test } from 'vitest'
import { createSlots } from '../../../src/sandbox/webhooks/slots.ts'

test('slow endpoints never hold all slots: the last sixteen are for those that have none', () => {
  const slots = createSlots(64)
  let taken = 0
  while (slots.take(taken === 0 ? 0 : 7, () => {})) taken += 1
  expect(taken).toBe(48)
  for (let n = 0; n < 16; n++) expect(slots.take(0, () => {})).toBe(true)
  expect(slots.take(0, () => {})).toBe(false)
})

test('whoever waits is told once when a slot is free', () => {
  const slots = createSlots(64)
  for (let n = 0; n < 64; n++) slots.take(0, () => {})
  const told: string[] = []
  expect(slots.take(0, () => told.push('first'))).toBe(false)
  expect(slots.take(0, () => told.push('second'))).toBe(false)
  slots.release()
  expect(told).toEqual(['first', 'second'])
  slots.release()
  expect(told).toHaveLength(2)
})
