import { describe, expect, it } from 'vitest'
import { firstPauseMs, longerPauseMs, looksWithin } from '../../src/conformance/http/pauses.ts'

describe('looking again and again', () => {
  it.each([true, false])('happens at most as often as was announced, on loopback: %s', (loopback) => {
    for (const withinMs of [0, 24, 25, 1_000, 5_000, 30_000]) {
      let looks = 1
      for (let [spentMs, pauseMs] = [0, firstPauseMs(loopback)]; spentMs < withinMs; pauseMs = longerPauseMs(pauseMs)) {
        spentMs += Math.min(pauseMs, withinMs - spentMs)
        looks += 1
      }
      expect(looks).toBeLessThanOrEqual(looksWithin(withinMs, null, loopback))
    }
  })

  it('at a steady pace is a matter of division', () => {
    expect(looksWithin(10_000, 1_000, true)).toBe(12)
  })
})
