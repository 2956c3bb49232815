import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cliAgainst } from './against.ts'

function file(text: string): string {
  const path = join(tempFolder(), 'domains.csv')
  writeFileSync(path, text)
  return path
}

it('domain export writes what domain import reads: another sandbox has the same inventory then', async () => {
  const from = cliAgainst(await startSandbox({ inventory: 1_200 }))
  const to = cliAgainst(await startSandbox({ inventory: 0 }))
  const csv = await from.ok('domain', 'export')
  expect(csv.split('\r\n')).toHaveLength(1_202)
  const path = file(csv)
  expect(await to.ok('domain', 'import', path)).toBe(`added 1200 domains from ${path}\n`)
  expect(await to.ok('domain', 'export')).toBe(csv)
})

it('domain import names the command that changes a domain which is listed already', async () => {
  const { ok, run } = cliAgainst(await startSandbox({ inventory: 0 }))
  const path = file('domain,price_cents\na.test,500\n')
  await ok('domain', 'import', path)
  expect(await run('domain', 'import', path)).toEqual({
    code: 1,
    out: '',
    err: `error: ${path}: line 2: a.test is listed already; domain import adds new domains only, "domain set" changes one\n`,
  })
})

it('domain import names the line of a mistake, and a file that is not there', async () => {
  const { run } = cliAgainst(await startSandbox({ inventory: 0 }))
  const path = file('domain,price_cents\na.test,cheap\n')
  const wrong = await run('domain', 'import', path)
  expect([wrong.code, wrong.err]).toEqual([
    4,
    expect.stringContaining(`${path}: line 2: price_cents must be an integer`),
  ])
  const missing = await run('domain', 'import', 'nowhere.csv')
  expect([missing.code, missing.err]).toEqual([4, expect.stringContaining('nowhere.csv: no such file')])
})
