import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { loadTarget } from '../../src/conformance/target/load-target.ts'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cliAgainst } from './against.ts'

test('a world is saved, goes on, and is taken back', async () => {
  const sandbox = await startSandbox({ inventory: 5 })
  const { ok, okJson } = cliAgainst(sandbox)
  const file = join(tempFolder(), 'before.sqlite')
  await sandbox.sell()
  // What an earlier attempt left behind may have been readable by anybody.
  writeFileSync(`${file}.part`, '', { mode: 0o644 })
  expect(await ok('world', 'snapshot', 'default', file)).toMatch(
    /^saved default to .* \(\d+ bytes\); it holds secrets\n$/,
  )
  const again = await ok('world', 'snapshot', 'default', file)
  expect(again).toMatch(/^saved default to .* \(\d+ bytes\), in place of an earlier snapshot; it holds secrets\n$/)
  expect(await okJson('world', 'export', 'default', file)).toMatchObject({ file, replaced: true })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(new Database(file, { readonly: true }).prepare('SELECT count(*) FROM orders').pluck().get()).toBe(1)
  await sandbox.sell()
  expect(await ok('world', 'restore', 'default', file)).toMatch(/^restored default from .*; its time is .*Z\n$/)
  expect((await okJson('order', 'list')).orders).toHaveLength(1)
})

test('a world is exported and imported elsewhere, with its keys', async () => {
  const [here, there] = [await startSandbox({ inventory: 5 }), await startSandbox({ inventory: 0 })]
  const file = join(tempFolder(), 'travels.sqlite')
  const made = await cliAgainst(here).okJson('world', 'create', 'travels', '--inventory', '5')
  expect(await cliAgainst(here).okJson('world', 'export', 'travels', file)).toEqual({
    world: 'travels',
    file,
    bytes: statSync(file).size,
  })
  const moved = await cliAgainst(there).okJson('world', 'import', file)
  expect([moved.world, moved.credentials]).toEqual(['travels', made.credentials])
  const taken = await cliAgainst(there).run('world', 'import', file)
  expect([taken.code, taken.err]).toEqual([
    1,
    `error: there is a world called travels already; give it another name: world import ${file} NAME\n`,
  ])
  expect((await cliAgainst(there).okJson('world', 'import', file, 'again')).world).toBe('again')
})

test('a fork is made under a name of its own', async () => {
  const { ok, okJson } = cliAgainst(await startSandbox({ inventory: 0 }))
  expect(await ok('world', 'fork', 'default', 'what-if')).toMatch(/^world {2}what-if\n\nCREDENTIAL/)
  expect((await okJson('world', 'fork', 'default')).world).toMatch(/^default-/)
  const list = await ok('world', 'list')
  expect(list.split('\n')[0]).toMatch(/^WORLD +CLOCK +NOW +SEED +LISTINGS +PROGRESS +KEY ID OF MAIN$/)
  expect(list).toContain('what-if')
})

test('what cannot be is refused in one line, and leaves no file', async () => {
  const { run } = cliAgainst(await startSandbox({ inventory: 0 }))
  const folder = tempFolder()
  const file = join(folder, 'no.sqlite')
  expect(await run('world', 'snapshot', 'nowhere', file)).toMatchObject({ code: 1, out: '' })
  expect(existsSync(file)).toBe(false)
  writeFileSync(file, 'no database')
  const other = `error: ${file} is there and no snapshot, so it is not replaced; name another file\n`
  expect(await run('world', 'snapshot', 'default', file)).toEqual({ code: 4, out: '', err: other })
  expect(readFileSync(file, 'utf8')).toBe('no database')
  const refused = await run('world', 'restore', 'default', file)
  const why = 'this is not an SQLite database; give a file of "world snapshot" or "world export"'
  expect([refused.code, refused.err]).toEqual([4, `error: ${file}: ${why}\n`])
  expect((await run('world', 'import', file)).err).toBe(refused.err)
  expect((await run('world', 'import', join(folder, 'absent'))).err).toContain('absent: no such file')
  const below = join(file, 'x')
  const unwritten = await run('world', 'snapshot', 'default', below)
  expect([unwritten.code, unwritten.err]).toEqual([4, `error: cannot write ${below} (ENOTDIR)\n`])
})

test('a new world becomes a target of the runner, in a file for its owner alone', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { okJson, run } = cliAgainst(sandbox)
  const folder = tempFolder()
  const file = join(folder, 'ci.yaml')
  const { out, err } = await run('world', 'create', 'ci', '--inventory', '0', '--target-file', file, '--json')
  expect(err).toBe(`wrote ${file} (mode operator); it holds secrets\n`)
  const made = JSON.parse(out)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { target } = loadTarget(file, {}) as { target: { url: string; credentials: { keyId: string }[] } }
  expect(target.url).toBe(sandbox.url)
  expect(target.credentials[0]?.keyId).toBe(made.credentials[0].key_id)
  expect(readFileSync(file, 'utf8')).not.toContain('"revoked"')
  const over = await run('world', 'create', 'other', '--target-file', file)
  expect([over.code, over.err]).toEqual([4, expect.stringContaining(`--target-file: ${file} is there`)])
  const none = await run('world', 'create', 'other', '--target-file', join(file, 'x.yaml'))
  expect([none.code, none.err]).toEqual([4, expect.stringContaining('--target-file: cannot write')])
  expect((await okJson('world', 'list')).worlds).toHaveLength(2)
})
