import { expect, test } from 'vitest'
import { WorldClock } from '../../src/clock/world-clock.ts'
import { setWall, TEST_NOW_MS } from '../support/world.ts'

test('a running clock ticks with the machine at its own distance', () => {
  const wall = setWall()
  const clock = new WorldClock(wall, { mode: 'running', offsetMs: 60_000 })
  wall.setMs(TEST_NOW_MS + 5)
  expect(clock.nowMs()).toBe(TEST_NOW_MS + 60_005)
})

test('a frozen clock stands still until it is moved', () => {
  const wall = setWall()
  const clock = new WorldClock(wall, { mode: 'frozen', atMs: 1_000 })
  wall.setMs(TEST_NOW_MS + 9_999)
  expect(clock.nowMs()).toBe(1_000)
  clock.moveTo(2_000)
  expect(clock.nowMs()).toBe(2_000)
})

test('a clock never goes back, also where the machine’s does', () => {
  const wall = setWall()
  const clock = new WorldClock(wall, { mode: 'running', offsetMs: 0 })
  const before = clock.nowMs()
  wall.setMs(TEST_NOW_MS - 3_600_000)
  expect(clock.nowMs()).toBe(before)
  expect(() => clock.moveTo(before - 1)).toThrow('a world’s clock moves forward only')
})

test('a clock ends with the year 9999', () => {
  const clock = new WorldClock(setWall(), { mode: 'frozen', atMs: 0 })
  expect(() => clock.moveTo(Date.UTC(10_000, 0, 1))).toThrow('a world’s clock ends with the year 9999')
})

test('changing between running and frozen keeps the instant', () => {
  const wall = setWall()
  const clock = new WorldClock(wall, { mode: 'running', offsetMs: 7 })
  clock.setMode('frozen')
  wall.setMs(TEST_NOW_MS + 1_000)
  expect(clock.nowMs()).toBe(TEST_NOW_MS + 7)
  clock.setMode('running')
  wall.setMs(TEST_NOW_MS + 1_500)
  expect(clock.nowMs()).toBe(TEST_NOW_MS + 507)
})
