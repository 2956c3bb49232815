import { expect, test } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { RateWindow } from '../../../src/sandbox/kernel/world.ts'
import { startSandbox } from '../../support/sandbox.ts'

const limit = { requests: 3, seconds: 10 }

test('lets exactly as many calls through as the limit says within any stretch of its seconds', () => {
  const window = new RateWindow()
  expect([0, 4_000, 9_000].map((nowMs) => window.admit(nowMs, limit))).toEqual([0, 0, 0])
  expect(window.admit(9_999, limit)).toBe(1)
  expect(window.admit(10_000, limit)).toBe(0)
  expect(window.admit(10_001, limit)).toBe(4)
})

test('waiting as long as it says is enough', () => {
  const window = new RateWindow()
  for (const nowMs of [0, 1, 2]) window.admit(nowMs, limit)
  const waitSeconds = window.admit(5_500, limit)
  expect(waitSeconds).toBe(5)
  expect(window.admit(5_500 + waitSeconds * 1_000, limit)).toBe(0)
})

test('a refused call does not prolong the wait', () => {
  const window = new RateWindow()
  for (const nowMs of [0, 0, 0, 1, 2, 3]) window.admit(nowMs, limit)
  expect(window.admit(10_000, limit)).toBe(0)
})

test('a limit that was lowered meanwhile makes the latest calls count', () => {
  const window = new RateWindow()
  for (const nowMs of [0, 1_000, 2_000]) window.admit(nowMs, limit)
  expect(window.admit(3_000, { requests: 1, seconds: 10 })).toBe(9)
})

test('a refusal counts one call and one second as one, and more as more', async () => {
  // No time passes for the limit, however slow the machine is.
  const wall = { ...wallClock, monotonicMs: () => 0 }
  const messageUnder = async (rateLimit: { requests: number; seconds: number }) => {
    const sandbox = await startSandbox({ inventory: 0, rateLimit, wall })
    for (let call = 1; call <= rateLimit.requests; call++) await sandbox.call({ path: '/orders' })
    const { status, json } = await sandbox.call({ path: '/orders' })
    expect(status).toBe(429)
    return json.message
  }
  expect(await messageUnder({ requests: 1, seconds: 1 })).toBe(
    'more than 1 call in 1 second; wait 1 second and sign again',
  )
  expect(await messageUnder({ requests: 2, seconds: 60 })).toBe(
    'more than 2 calls in 60 seconds; wait 60 seconds and sign again',
  )
})
