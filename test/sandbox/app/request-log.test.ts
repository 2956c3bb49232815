import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { RequestLog } from '../../../src/sandbox/app/log.ts'
import { newCall } from '../../../src/sandbox/wire/call.ts'

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
  const log = new RequestLog({ entries: 1_000, bytes: 100 * KB })
  for (let i = 0; i < 50; i++) log.add(entry({ [part]: 20 * KB }))
  expect(log.latest()).toHaveLength(4)
})

test('the latest calls are kept, newest first, under positions that are never given twice', () => {
  const log = new RequestLog({ entries: 3, bytes: 100 * KB })
  const ids = Array.from({ length: 8 }, () => log.add(entry()).call.id)
  expect(log.latest().map(({ call, position }) => [call.id, position])).toEqual([
    [ids[7], 8],
    [ids[6], 7],
    [ids[5], 6],
  ])
  expect([log.entries, log.position]).toEqual([3, 8])
  expect([log.find(ids[5] as string)?.position, log.find(ids[4] as string)]).toEqual([6, null])
  log.clear()
  expect([log.latest(), log.entries, log.position]).toEqual([[], 0, 8])
  expect(log.add(entry()).position).toBe(9)
  expect(log.latest()).toHaveLength(1)
})

test('the latest call is kept, however large it is', () => {
  const log = new RequestLog({ entries: 10, bytes: 100 * KB })
  log.add(entry())
  log.add(entry({ body: 1_000 * KB }))
  expect(log.latest().map(({ position }) => position)).toEqual([2])
  for (let i = 0; i < 3; i++) log.add(entry())
  expect(log.latest().map(({ position }) => position)).toEqual([5, 4, 3])
})

test('a call that was dropped keeps no memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const log = new RequestLog({ entries: 10, bytes: 100 * KB })
  const dropped = Array.from({ length: 20 }, () => new WeakRef(log.add(entry()).call)).slice(0, 10)
  // A weak reference holds until the turn in which it was made has ended.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(dropped.filter((call) => call.deref() !== undefined)).toHaveLength(0)
  expect(log.latest()).toHaveLength(10)
})
