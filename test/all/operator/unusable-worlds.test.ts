import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
  const db = new Database(file)
  db.pragma('ignore_check_constraints = ON')
  db.exec(sql).close()
}

/** A server over a folder with a valid world and a damaged one, each with an order. */
async function startDamaged(damaged: string, damage: (file: string) => void) {
  const dataDir = tempFolder()
  const first = await startSandbox({ inventory: 5, dataDir })
  await first.sell()
  await first.operate('POST', '/v1/worlds/default/fork', { name: 'other' })
  await first.close()
  const file = join(dataDir, `${damaged}.sqlite`)
  damage(file)
  const bytes = readFileSync(file)
  return { dataDir, file, bytes, sandbox: await startSandbox({ inventory: 5, dataDir }) }
}

async function namesIn(sandbox: TestSandbox) {
  const { json } = await sandbox.operate('GET', '/v1/worlds')
  const names = (rows: { world: string }[]) => rows.map(({ world }) => world).sort()
  return { worlds: names(json.worlds), unusable: names(json.unusable) }
}

test.each(Object.entries(DAMAGES))(
  'a server starts beside a file %s, names it, leaves it as it is, and serves the other worlds',
  async (_what, damage) => {
    const { sandbox, file, bytes } = await startDamaged('other', damage)
    expect(await namesIn(sandbox)).toEqual({ worlds: ['default'], unusable: ['other'] })
    expect(sandbox.problems).toEqual([{ world: 'other', problem: expect.stringMatching(/database|world/) }])
    expect((await sandbox.call({ path: '/orders' })).json.orders).toHaveLength(1)
    for (const [method, path, body] of [
      ['GET', '/orders'],
      ['GET', ''],
      ['POST', '/reset', {}],
      ['DELETE', ''],
    ] as const) {
      const { status, json } = await sandbox.operate(method, `/v1/worlds/other${path}`, body)
      expect([status, json.detail]).toEqual([
        409,
        expect.stringMatching(/^the file of the world other cannot be used: .+ move the file elsewhere/),
      ])
    }
    expect((await sandbox.operate('POST', '/v1/worlds', { name: 'other' })).status).toBe(409)
    await sandbox.close()
    expect(readFileSync(file).equals(bytes)).toBe(true)
  },
  30_000,
)

test.each(Object.entries(DAMAGES))(
  'where the file of the default world is one %s, that world begins anew in memory, and the file stays',
  async (_what, damage) => {
    const { sandbox, file, bytes } = await startDamaged('default', damage)
    expect(await namesIn(sandbox)).toEqual({ worlds: ['default', 'other'], unusable: ['default'] })
    expect((await sandbox.call({ path: '/orders' })).json.orders).toEqual([])
    expect((await sandbox.operate('GET', '/v1/worlds/other/orders')).json.orders).toHaveLength(1)
    expect((await sandbox.sell()).status).toBe(201)
    expect((await sandbox.operate('POST', '/v1/worlds/default/reset', {})).status).toBe(200)
    await sandbox.close()
    expect(readFileSync(file).equals(bytes)).toBe(true)
  },
  30_000,
)

test('a file that was moved away is missed by none, and its name is free', async () => {
  const { sandbox, file, dataDir } = await startDamaged('other', DAMAGES['without facts'] as (file: string) => void)
  await sandbox.close()
  rmSync(file)
  const again = await startSandbox({ inventory: 5, dataDir })
  expect(await namesIn(again)).toEqual({ worlds: ['default'], unusable: [] })
  expect((await again.operate('POST', '/v1/worlds', { name: 'other', inventory: 5 })).status).toBe(201)
}, 30_000)

test('a file that was put there since the start is not replaced', async () => {
  const dataDir = tempFolder()
  const sandbox = await startSandbox({ inventory: 5, dataDir })
  const file = join(dataDir, 'late.sqlite')
  writeFileSync(file, 'a snapshot of a colleague')
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', { name: 'late', inventory: 5 })
  expect([status, json.detail]).toEqual([
    409,
    expect.stringMatching(/^there is a file late\.sqlite in the data directory/),
  ])
  expect(readFileSync(file, 'utf8')).toBe('a snapshot of a colleague')
})

test('a link to a file of another name is a world', async () => {
  const dataDir = tempFolder()
  await (await startSandbox({ inventory: 5, dataDir })).close()
  renameSync(join(dataDir, 'default.sqlite'), join(dataDir, 'of-2026.db'))
  symlinkSync('of-2026.db', join(dataDir, 'default.sqlite'))
  const sandbox = await startSandbox({ inventory: 5, dataDir })
  expect([await namesIn(sandbox), sandbox.problems]).toEqual([{ worlds: ['default'], unusable: [] }, []])
})

test('a folder, a link to a world and one to nothing are no worlds, and the others are served', async () => {
  const dataDir = tempFolder()
  await (await startSandbox({ inventory: 5, dataDir })).close()
  mkdirSync(join(dataDir, 'a-folder.sqlite'))
  symlinkSync('default.sqlite', join(dataDir, 'a-link.sqlite'))
  symlinkSync('nowhere.db', join(dataDir, 'astray.sqlite'))
  const sandbox = await startSandbox({ inventory: 5, dataDir })
  expect((await namesIn(sandbox)).worlds).toEqual(['default'])
  expect(sandbox.problems).toEqual([
    { world: 'a-folder', problem: 'this is a folder, not a file' },
    { world: 'a-link', problem: 'this is a link to default.sqlite, which is a world already' },
    { world: 'astray', problem: 'this is a link to a file that is not there' },
  ])
})
