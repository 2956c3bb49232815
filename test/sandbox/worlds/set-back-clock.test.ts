import { expect, test } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { useNonce } from '../../../src/sandbox/app/checks.ts'
import { RateWindow } from '../../../src/sandbox/kernel/world.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { testWorld } from '../../support/world.ts'

const HOUR_MS = 3_600_000

/** The machine's clock, so many milliseconds wrong. */
function wrongClock(aheadMs = 0) {
  const clock = { ...wallClock, aheadMs, nowMs: () => wallClock.nowMs() + clock.aheadMs }
  return clock
}

test('after a restart with an earlier machine clock, a new quote is not dated before an older one', async () => {
  const dataDir = tempFolder()
  const quotedAt = async (aheadMs: number, domain: string) => {
    const wall = wrongClock(aheadMs)
    const sandbox = await startSandbox({ dataDir, wall })
    const { json } = await sandbox.call({
      path: '/quotes',
      body: { domain },
      timestamp: String(Math.floor(wall.nowMs() / 1_000)),
    })
    await sandbox.close()
    return Date.parse(json.created_at)
  }
  const before = await quotedAt(HOUR_MS, 'stalls-1.test')
  expect(await quotedAt(0, 'stalls-2.test')).toBeGreaterThanOrEqual(before)
})

test('the rate limit does not depend on how the machine clock is set', async () => {
  const wall = wrongClock()
  const sandbox = await startSandbox({ inventory: 0, rateLimit: { requests: 4, seconds: 600 }, wall })
  const call = () => sandbox.call({ path: '/orders', timestamp: String(Math.floor(wall.nowMs() / 1_000)) })
  const statuses: number[] = []
  for (const aheadMs of [0, 0, -HOUR_MS, HOUR_MS]) {
    wall.aheadMs = aheadMs
    statuses.push((await call()).status)
  }
  wall.aheadMs = -HOUR_MS
  const refused = await call()
  expect([...statuses, refused.status]).toEqual([200, 200, 200, 200, 429])
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600)
})

test('a window of the rate limit that lies in the future begins again', () => {
  const window = new RateWindow()
  const limit = { requests: 2, seconds: 10 }
  expect([9_000_000, 9_000_001, 0, 1].map((nowMs) => window.admit(nowMs, limit))).toEqual([0, 0, 0, 0])
  expect(window.admit(2, limit)).toBe(10)
})

test('a nonce that was used stays used over a while in which the clock is 1,300 seconds ahead', () => {
  const { db } = testWorld({ inventory: 0 })
  expect(useNonce(db, 1, 'captured', 0)).toBe(true)
  for (let i = 0; i < 2_600; i++) useNonce(db, 1, `later-${i}`, 1_300_000)
  expect(useNonce(db, 1, 'captured', 5_000)).toBe(false)
})

test('a nonce is the same in any form in which it is kept, and only then', () => {
  const { db } = testWorld({ inventory: 0 })
  const uuid = '0a1b2c3d-0a1b-4c3d-8a1b-0a1b2c3d4e5f'
  const others = [uuid.toUpperCase(), uuid.replaceAll('-', ''), `${uuid}-`, Buffer.from(uuid).toString('hex')]
  for (const nonce of [uuid, ...others]) expect(useNonce(db, 1, nonce, 0)).toBe(true)
  for (const nonce of [uuid, ...others]) expect(useNonce(db, 1, nonce, 0)).toBe(false)
  expect(useNonce(db, 2, uuid, 0)).toBe(true)
  // Until it expires, and then once.
  expect([600_000, 600_001, 600_002].map((nowMs) => useNonce(db, 1, uuid, nowMs))).toEqual([false, true, false])
})
