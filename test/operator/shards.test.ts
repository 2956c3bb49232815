import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectSandbox } from '../../src/index.ts'
import type { ServerOptions } from '../../src/server.ts'
import { openSession, visit } from '../support/checkout.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Handed {
  name: string
  key_id: string
  secret: string
}

const SNAPSHOT_TYPE = 'application/vnd.sqlite3'
const FIXED = { inventory: 5, clockMs: Date.UTC(2026, 0, 15), frozen: true } as const

function started(shard: string | null, options: Partial<ServerOptions> = {}): Promise<TestSandbox> {
  return startSandbox({ ...FIXED, shard, ...options })
}

async function snapshotOf(sandbox: TestSandbox, world = 'default'): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(`${sandbox.operator?.url}/v1/worlds/${world}/snapshot`)
  expect(answer.status).toBe(200)
  return new Uint8Array(await answer.arrayBuffer())
}

async function send(sandbox: TestSandbox, method: string, path: string, bytes: Uint8Array<ArrayBuffer>) {
  const headers = { 'content-type': SNAPSHOT_TYPE }
  const answer = await fetch(`${sandbox.operator?.url}/v1/worlds${path}`, { method, headers, body: bytes })
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
  return { status: answer.status, json: (await answer.json()) as any }
}

const isLetIn = async (sandbox: TestSandbox, as: Handed) =>
  (await sandbox.call({ as, path: '/availability?domain=a.test' })).status === 200

function keyIdsOf({ credentials }: { credentials: Handed[] }): string[] {
  return credentials.map(({ key_id }) => key_id)
}

const OF_B = /^pk_sandbox_b_[a-z0-9]+$/

/** Opens a case and a link, and gives every address that leads to a page. */
async function pageAddresses(sandbox: TestSandbox): Promise<{ checkout: string; progress: string; link: string }> {
  const { checkout_url: checkout } = await openSession(sandbox)
  const wanted = { tier: 'managed', buyer_email: 'jo@buyer.example', budget: 100_000 }
  const opened = await sandbox.call({ path: '/brokerage', body: wanted })
  const [listing] = await sandbox.forSale(1)
  const made = await sandbox.call({ path: '/links', body: { kind: 'domain', domain: listing?.domain } })
  return { checkout, progress: opened.json.progress_url, link: made.json.url }
}

test('the label of a shard is in the key ids, the names of worlds and the addresses of pages, which all work', async () => {
  const b = await started('b')
  expect([b.shard, b.world]).toEqual(['b', 'b.default'])
  for (const keyId of keyIdsOf(b)) expect(keyId).toMatch(OF_B)
  const { checkout, progress, link } = await pageAddresses(b)
  expect(checkout).toContain('/checkout?pt=b.')
  expect(progress).toContain('/brokerage/progress?pt=b.')
  expect(link).toContain('/go/b.default/lnk_')
  const visits = await Promise.all([visit(checkout), visit(progress), visit(link)])
  expect(visits.map(({ status }) => status)).toEqual([200, 200, 303])
  expect(visits[2]?.location).toContain('/shop/b.default/lnk_')
  const elsewhere = await Promise.all(['a.', ''].map((label) => visit(checkout.replace('pt=b.', `pt=${label}`))))
  expect(elsewhere.map(({ status }) => status)).toEqual([404, 404])
})

test('a server without a label gives the same ids, and tokens and names without one', async () => {
  const [alone, b] = [await started(null), await started('b')]
  expect(b.credentials.map(({ partner_id }) => partner_id)).toEqual(
    alone.credentials.map(({ partner_id }) => partner_id),
  )
  expect([alone.shard, alone.world, keyIdsOf(alone)[0]]).toEqual([
    ...[null, 'default', expect.stringMatching(/^pk_sandbox_[a-z0-9]+$/)],
  ])
  expect((await pageAddresses(alone)).checkout).toMatch(/\/checkout\?pt=[\w-]+\.[\w-]+$/)
  expect((await alone.sell()).json.public_id).toBe((await b.sell()).json.public_id)
})

test('a world of a shard is found with and without the label, and always named with it', async () => {
  const b = await started('b')
  const made = await b.operate('POST', '/v1/worlds', { name: 'ci', inventory: 1 })
  expect([made.status, made.json.world, made.json.main_key_id]).toEqual([201, 'b.ci', expect.stringMatching(OF_B)])
  for (const name of ['ci', 'b.ci']) {
    expect((await b.operate('GET', `/v1/worlds/${name}`)).json.world).toBe('b.ci')
    expect((await b.operate('POST', '/v1/worlds', { name })).status).toBe(409)
  }
  const copy = await b.operate('POST', '/v1/worlds/ci/fork', { name: 'copy' })
  const unnamed = await b.operate('POST', '/v1/worlds/ci/fork', {})
  expect([copy.json.world, unnamed.json.world]).toEqual(['b.copy', expect.stringMatching(/^b\.ci-/)])
  for (const keyId of [...keyIdsOf(copy.json), ...keyIdsOf(unnamed.json)]) expect(keyId).toMatch(OF_B)
  const further = await b.operate('POST', '/v1/worlds/ci/credentials', { name: 'further', scopes: [] })
  expect([further.status, further.json.key_id]).toEqual([201, expect.stringMatching(OF_B)])
  expect((await b.operate('DELETE', '/v1/worlds/copy')).status).toBe(204)
  expect((await b.operate('GET', '/v1/worlds/b.copy')).status).toBe(404)
  const refused = await b.operate('DELETE', '/v1/worlds/default')
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('b.default')])
})

test('a name has room for 64 characters, the label among them', async () => {
  const b = await started('b')
  const answers = []
  for (const length of [62, 63]) answers.push(await b.operate('POST', '/v1/worlds', { name: 'n'.repeat(length) }))
  expect(answers.map(({ status }) => status)).toEqual([201, 400])
})

test('a world that is imported from another shard gets the label and the keys of its new one', async () => {
  const [alone, a, b] = [await started(null), await started('a'), await started('b')]
  await a.operate('POST', '/v1/worlds', { name: 'moving', inventory: 3 })
  const bytes = await snapshotOf(a, 'moving')
  const there = await send(b, 'POST', '/import', bytes)
  expect([there.status, there.json.world]).toEqual([201, 'b.moving'])
  for (const keyId of keyIdsOf(there.json)) expect(keyId).toMatch(OF_B)
  expect(await isLetIn(b, there.json.credentials[0])).toBe(true)
  const back = await send(a, 'POST', '/import?name=back', await snapshotOf(b, 'moving'))
  expect([back.json.world, back.json.main_key_id]).toEqual(['a.back', expect.stringMatching(/^pk_sandbox_a_/)])
  const free = await send(alone, 'POST', '/import', bytes)
  expect([free.json.world, free.json.main_key_id]).toEqual(['moving', expect.stringMatching(/^pk_sandbox_a_/)])
})

test('a snapshot of another shard is restored with the keys of the world that it is restored into', async () => {
  const [a, b] = [await started('a'), await started('b')]
  const sold = await a.sell()
  const body = { name: 'only-there', scopes: ['search'] }
  expect((await a.operate('POST', '/v1/worlds/default/credentials', body)).status).toBe(201)
  const { status, json } = await send(b, 'PUT', '/b.default/snapshot', await snapshotOf(a))
  expect([status, json.world]).toEqual([200, 'b.default'])
  expect(await isLetIn(b, b.credentials[0] as Handed)).toBe(true)
  expect((await b.call({ path: `/orders/${sold.json.public_id}` })).status).toBe(200)
  const shown = await b.operate('GET', '/v1/worlds/default')
  for (const keyId of keyIdsOf(shown.json)) expect(keyId).toMatch(OF_B)
  expect(shown.json.credentials.map(({ name }: Handed) => name)).toContain('only-there')
  await b.forSale(1) // That name was sold on the other shard.
  expect((await visit((await openSession(b)).checkout_url)).status).toBe(200)
})

test('a data folder opens again under the label that it was made with', async () => {
  const dataDir = tempFolder()
  const first = await started('b', { dataDir })
  await first.operate('POST', '/v1/worlds', { name: 'ci', inventory: 1 })
  const { checkout } = await pageAddresses(first)
  await first.close()
  const again = await started('b', { dataDir })
  expect(keyIdsOf(again)).toEqual(keyIdsOf(first))
  const { json } = await again.operate('GET', '/v1/worlds')
  expect(json.worlds.map(({ world }: { world: string }) => world).sort()).toEqual(['b.ci', 'b.default'])
  expect((await visit(checkout.replace(first.url, again.url))).status).toBe(200)
})

test.each([
  ['b', 'a', 'it is of shard b, and this server of shard a; start it with --shard b, or give another folder'],
  ['b', null, 'it is of shard b, and this server of no shard; start it with --shard b, or give another folder'],
  [null, 'a', 'it is of no shard, and this server of shard a; start it without --shard, or give another folder'],
])('a data folder of shard %s is refused to shard %s, and stays as it is', async (before, now, sentence) => {
  const dataDir = tempFolder()
  const first = await started(before, { dataDir })
  await first.close()
  await expect(started(now, { dataDir })).rejects.toThrow(sentence)
  expect(keyIdsOf(await started(before, { dataDir }))).toEqual(keyIdsOf(first))
})

test('a file of the same shard that was given a name without the label is refused', async () => {
  const dataDir = tempFolder()
  await (await started('b', { dataDir })).close()
  renameSync(join(dataDir, 'b.default.sqlite'), join(dataDir, 'other.sqlite'))
  await expect(started('b', { dataDir })).rejects.toThrow('its file must have a name that begins with "b."')
})

test('a shard tells its clients the common address, and a server that is alone its own', async () => {
  const publicUrl = 'http://127.0.0.1:9'
  const [alone, b] = [await started(null, { publicUrl }), await started('b', { publicUrl })]
  const urls = []
  for (const { operator } of [alone, b]) {
    await using sandbox = await connectSandbox({ url: operator?.url as string })
    urls.push([sandbox.url, sandbox.defaultWorld.name])
  }
  expect(urls).toEqual([
    [alone.url, 'default'],
    [publicUrl, 'b.default'],
  ])
})

test('the default world has the same keys each time, but random ones where other machines call through a proxy', async () => {
  const mainOf = async (options: Partial<ServerOptions>) => {
    const main = (await started(null, options)).credentials[0] as Handed
    return { id: main.key_id.replace('pk_sandbox_b_', 'pk_sandbox_'), secret: main.secret }
  }
  const fixed = await mainOf({})
  for (const publicUrl of ['http://127.0.0.1:9', 'http://localhost', 'http://[::1]:9']) {
    expect(await mainOf({ publicUrl })).toEqual(fixed)
  }
  for (const options of [
    { shard: 'b' },
    { shard: 'b', publicUrl: 'http://127.0.0.1:9' },
    { publicUrl: 'https://sandbox.example.com' },
  ]) {
    const { id, secret } = await mainOf(options)
    expect(id).not.toBe(fixed.id)
    expect(secret).not.toBe(fixed.secret)
  }
})
