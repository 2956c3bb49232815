import { expect, test } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { useNonce } from '../../../src/sandbox/app/authenticate/check-nonce.ts'
import { RateWindow } from '../../../src/sandbox/kernel/rate-window.ts'
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

test('nonces are forgotten once they are old and many', () => {
  const { db } = testWorld({ inventory: 0 })
  db.exec(
    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 104999) INSERT INTO nonces SELECT i, 1, 'old-' || i, 0 FROM n",
  )
  useNonce(db, 1, 'new', 1_300_000)
  expect(db.prepare('SELECT count(*) FROM nonces').pluck().get()).toBe(103_000)
  expect(db.prepare('SELECT min(seq) FROM nonces').pluck().get()).toBe(2_001)
})
