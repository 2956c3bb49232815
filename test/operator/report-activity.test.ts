import { expect, test } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import type { Activity } from '../../src/server.ts'
import { register } from '../support/hooks.ts'
import { startSandbox } from '../support/sandbox.ts'

test('whoever runs a server is told why calls are refused, and of a flood only how many there were', async () => {
  const told: Activity[] = []
  const waiting: (() => void)[] = []
  const sandbox = await startSandbox({
    onActivity: (activity) => {
      if (activity.kind !== 'refusal') return
      told.push(activity)
      waiting.shift()?.()
    },
  })
  const next = new Promise<void>((resolve) => waiting.push(resolve))
  const main = sandbox.credentials[0] as { key_id: string; secret: string }
  const answer = await sandbox.call({ path: '/orders?limit=1', signs: { secret: main.key_id } })
  await sandbox.call({ path: '/orders' })
  await next
  expect(told).toEqual([
    {
      kind: 'refusal',
      requestId: answer.headers['x-request-id'],
      world: 'default',
      method: 'GET',
      path: '/api/partner/v1/orders',
      sentence: 'The key id was used as the secret.',
      skipped: 0,
      skippedIn: [],
    },
  ])
  for (let i = 0; i < 12; i++) await sandbox.call({ path: '/orders', headers: { 'X-Partner-Key-Id': main.secret } })
  expect(told.length).toBeLessThan(13)
  expect(JSON.stringify(told)).not.toContain(main.secret)
})

test('a large call is not explained while others wait, only counted; an unknown path is explained', async () => {
  const told: Activity[] = []
  let next: () => void = () => {}
  const sandbox = await startSandbox({
    onActivity: (activity) => {
      if (activity.kind !== 'refusal') return
      told.push(activity)
      next()
    },
  })
  const heard = new Promise<void>((resolve) => {
    next = resolve
  })
  const signs = { secret: 'sk_sandbox_wrong' }
  await sandbox.call({ path: '/quotes', body: 'x'.repeat(20_000), signs })
  await sandbox.call({ path: `/orders?${'a=1&'.repeat(1_000)}`, signs })
  await sandbox.call({ method: 'DELETE', path: '/orders' })
  await heard
  expect(told).toMatchObject([{ skipped: 2, method: 'DELETE', sentence: expect.stringContaining('did you mean') }])
})

test('calls and attempts of deliveries are reported, of a flood only the beginning', async () => {
  const told: Activity[] = []
  const waiting: (() => void)[] = []
  const sandbox = await startSandbox({
    onActivity: (activity) => {
      told.push(activity)
      if (activity.kind === 'delivery') waiting.shift()?.()
    },
  })
  const attempted = new Promise<void>((resolve) => waiting.push(resolve))
  // Nobody listens there.
  await register(sandbox, 'http://127.0.0.1:9/hooks')
  await sandbox.sell()
  await attempted
  expect(told).toContainEqual(expect.objectContaining({ kind: 'call', method: 'POST', status: 201, code: null }))
  expect(told.find(({ kind }) => kind === 'delivery')).toMatchObject({
    world: 'default',
    type: 'order.recorded',
    attempt: 1,
    status: null,
    nextInMs: expect.any(Number),
  })
  for (let i = 0; i < 40; i++) await sandbox.call({ path: '/orders?limit=1' })
  expect(told.filter(({ kind }) => kind === 'call').length).toBeLessThan(43)
})

test('of a flood, refused calls are reported after accepted ones no longer are, and what was left out without another call', async () => {
  const statuses: number[] = []
  let leftOut = 0
  const worlds = new Set<string>()
  let whole: () => void = () => {}
  const accountedFor = new Promise<void>((resolve) => {
    whole = resolve
  })
  // All calls come within one second of this clock.
  const wall = { ...wallClock, monotonicMs: () => 0 }
  const sandbox = await startSandbox({
    wall,
    onActivity: (activity) => {
      if (activity.kind === 'call') statuses.push(activity.status)
      else if (activity.kind !== 'skipped' || activity.of !== 'call') return
      leftOut += activity.skipped
      for (const world of activity.skippedIn) worlds.add(world)
      if (statuses.length + leftOut === 47) whole()
    },
  })
  const { json: other } = await sandbox.operate('POST', '/v1/worlds', { name: 'other' })
  for (let i = 0; i < 25; i++)
    await sandbox.call({ path: '/orders?limit=1', ...(i === 23 && { as: other.credentials[0] }) })
  for (let i = 0; i < 22; i++) await sandbox.call({ path: '/orders/none' })
  await accountedFor
  expect([...worlds].sort()).toEqual(['default', 'other'])
  expect(statuses).toEqual([...Array(20).fill(200), ...Array(20).fill(404)])
})
