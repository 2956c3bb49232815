import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const DAMAGES: Record<string, (file: string) => void> = {
  'of which not a byte is left': (file) => writeFileSync(file, Buffer.alloc(9_000, 0xab)),
  'that is empty': (file) => writeFileSync(file, ''),
  'torn in the middle': (file) => writeFileSync(file, Buffer.from(readFileSync(file)).fill(0xab, 8_192, 40_960)),
  'with a value that no world has': (file) => changed(file, "UPDATE orders SET buyer = 'x'"),
  'with a table more': (file) => changed(file, 'CREATE TABLE t (a)'),
  'without facts': (file) => changed(file, 'DELETE FROM meta'),
}

function changed(file: string, sql: string): void {
  new Database(file).exec(sql).close()
}

/** A folder with a sound world and a damaged one, and a snapshot from before the damage. */
async function damagedFolder(damaged: string, damage: (file: string) => void) {
  const dataDir = tempFolder()
  const first = await startSandbox({ inventory: 5, dataDir })
  await first.operate('POST', '/v1/worlds', { name: 'other', inventory: 5 })
  await first.sell()
  const answer = await fetch(`${first.operator?.url}/v1/worlds/default/snapshot`)
  const snapshot = Buffer.from(await answer.arrayBuffer())
  await fetch(`${first.operator?.url}/v1/worlds/other/snapshot`, restoring(snapshot))
  await first.close()
  damage(join(dataDir, `${damaged}.sqlite`))
  return { dataDir, snapshot, sandbox: await startSandbox({ inventory: 5, dataDir }) }
}

function restoring(bytes: Buffer): RequestInit {
  return { method: 'PUT', headers: { 'content-type': 'application/vnd.sqlite3' }, body: new Uint8Array(bytes) }
}

async function problemsOf(sandbox: TestSandbox): Promise<Record<string, boolean>> {
  const { json } = await sandbox.operate('GET', '/v1/worlds')
  return Object.fromEntries(
    json.worlds.map(({ world, problem }: { world: string; problem: string | null }) => [world, problem !== null]),
  )
}

test.each(Object.entries(DAMAGES))(
  'a server starts beside a file %s, names it, and serves the other worlds',
  async (_what, damage) => {
    const { sandbox, snapshot, dataDir } = await damagedFolder('other', damage)
    expect(await problemsOf(sandbox)).toEqual({ default: false, other: true })
    expect((await sandbox.call({ path: '/orders' })).json.orders).toHaveLength(1)
    const { status, json } = await sandbox.operate('GET', '/v1/worlds/other/orders')
    expect([status, json.detail]).toEqual([409, expect.stringMatching(/^the world other cannot be used: .+ reset it/)])
    expect((await sandbox.operate('GET', '/v1/worlds/other')).json.problem).toEqual(expect.any(String))
    const restored = await fetch(`${sandbox.operator?.url}/v1/worlds/other/snapshot`, restoring(snapshot))
    expect([restored.status, await problemsOf(sandbox)]).toEqual([200, { default: false, other: false }])
    expect((await sandbox.operate('GET', '/v1/worlds/other/orders')).json.orders).toHaveLength(1)
    await sandbox.close()
    const again = await startSandbox({ inventory: 5, dataDir })
    expect((await again.operate('GET', '/v1/worlds/other/orders')).json.orders).toHaveLength(1)
  },
  30_000,
)

test.each(Object.entries(DAMAGES))(
  'the world default with a file %s answers its partners with a documented error until it is reset',
  async (_what, damage) => {
    const { sandbox, dataDir } = await damagedFolder('default', damage)
    expect(await problemsOf(sandbox)).toEqual({ default: true, other: false })
    const call = { path: '/orders' }
    expect((await sandbox.call(call)).json).toMatchObject({ code: 'internal_error' })
    expect((await sandbox.operate('POST', '/v1/worlds/default/reset', {})).status).toBe(200)
    expect((await sandbox.call(call)).json.orders).toEqual([])
    expect((await sandbox.sell()).status).toBe(201)
    await sandbox.close()
    const again = await startSandbox({ inventory: 5, dataDir })
    expect(await problemsOf(again)).toEqual({ default: false, other: false })
    expect((await again.call(call)).json.orders).toHaveLength(1)
  },
  30_000,
)

test('a world that cannot be used can be deleted, file and all', async () => {
  const { sandbox, dataDir } = await damagedFolder('other', DAMAGES['torn in the middle'] as (file: string) => void)
  expect((await sandbox.operate('DELETE', '/v1/worlds/other')).status).toBe(204)
  expect(await problemsOf(sandbox)).toEqual({ default: false })
  await sandbox.close()
  const again = await startSandbox({ inventory: 5, dataDir })
  expect(await problemsOf(again)).toEqual({ default: false })
}, 30_000)

test('a file that is unreadable is left as it is', async () => {
  const { sandbox, dataDir } = await damagedFolder(
    'other',
    DAMAGES['of which not a byte is left'] as (file: string) => void,
  )
  await sandbox.close()
  expect(readFileSync(join(dataDir, 'other.sqlite'))).toEqual(Buffer.alloc(9_000, 0xab))
}, 30_000)
