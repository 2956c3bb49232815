import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatInstant, LATEST_MS } from '../../src/clock/instant.ts'

const EARLIEST_MS = Date.UTC(1800, 0, 1)

test('an instant is written as Date writes it, in any century and to the millisecond', () => {
  const edges = [0, -1, 1, 999, 86_399_999, 86_400_000, -86_400_000, LATEST_MS, 0.4, 1_700_000_000_000.7, -0.5]
  for (const ms of edges) expect(formatInstant(ms)).toBe(new Date(ms).toISOString())
  fc.assert(
    fc.property(fc.integer({ min: EARLIEST_MS, max: LATEST_MS }), (ms) => {
      expect(formatInstant(ms)).toBe(new Date(ms).toISOString())
    }),
  )
})

test('what is after the end of time is its last instant, and what is none is refused', () => {
  expect(formatInstant(LATEST_MS + 1)).toBe('9999-12-31T23:59:59.999Z')
  expect(() => formatInstant(Number.NaN)).toThrow(RangeError)
})
