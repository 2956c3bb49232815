import { expect, it } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { noteWorldTime, UNKNOWN_CLOCK } from '../../src/conformance/context/run.ts'

const HOUR_MS = 3_600_000
const NOON_MS = Date.UTC(2026, 4, 1, 12)

/** How far ahead the target's records are believed to be, after things were created at these times. */
function advancedBy(...createdAt: unknown[]): number {
  const run = { wall: { ...wallClock, nowMs: () => NOON_MS }, clock: { ...UNKNOWN_CLOCK } }
  for (const at of createdAt) noteWorldTime(run, at)
  return run.clock.advancedMs
}

it.each([
  ['text', '2026-05-31T12:00:00Z'],
  ['Unix seconds', NOON_MS / 1000 + 30 * 86_400],
  ['Unix milliseconds', NOON_MS + 30 * 24 * HOUR_MS],
])('what is created in the days to come tells that an earlier run moved the time, as %s', (_form, at) => {
  expect(advancedBy(at)).toBe(30 * 24 * HOUR_MS)
})

it('local time of any zone, the past and what is no time move nothing', () => {
  expect(advancedBy('2026-05-02T02:00:00Z')).toBe(0)
  expect(advancedBy('2020-01-01T00:00:00Z')).toBe(0)
  expect(advancedBy('soon', null, Number.NaN)).toBe(0)
})

it('what is created further ahead later tells that another user has moved the time meanwhile', () => {
  expect(advancedBy('soon', '2026-05-03T12:00:00Z', '2026-05-03T13:00:00Z')).toBe(48 * HOUR_MS)
  expect(advancedBy('2026-05-01T12:00:00Z', '2026-06-01T12:00:00Z')).toBe(31 * 24 * HOUR_MS)
})

it('only what was moved before the first such time was moved before the run', () => {
  const run = { wall: { ...wallClock, nowMs: () => NOON_MS }, clock: { ...UNKNOWN_CLOCK, startedAtMs: NOON_MS } }
  for (const at of ['2026-05-03T12:00:00Z', '2026-06-01T12:00:00Z']) noteWorldTime(run, at)
  expect(run.clock.startedAtMs).toBe(NOON_MS + 48 * HOUR_MS)
})
