import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/clock/duration.ts'
import { parseInstant } from '../../src/clock/instant.ts'

test.for([
  ['10m30s', 630_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['90s', 90_000],
  ['1d2h3m4s', 93_784_000],
  ['PT10M30S', 630_000],
  ['P7D', 604_800_000],
  ['P1DT1H', 90_000_000],
] as const)('%s is %d milliseconds', ([text, ms]) => {
  expect(parseDuration(text)).toBe(ms)
})

test.for(['', '0s', 'P', 'PT', '10', 's', '10 m', '-5m', '1.5h', '5m10h', 'P1W', '1e3s', 'ten minutes'])(
  '%j is no duration',
  (text) => {
    expect(parseDuration(text)).toBeNull()
  },
)

test('a duration is written as it is read', () => {
  expect(formatDuration(630_000)).toBe('10m30s')
  expect(formatDuration(0)).toBe('0s')
  expect(formatDuration(90_061_000)).toBe('1d1h1m1s')
})

test.for(['2026-02-30', '2026-13-01', '2026-1-1', '20260101', '2026-01-01T10:00', 'now', '', '2026-01-01T25:00:00Z'])(
  '%j is no instant',
  (text) => {
    expect(parseInstant(text)).toBeNull()
  },
)

test('a date is midnight UTC and a date-time needs its zone', () => {
  expect(parseInstant('2026-01-31')).toBe(Date.UTC(2026, 0, 31))
  expect(parseInstant('2026-01-31T10:30:00.250+02:00')).toBe(Date.UTC(2026, 0, 31, 8, 30, 0, 250))
  expect(parseInstant('2024-02-29')).toBe(Date.UTC(2024, 1, 29))
})
