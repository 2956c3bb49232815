import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile()

const CREDENTIALS = '/v1/worlds/default/credentials'

interface Keys {
  key_id: string
  secret: string
}

const ORDERS = '/orders'
const PRICING = '/pricing?domain=stalls-1.test'

/** A call by whichever keys. */
const callAs = (sandbox: TestSandbox, as: Keys, path: string, body?: object) =>
  sandbox.call({ as, path, ...(body && { body, key: randomUUID() }) })

function keysOf(sandbox: TestSandbox, name: string): Keys {
  return sandbox.credentials.find((member) => member.name === name) as Keys
}

async function create(sandbox: TestSandbox, wanted: object) {
  const made = await sandbox.operate('POST', CREDENTIALS, wanted)
  expect(made.status).toBe(201)
  return made.json as Keys & { partner_id: string }
}

test('a new credential works at once, with its scopes and no others, and its secret is shown only now', async () => {
  const sandbox = await startSandbox()
  const made = await create(sandbox, { name: 'ci', scopes: ['search', 'search'] })
  expect(made).toEqual({
    name: 'ci',
    key_id: expect.stringMatching(/^pk_sandbox_[0-9a-z]{32}$/),
    secret: expect.stringMatching(/^sk_sandbox_[0-9a-z]{32}$/),
    scopes: ['search'],
    partner_id: sandbox.credentials[0]?.partner_id,
    affiliate: true,
    merchant_of_record: true,
  })
  expect((await callAs(sandbox, made, PRICING)).status).toBe(200)
  expect((await callAs(sandbox, made, '/events')).json.code).toBe('forbidden')
  const listed = await sandbox.operate('GET', CREDENTIALS)
  const { secret, ...shown } = made
  expect(listed.json.credentials.at(-1)).toEqual({ ...shown, revoked: false })
  expect(listed.text).not.toContain('sk_')
  expect(listed.text).not.toContain(secret)
})

test('partners: the main one, the other, one that did not exist, and any by its id', async () => {
  const sandbox = await startSandbox()
  const [main, other] = ['main', 'other-partner'].map((name) => sandbox.credentials.find((c) => c.name === name))
  const one = (name: string, who: object) => create(sandbox, { name, scopes: ['buy', 'search'], ...who })
  expect((await one('a', { partner: 'main' })).partner_id).toBe(main?.partner_id)
  expect((await one('b', { partner: 'other' })).partner_id).toBe(other?.partner_id)
  const fresh = await one('c', { partner: 'new' })
  expect([main?.partner_id, other?.partner_id]).not.toContain(fresh.partner_id)
  const another = await one('d', { partner: 'new' })
  expect(another.partner_id).not.toBe(fresh.partner_id)
  const sibling = await one('e', { partner_id: fresh.partner_id })

  const { json: pricing } = await callAs(sandbox, fresh, PRICING)
  const order = { domain: 'stalls-1.test', expected_price: pricing.buy_now_price_cents, currency: 'USD' }
  const sold = await callAs(sandbox, fresh, ORDERS, { ...order, buyer: { email: 'b@example.test' } })
  expect(sold.status).toBe(201)
  const seen = async (keys: Keys) => (await callAs(sandbox, keys, ORDERS)).json.orders.length
  expect([await seen(fresh), await seen(sibling), await seen(another), await seen(keysOf(sandbox, 'main'))]).toEqual([
    1, 1, 0, 0,
  ])
})

test('scopes, affiliate, merchant of record and revocation change from the next call on', async () => {
  const sandbox = await startSandbox()
  const keys = keysOf(sandbox, 'main')
  const change = (changes: object) => sandbox.operate('PATCH', `${CREDENTIALS}/${keys.key_id}`, changes)
  const codeOf = async (target: string, body?: object) => (await callAs(sandbox, keys, target, body)).json.code
  expect((await change({ scopes: ['buy', 'refer'] })).json).toMatchObject({ scopes: ['buy', 'refer'], revoked: false })
  expect(await codeOf(PRICING)).toBe('forbidden')
  await change({ scopes: ['search', 'buy', 'refer'], affiliate: false, merchant_of_record: false })
  expect(await codeOf(PRICING)).toBeUndefined()
  expect(await codeOf('/links')).toBe('forbidden')
  expect(await codeOf(ORDERS, { domain: 'stalls-1.test' })).toBe('forbidden')
  await change({ revoked: true })
  expect(await codeOf(PRICING)).toBe('invalid_signature')
  await change({ revoked: false, affiliate: true })
  expect(await codeOf('/links')).toBeUndefined()
})

test('a rotated secret replaces the old one', async () => {
  const sandbox = await startSandbox()
  const old = keysOf(sandbox, 'main')
  const rotated = await sandbox.operate('POST', `${CREDENTIALS}/${old.key_id}/rotate`, {})
  expect([rotated.status, rotated.json.key_id]).toEqual([201, old.key_id])
  expect((await callAs(sandbox, old, PRICING)).json.code).toBe('invalid_signature')
  expect((await callAs(sandbox, rotated.json, PRICING)).status).toBe(200)
})

test('a deleted credential is unknown; its orders stay its partner’s, whose settlement goes on and whose books balance', async () => {
  const sandbox = await startSandbox()
  const gone = await create(sandbox, { name: 'gone', scopes: ['search', 'buy'], partner: 'new' })
  const { json: pricing } = await callAs(sandbox, gone, PRICING)
  const order = { domain: 'stalls-1.test', expected_price: pricing.buy_now_price_cents, currency: 'USD' }
  const { json: sold } = await callAs(sandbox, gone, ORDERS, { ...order, buyer: { email: 'b@example.test' } })
  await sandbox.operate('POST', '/v1/worlds/default/faults', { match: { credential: 'gone' }, effect: { status: 500 } })
  const removed = await sandbox.operate('DELETE', `${CREDENTIALS}/${gone.key_id}`)
  expect([removed.status, removed.text]).toEqual([204, ''])

  expect((await callAs(sandbox, gone, PRICING)).json.code).toBe('invalid_signature')
  expect((await sandbox.operate('DELETE', `${CREDENTIALS}/${gone.key_id}`)).status).toBe(404)
  expect((await sandbox.operate('GET', CREDENTIALS)).text).not.toContain(gone.key_id)
  expect((await sandbox.operate('GET', '/v1/worlds/default/faults')).json).toEqual({ faults: [] })

  const orders = '/v1/worlds/default/orders'
  expect((await sandbox.operate('GET', orders)).json.orders).toHaveLength(1)
  for (const step of ['start-transfer', 'complete-transfer'])
    await sandbox.operate('POST', `${orders}/${sold.public_id}/${step}`, {})
  await sandbox.operate('POST', '/v1/worlds/default/settlement-runs', {})
  expect((await sandbox.operate('GET', '/v1/worlds/default/audit')).json.problems ?? []).toEqual([])
  const back = await create(sandbox, { name: 'gone', scopes: ['buy'], partner_id: gone.partner_id })
  expect((await callAs(sandbox, back, '/settlements')).json.settlements).toHaveLength(1)
})

test('credentials and their changes survive a reset of their world', async () => {
  const sandbox = await startSandbox()
  const made = await create(sandbox, { name: 'ci', scopes: ['search'] })
  await sandbox.operate('PATCH', `${CREDENTIALS}/${keysOf(sandbox, 'main').key_id}`, { scopes: [] })
  await sandbox.operate('DELETE', `${CREDENTIALS}/${keysOf(sandbox, 'only-search').key_id}`)
  await sandbox.operate('POST', '/v1/worlds/default/reset', {})
  expect((await callAs(sandbox, made, PRICING)).status).toBe(200)
  expect((await callAs(sandbox, keysOf(sandbox, 'main'), PRICING)).json.code).toBe('forbidden')
  expect((await callAs(sandbox, keysOf(sandbox, 'only-search'), PRICING)).json.code).toBe('invalid_signature')
})

test.each([
  [{ scopes: ['search'] }, 400, 'name is required'],
  [{ name: 'x' }, 400, 'scopes is required'],
  [{ name: 'x', scopes: ['all'] }, 400, 'scopes.0 must be one of search, embed'],
  [{ name: 'main', scopes: [] }, 409, 'there is a credential called main already'],
  [{ name: ' ', scopes: [] }, 400, 'name must be one line'],
  [{ name: 'x', scopes: [], partner: 'third' }, 400, 'partner must be one of main, other, new'],
  [{ name: 'x', scopes: [], partner_id: 'ptr_0' }, 400, 'no such partner in this world: ptr_0'],
  [{ name: 'x', scopes: [], partner: 'new', partner_id: 'ptr_0' }, 400, 'give one'],
  [{ name: 'x', scopes: [], secret: 'sk_sandbox_mine' }, 400, 'unknown field secret'],
])('refuses the new credential %j', async (wanted, status, says) => {
  const sandbox = shared
  const refused = await sandbox.operate('POST', CREDENTIALS, wanted)
  expect([refused.status, refused.json.detail]).toEqual([status, expect.stringContaining(says)])
  expect((await sandbox.operate('GET', CREDENTIALS)).json.credentials).toHaveLength(sandbox.credentials.length)
})
