import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

interface Handed {
  name: string
  key_id: string
  secret: string
}

const statusFor = async (sandbox: TestSandbox, as: Handed, path: string) => (await sandbox.call({ as, path })).status

test('a new world comes with credentials of its own, which work at the same address', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', {
    name: 'ci-42',
    seed: 'ci',
    inventory: 3,
    clock: '2030-01-01',
    frozen: true,
  })
  expect(status).toBe(201)
  expect(json).toMatchObject({
    world: 'ci-42',
    seed: 'ci',
    inventory: 3,
    mode: 'frozen',
    now: '2030-01-01T00:00:00.000Z',
  })
  expect(json.credentials).toHaveLength(sandbox.credentials.length)
  const main = json.credentials.find((credential: Handed) => credential.name === 'main')
  expect([main.key_id, main.secret]).toEqual([
    expect.stringMatching(/^pk_sandbox_/),
    expect.stringMatching(/^sk_sandbox_/),
  ])
  expect(main.secret).not.toBe(sandbox.credentials[0]?.secret)
  expect(await statusFor(sandbox, main, '/orders')).toBe(200)

  await sandbox.sell()
  expect((await sandbox.operate('GET', '/v1/worlds/ci-42/orders')).json.orders).toEqual([])
  expect((await sandbox.operate('GET', '/v1/worlds/default/orders')).json.orders).toHaveLength(1)
})

test('a world without a name gets one, and the defaults of the server', async () => {
  const sandbox = await startSandbox({ seed: 'of-the-server', inventory: 7 })
  const [one, two] = [await sandbox.operate('POST', '/v1/worlds', {}), await sandbox.operate('POST', '/v1/worlds', {})]
  expect(one.json).toMatchObject({ seed: 'of-the-server', inventory: 7, mode: 'running' })
  expect(one.json.world).toMatch(/^world-[0-9a-z]{12}$/)
  expect(two.json.world).not.toBe(one.json.world)
})

test('the same seed gives the same inventory in another world', async () => {
  const sandbox = await startSandbox()
  for (const name of ['a', 'b']) await sandbox.operate('POST', '/v1/worlds', { name, seed: 'twin', inventory: 20 })
  const [a, b] = await Promise.all(
    ['a', 'b'].map((name) => sandbox.operate('GET', `/v1/worlds/${name}/domains?limit=20`)),
  )
  expect(a?.json.domains.length).toBeGreaterThan(0)
  expect(b?.text).toBe(a?.text)
})

test('lists and single worlds show no secret', async () => {
  const sandbox = await startSandbox()
  const { json: made } = await sandbox.operate('POST', '/v1/worlds', { name: 'quiet' })
  const list = await sandbox.operate('GET', '/v1/worlds')
  const one = await sandbox.operate('GET', '/v1/worlds/quiet')
  expect(list.json.worlds.map((world: { world: string }) => world.world)).toEqual(['default', 'quiet'])
  expect(one.json.credentials.map((credential: Handed) => credential.key_id)).toEqual(
    made.credentials.map((credential: Handed) => credential.key_id),
  )
  for (const { text } of [list, one]) expect(text).not.toContain('sk_')
})

test('a world that cannot be is refused, and none is made', async () => {
  const sandbox = await startSandbox()
  for (const [body, wanted] of [
    [{ name: 'default' }, 409],
    [{ name: '' }, 400],
    [{ name: '../../etc/passwd' }, 400],
    [{ name: 'UPPER' }, 400],
    [{ name: 'a/b' }, 400],
    [{ name: '.hidden' }, 400],
    [{ name: 'x'.repeat(65) }, 400],
    [{ name: 7 }, 400],
    [{ inventory: -1 }, 400],
    [{ inventory: 1.5 }, 400],
    [{ inventory: '5' }, 400],
    [{ clock: '1969-12-31' }, 400],
    [{ clock: '+275760-09-13T00:00:00Z' }, 400],
    [{ clock: 'NaN' }, 400],
    [{ frozen: 'yes' }, 400],
    [{ seed: '' }, 400],
    [{ gaps: 7 }, 400],
    ['{"name":"a","name":"b"}', 400],
    ['{"__proto__":{}}', 400],
    ['[]', 400],
    ['{', 400],
    ['{"seed":"\\ud800"}', 400],
    [Buffer.from([0x7b, 0xff, 0x7d]), 400],
    [`${'['.repeat(40)}${']'.repeat(40)}`, 400],
    [{ seed: 'x'.repeat(1_100_000) }, 413],
  ] as const) {
    const { status, json, headers } = await sandbox.operate('POST', '/v1/worlds', body)
    expect([status, json.status, typeof json.detail]).toEqual([wanted, wanted, 'string'])
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  }
  expect((await sandbox.operate('GET', '/v1/worlds')).json.worlds).toHaveLength(1)
})

test('a deleted world is gone, and its credentials open nothing any more', async () => {
  const sandbox = await startSandbox()
  const { json } = await sandbox.operate('POST', '/v1/worlds', { name: 'brief' })
  const [main] = json.credentials
  const gone = await sandbox.operate('DELETE', '/v1/worlds/brief')
  expect([gone.status, gone.text]).toEqual([204, ''])
  expect((await sandbox.operate('GET', '/v1/worlds/brief')).status).toBe(404)
  expect((await sandbox.operate('DELETE', '/v1/worlds/brief')).status).toBe(404)
  expect(await statusFor(sandbox, main, '/orders')).toBe(401)
})

test('the default world cannot be deleted', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.operate('DELETE', '/v1/worlds/default')).status).toBe(409)
  expect((await sandbox.call({ path: '/orders' })).status).toBe(200)
})

test('a reset takes a world back to its seed and start; its credentials stay', async () => {
  const clockMs = Date.UTC(2026, 0, 15, 12)
  const sandbox = await startSandbox({ clockMs, frozen: true })
  const before = (await sandbox.operate('GET', '/v1/worlds/default/domains?limit=20')).text
  await sandbox.sell()
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '30d' })
  const { status, json } = await sandbox.operate('POST', '/v1/worlds/default/reset', {})
  expect([status, json.world, json.now]).toEqual([200, 'default', '2026-01-15T12:00:00.000Z'])
  expect((await sandbox.operate('GET', '/v1/worlds/default/orders')).json.orders).toEqual([])
  expect((await sandbox.operate('GET', '/v1/worlds/default/events')).json.events).toEqual([])
  expect((await sandbox.operate('GET', '/v1/worlds/default/domains?limit=20')).text).toBe(before)
  expect((await sandbox.call({ path: '/orders' })).status).toBe(200)
})

test('everything of an unknown world is 404', async () => {
  const sandbox = await startSandbox()
  for (const path of ['', '/clock', '/orders', '/domains', '/requests', '/events', '/orders/ord_x']) {
    for (const name of ['nowhere', '__proto__', 'constructor', '%2e%2e', '..%2fdefault', 'default%00']) {
      expect([name, path, (await sandbox.operate('GET', `/v1/worlds/${name}${path}`)).status]).toEqual([
        name,
        path,
        404,
      ])
    }
  }
})

test('a summary counts orders, deliveries and refused calls, and says what is due next of each kind', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const { json: order } = await sandbox.sell()
  await sandbox.sell()
  await sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/hold`, {})
  await sandbox.call({ path: '/balance', signs: { secret: 'wrong' } })
  const { json: clock } = await sandbox.operate('GET', '/v1/worlds/default/clock')
  const { json, status } = await sandbox.operate('GET', '/v1/worlds/default/summary')
  expect(status).toBe(200)
  expect(json).toMatchObject({
    orders: { MANUAL_REVIEW: 1, EXTERNALLY_PAID: 1 },
    checkout_sessions: {},
    cases: {},
    deliveries: {},
    requests: { logged: 5, refused: 1 },
  })
  const [first] = json.due
  expect({ at: first.at, kind: first.kind, id: first.id }).toEqual(clock.next)
  expect(first.count).toBe(2)
})
