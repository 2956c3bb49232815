import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { LOG_LIMITS, LogBudget, PROCESS_BUDGET, RequestLog } from '../../../src/sandbox/app/request-log.ts'
import { newCall } from '../../../src/sandbox/wire/call.ts'
import { startSandbox } from '../../support/sandbox.ts'

let made = 0

function entry(sizes: { header?: number; body?: number } = {}) {
  const call = newCall<Environment>({
    id: `req_${++made}`,
    receivedAtMs: 0,
    method: 'GET',
    target: '/api/partner/v1/orders',
    rawHeaders: ['X-Long', 'h'.repeat(sizes.header ?? 0)],
    body: Buffer.alloc(sizes.body ?? 0),
    endpoint: 'orders.list',
    params: {},
  })
  return { call, answer: { status: 200, headers: {}, body: '{}' }, worldTimeMs: 0, tookMs: 0, failure: undefined }
}

const KB = 1_000

test.each(['header', 'body'] as const)('a long %s weighs in a log as much as it is long', (part) => {
  const log = new RequestLog({ entries: 1_000, bytes: 100 * KB }, new LogBudget(10_000 * KB))
  for (let i = 0; i < 50; i++) log.add(entry({ [part]: 20 * KB }))
  expect(log.latest()).toHaveLength(4)
})

function logsWith(budget: LogBudget, count: number) {
  return Array.from({ length: count }, () => new RequestLog(LOG_LIMITS, budget))
}

test('a thousand logs keep no more together than their budget, and the quiet ones keep theirs', () => {
  const limit = 5_000 * KB
  const budget = new LogBudget(limit)
  const [busy, ...quiet] = logsWith(budget, 1_000)
  for (const log of quiet) log.add(entry())
  const first = quiet.map((log) => log.latest()[0]?.call.id)
  for (let i = 0; i < 2_000; i++) {
    busy?.add(entry({ body: 5 * KB }))
    expect(budget.bytes).toBeLessThanOrEqual(limit)
  }
  expect(quiet.map((log) => log.latest()[0]?.call.id)).toEqual(first)
  expect(busy?.latest()[0]?.position).toBe(2_000)
  expect(busy?.latest().length).toBeGreaterThan(200)
})

test('where each log has but one call the budget holds all the same, and the latest call is kept', () => {
  const budget = new LogBudget(1_000 * KB)
  const logs = logsWith(budget, 100)
  for (const log of logs) {
    log.add(entry({ body: 100 * KB }))
    expect(log.latest()).toHaveLength(1)
    expect(budget.bytes).toBeLessThanOrEqual(1_000 * KB)
  }
})

test('a log that is emptied gives its share back', () => {
  const budget = new LogBudget(1_000 * KB)
  const [one, other] = logsWith(budget, 2)
  one?.add(entry({ body: 100 * KB }))
  other?.add(entry())
  const before = budget.bytes
  one?.clear()
  expect(budget.bytes).toBeLessThan(before - 100 * KB)
  other?.clear()
  expect(budget.bytes).toBe(0)
})

test('a call that was dropped keeps no memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const log = new RequestLog({ entries: 10, bytes: 100 * KB }, new LogBudget(10_000 * KB))
  const dropped = Array.from({ length: 20 }, () => new WeakRef(log.add(entry()).call)).slice(0, 10)
  // A weak reference holds until the turn in which it was made has ended.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(dropped.filter((call) => call.deref() !== undefined)).toHaveLength(0)
  expect(log.latest()).toHaveLength(10)
})

test('a world that is reset or deleted gives its share back', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: made } = await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 0 })
  const { key_id, secret } = made.credentials[0]
  const call = () => sandbox.call({ path: '/orders', headers: { 'X-Partner-Key-Id': key_id }, signs: { secret } })
  const before = PROCESS_BUDGET.bytes
  const ends = [
    () => sandbox.operate('POST', '/v1/worlds/other/reset', {}),
    () => sandbox.operate('DELETE', '/v1/worlds/other'),
  ]
  for (const end of ends) {
    await call()
    expect(PROCESS_BUDGET.bytes).toBeGreaterThan(before)
    await end()
    expect(PROCESS_BUDGET.bytes).toBe(before)
  }
})
