import { expect, test } from 'vitest'
import { restIn } from '../../src/clock/wall-clock.ts'

/** Each look at it is a millisecond later. */
function ticking() {
  let now = 0
  return () => now++
}

test('a rest is due when a slice is over, and begins the next one', async () => {
  let pauses = 0
  const rest = restIn({ pause: async () => void pauses++, sliceMs: 10, monotonicMs: ticking() })
  for (let i = 0; i < 100; i++) await rest()
  expect([pauses >= 8, pauses <= 10]).toEqual([true, true])
})

test('what a pause throws ends the work', async () => {
  const rest = restIn({ pause: () => Promise.reject(new Error('enough')), sliceMs: 1, monotonicMs: ticking() })
  await expect(rest()).rejects.toThrow('enough')
})
