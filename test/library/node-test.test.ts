import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { repoRoot } from '../house/repo.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('all tests of a file of node:test share one sandbox, each with its own world', () => {
  const example = join(repoRoot, 'examples/node-test/orders.test.mjs')
  const report = execFileSync(process.execPath, ['--test', '--test-reporter=tap', example], { encoding: 'utf8' })
  expect(report).toMatch(/^# pass 3$/m)
})

it('options, skip, only and todo are those of node:test', () => {
  const file = join(tempFolder(), 'some.test.mjs')
  const library = pathToFileURL(join(repoRoot, 'dist/bundle/node-test.js')).href
  writeFileSync(
    file,
    `import { test } from ${JSON.stringify(library)}
test('with options', { timeout: 20000 }, async ({ world, t }) => { if (!world || !t) throw new Error('no fixtures') })
test.skip('one that is left out', () => { throw new Error('it ran') })
test.todo('one to come', { timeout: 20000 }, () => {})
test.only('one alone', async ({ world }) => void (await world.orders.all()))
`,
  )
  const report = execFileSync(process.execPath, ['--test', '--test-reporter=tap', file], { encoding: 'utf8' })
  const counts = ['pass', 'fail', 'skipped', 'todo'].map(
    (name) => new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1],
  )
  expect(counts).toEqual(['2', '0', '1', '1'])
})
