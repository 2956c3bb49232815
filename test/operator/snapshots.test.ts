import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSession, visit } from '../support/checkout.ts'
import { rowIn } from '../support/coverage.ts'
import { register } from '../support/hooks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Handed {
  name: string
  key_id: string
  secret: string
}

const TYPE = 'application/vnd.sqlite3'

async function snapshotOf(sandbox: TestSandbox, world = 'default'): Promise<Buffer> {
  const answer = await fetch(`${sandbox.operator?.url}/v1/worlds/${world}/snapshot`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, TYPE])
  return Buffer.from(await answer.arrayBuffer())
}

async function send(sandbox: TestSandbox, method: string, path: string, bytes: Uint8Array, type = TYPE) {
  const answer = await fetch(`${sandbox.operator?.url}/v1/worlds${path}`, {
    method,
    headers: { 'content-type': type },
    body: new Uint8Array(bytes),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
  return { status: answer.status, json: (await answer.json()) as any }
}

const ask = (sandbox: TestSandbox, as: Handed, path: string) => sandbox.call({ as, path })

async function orderIds(sandbox: TestSandbox, world = 'default'): Promise<string[]> {
  const { json } = await sandbox.operate('GET', `/v1/worlds/${world}/orders`)
  return json.orders.map((order: { public_id: string }) => order.public_id)
}

test.each(['in memory', 'in a file'])(
  'a world %s is taken back to its snapshot, and goes on from there',
  async (where) => {
    const dataDir = where === 'in a file' ? tempFolder() : null
    const sandbox = await startSandbox({ inventory: 5, dataDir })
    await sandbox.sell()
    const before = await orderIds(sandbox)
    const bytes = await snapshotOf(sandbox)
    await sandbox.sell()
    await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '30d' })
    const { status, json } = await send(sandbox, 'PUT', '/default/snapshot', bytes)
    expect([status, json.world]).toEqual([200, 'default'])
    expect(await orderIds(sandbox)).toEqual(before)
    expect((await sandbox.operate('GET', '/v1/worlds/default/requests')).json.requests).toEqual([])
    expect((await sandbox.sell()).status).toBe(201)
    expect(await orderIds(sandbox)).toHaveLength(2)
  },
)

test('a snapshot opens in any SQLite, valid and whole', async () => {
  const sandbox = await startSandbox({ inventory: 5, dataDir: tempFolder() })
  await sandbox.sell()
  const file = join(tempFolder(), 'snapshot.sqlite')
  writeFileSync(file, await snapshotOf(sandbox))
  const db = new Database(file, { readonly: true })
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(db.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(db.prepare('SELECT count(*) FROM orders').pluck().get()).toBe(1)
  db.close()
})

test('a snapshot is sent as what it is', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const bytes = await snapshotOf(sandbox)
  expect((await send(sandbox, 'PUT', '/default/snapshot', bytes, 'application/json')).status).toBe(400)
  expect((await send(sandbox, 'PUT', '/default/snapshot', Buffer.from('{}'), 'application/json')).status).toBe(415)
  const octets = await send(sandbox, 'PUT', '/default/snapshot', bytes, 'application/octet-stream')
  expect([octets.status, octets.json.detail]).toEqual([
    415,
    expect.stringContaining('of a snapshot application/vnd.sqlite3'),
  ])
  expect((await send(sandbox, 'POST', '/default/fork', bytes)).status).toBe(415)
  expect((await send(sandbox, 'PUT', '/nowhere/snapshot', bytes)).status).toBe(404)
})

test('a fork answers to keys of its own and has all that was; after that each goes its own way', async () => {
  const sandbox = await startSandbox({ inventory: 5 })
  await sandbox.sell()
  const before = await orderIds(sandbox)
  const { status, json: fork } = await sandbox.operate('POST', '/v1/worlds/default/fork', { name: 'what-if' })
  expect([status, fork.world, fork.credentials.length]).toEqual([201, 'what-if', sandbox.credentials.length])
  expect(await orderIds(sandbox, 'what-if')).toEqual(before)
  await sandbox.operate('POST', `/v1/worlds/what-if/orders/${before[0]}/start-transfer`, {})
  await sandbox.sell()
  const status0 = async (world: string) =>
    (await sandbox.operate('GET', `/v1/worlds/${world}/orders/${before[0]}`)).json.status
  expect([await status0('default'), await status0('what-if')]).toEqual(['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS'])
  expect(await orderIds(sandbox, 'what-if')).toEqual(before)
  expect((await ask(sandbox, fork.credentials[0], '/orders')).json.orders).toHaveLength(1)
})

test('a fork without a name gets one; a taken or impossible one is refused', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const fork = (body: object) => sandbox.operate('POST', '/v1/worlds/default/fork', body)
  expect((await fork({})).json.world).toMatch(/^default-[0-9a-z]{12}$/)
  expect((await fork({ name: 'default' })).status).toBe(409)
  expect((await fork({ name: '../x' })).status).toBe(400)
})

test('a page of the original stays one of the original: the fork has addresses of its own', async () => {
  const sandbox = await startSandbox({ inventory: 5 })
  const session = await openSession(sandbox)
  const opened = await sandbox.call({
    path: '/brokerage',
    body: { tier: 'managed', buyer_email: 'b@example.test', budget: 100_000 },
  })
  const { json: fork } = await sandbox.operate('POST', '/v1/worlds/default/fork', {})
  const copy = await ask(sandbox, fork.credentials[0], `/brokerage/${opened.json.case_id}`)
  const { progress_url: own } = copy.json
  expect(own).not.toBe(opened.json.progress_url)
  for (const url of [own, opened.json.progress_url, session.checkout_url]) expect((await visit(url)).status).toBe(200)
  await sandbox.operate('POST', `/v1/worlds/${fork.world}/checkout-sessions/${session.session_id}/cancel`, {})
  expect((await visit(session.checkout_url)).text).toContain('Pay')
  await sandbox.operate('DELETE', `/v1/worlds/${fork.world}`)
  expect((await visit(own)).status).toBe(404)
  expect((await visit(opened.json.progress_url)).status).toBe(200)
})

test('an imported world keeps its keys where nobody has them, and gets fresh ones where somebody has', async () => {
  const [here, there] = [await startSandbox({ inventory: 5 }), await startSandbox({ inventory: 0 })]
  const { json: made } = await here.operate('POST', '/v1/worlds', { name: 'travels', inventory: 5 })
  const bytes = await snapshotOf(here, 'travels')
  const moved = await send(there, 'POST', '/import', bytes)
  expect([moved.status, moved.json.world, moved.json.credentials]).toEqual([201, 'travels', made.credentials])
  expect((await ask(there, made.credentials[0], '/orders')).status).toBe(200)
  expect((await send(there, 'POST', '/import', bytes)).status).toBe(409)
  const again = await send(there, 'POST', '/import?name=again', bytes)
  expect(again.status).toBe(201)
  const keyIds = (credentials: Handed[]) => credentials.map(({ key_id }) => key_id)
  expect(keyIds(again.json.credentials).filter((id) => keyIds(made.credentials).includes(id))).toEqual([])
  expect((await ask(there, again.json.credentials[0], '/orders')).status).toBe(200)
})

test('restoring the snapshot of one world into another leaves both with the keys they had', async () => {
  const sandbox = await startSandbox({ inventory: 5 })
  const { json: other } = await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 5 })
  await sandbox.sell()
  expect((await send(sandbox, 'PUT', '/other/snapshot', await snapshotOf(sandbox))).status).toBe(200)
  expect(await orderIds(sandbox, 'other')).toEqual(await orderIds(sandbox))
  expect((await ask(sandbox, other.credentials[0], '/orders')).status).toBe(200)
  expect((await sandbox.sell()).status).toBe(201)
  expect(await orderIds(sandbox, 'other')).toHaveLength(1)
})

test('while the clock of a world is advanced, it is neither saved, restored, copied, reset nor deleted', async () => {
  let letGo = () => {}
  const receiver = await startReceiver((response) => {
    letGo = () => void response.writeHead(200).end()
  })
  const sandbox = await startSandbox({ inventory: 5 })
  await register(sandbox, receiver.url)
  const bytes = await snapshotOf(sandbox)
  await sandbox.operate('PUT', '/v1/worlds/default/clock', { mode: 'frozen' })
  await sandbox.sell()
  const jump = sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '1h' })
  await receiver.has(1)
  const path = '/v1/worlds/default'
  expect((await sandbox.operate('GET', `${path}/snapshot`)).status).toBe(409)
  expect((await send(sandbox, 'PUT', '/default/snapshot', bytes)).status).toBe(409)
  expect((await sandbox.operate('POST', `${path}/fork`, {})).status).toBe(409)
  expect((await sandbox.operate('POST', `${path}/reset`, {})).status).toBe(409)
  letGo()
  expect((await jump).status).toBe(200)
})

test('a restore takes webhooks along: what was pending is sent, what is under way is forgotten', async () => {
  const answered: string[] = []
  let isOpen = false
  const receiver = await startReceiver((response, { json }) => {
    if (!isOpen) return
    answered.push(json.id)
    response.writeHead(200).end()
  })
  const sandbox = await startSandbox({ inventory: 5 })
  await register(sandbox, receiver.url)
  await sandbox.sell()
  await receiver.has(1)
  const bytes = await snapshotOf(sandbox)
  isOpen = true
  expect((await send(sandbox, 'PUT', '/default/snapshot', bytes)).status).toBe(200)
  await receiver.has(2)
  expect(answered).toHaveLength(1)
})

test('with --data, forked, imported and restored worlds are there after a restart, in files of their owner alone', async () => {
  const dataDir = tempFolder()
  const first = await startSandbox({ inventory: 5, dataDir })
  await first.sell()
  const bytes = await snapshotOf(first)
  await first.operate('POST', '/v1/worlds/default/fork', { name: 'forked' })
  await send(first, 'POST', '/import?name=imported', bytes)
  await first.sell()
  await send(first, 'PUT', '/forked/snapshot', await snapshotOf(first))
  await first.operate('POST', '/v1/worlds/imported/reset', {})
  await first.close()
  const files = readdirSync(dataDir)
  expect(files.sort()).toEqual(['default.sqlite', 'forked.sqlite', 'imported.sqlite'])
  for (const file of files) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
  const second = await startSandbox({ inventory: 5, dataDir })
  const counts = await Promise.all(['default', 'forked', 'imported'].map((world) => orderIds(second, world)))
  expect(counts.map(({ length }) => length)).toEqual([2, 2, 0])
})

test('a world whose client has retried is taken back to its snapshot, and keeps what it says of that', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const failing = { path: '/availability?domain=error-1.test' }
  expect((await sandbox.call(failing)).status).toBe(500)
  expect((await sandbox.call(failing)).status).toBe(200)
  const retries = () => rowIn(sandbox, 'retries', 'internal_error')
  const before = await retries()
  expect(before).toMatchObject({ state: 'met' })
  const bytes = await snapshotOf(sandbox)
  expect((await send(sandbox, 'PUT', '/default/snapshot', bytes)).status).toBe(200)
  expect(await retries()).toEqual(before)
})

test('a world whose values this program would never write fails alone, and the terminal names it', async () => {
  const warnings: string[] = []
  const listen = ({ message }: Error) => void warnings.push(message)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  const sandbox = await startSandbox({ inventory: 5 })
  await sandbox.sell()
  const file = join(tempFolder(), 'crafted.sqlite')
  writeFileSync(file, await snapshotOf(sandbox))
  new Database(file).exec('UPDATE orders SET created_at = -9223372036854775808').close()
  expect((await send(sandbox, 'POST', '/import?name=crafted', readFileSync(file))).status).toBe(201)
  expect((await sandbox.operate('GET', '/v1/worlds/crafted/orders?limit=5')).status).toBe(500)
  await expect.poll(() => warnings).toContain('GET /v1/worlds/crafted/orders failed: RangeError: Invalid time value')
  expect(await orderIds(sandbox)).toHaveLength(1)
  expect((await sandbox.sell()).status).toBe(201)
  expect((await sandbox.operate('DELETE', '/v1/worlds/crafted')).status).toBe(204)
})
