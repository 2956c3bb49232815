import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'

const LIMIT = '/v1/worlds/default/rate-limit'
const READ = { method: 'GET', path: '/api/partner/v1/availability?domain=nowhere.example' } as const

test('a limit of one call holds from the next call on and says how long to wait', async () => {
  const sandbox = await startSandbox()
  const set = await sandbox.operate('PUT', LIMIT, { requests: 1, seconds: 3_600 })
  expect([set.status, set.json]).toEqual([200, { requests: 1, seconds: 3_600 }])
  expect((await sandbox.call(READ)).status).toBe(200)
  const refused = await sandbox.call(READ)
  expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_590)
})

test('a limit of no calls lifts it', async () => {
  const sandbox = await startSandbox()
  await sandbox.operate('PUT', LIMIT, { requests: 1, seconds: 3_600 })
  await sandbox.call(READ)
  const lifted = await sandbox.operate('PUT', LIMIT, { requests: 0, seconds: 1 })
  expect([lifted.status, lifted.json]).toEqual([200, { requests: 0, seconds: 1 }])
  expect((await sandbox.operate('GET', LIMIT)).json).toEqual({ requests: 0, seconds: 1 })
  expect((await sandbox.call(READ)).status).toBe(200)
})

test('a limit that is no limit is 400 and changes nothing', async () => {
  const sandbox = await startSandbox()
  const before = (await sandbox.operate('GET', LIMIT)).json
  for (const body of [{}, { requests: -1, seconds: 1 }, { requests: 1, seconds: 0 }, { requests: 1.5, seconds: 1 }]) {
    expect([body, (await sandbox.operate('PUT', LIMIT, body)).status]).toEqual([body, 400])
  }
  expect((await sandbox.operate('GET', LIMIT)).json).toEqual(before)
})
