import { expect, test } from 'vitest'
import { inTurns, restIn } from '../../src/clock/in-turns.ts'
import { atOnce } from '../../src/contract/steps.ts'

function* stepsOf(count: number) {
  for (let i = 0; i < count; i++) yield undefined
  return 'done'
}

/** Each look at it is a millisecond later. */
function ticking() {
  let now = 0
  return () => now++
}

test('work in turns pauses after each slice, and comes to the same as work at once', async () => {
  let pauses = 0
  const pause = async () => void pauses++
  expect(await inTurns(stepsOf(100), { pause, sliceMs: 10, monotonicMs: ticking() })).toBe('done')
  expect(pauses).toBeGreaterThanOrEqual(9)
  expect(atOnce(stepsOf(100))).toBe('done')
})

test('what a pause throws ends the work', async () => {
  const pause = () => Promise.reject(new Error('enough'))
  await expect(inTurns(stepsOf(100), { pause, sliceMs: 10, monotonicMs: ticking() })).rejects.toThrow('enough')
})

test('a rest is due when a slice is over, and begins the next one', async () => {
  let pauses = 0
  const rest = restIn({ pause: async () => void pauses++, sliceMs: 10, monotonicMs: ticking() })
  for (let i = 0; i < 100; i++) await rest()
  expect([pauses >= 8, pauses <= 10]).toEqual([true, true])
})
