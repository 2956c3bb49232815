import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { repoRoot } from '../house/repo.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('all tests of a file of node:test share one sandbox, each with its own world', () => {
  const example = join(repoRoot, 'examples/node-test/orders.test.mjs')
  const report = execFileSync(process.execPath, ['--test', '--test-reporter=tap', example], { encoding: 'utf8' })
  expect(report).toMatch(/^# pass 3$/m)
})

/** What node:test reports of a file that declares these tests. */
function reportOf(declarations: string, ...flags: string[]): string {
  const file = join(tempFolder(), 'declared.test.mjs')
  writeFileSync(file, `import { test } from ${JSON.stringify(join(repoRoot, 'dist/node-test.js'))}\n${declarations}`)
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...flags, file], {
    encoding: 'utf8',
  })
  return stdout
}

it('a test of node:test takes the options of the runner, and is skipped or to do where it says so', () => {
  const report = reportOf(`
    test('plain', ({ world, t }) => t.diagnostic(world.name))
    test('in time', { timeout: 60_000 }, ({ world, t }) => t.diagnostic(world.name))
    test('too late', { timeout: 1 }, () => new Promise((resolve) => setTimeout(resolve, 60_000).unref()))
    test('by an option', { skip: 'why' }, () => { throw new Error('it ran') })
    test.skip('by its name', () => { throw new Error('it ran') })
    test.todo('without a body')
    test.todo('with one', ({ world }) => { throw new Error(world.name) })
  `)
  expect(report).toMatch(/^not ok \d+ - too late$/m)
  expect(report).toMatch(/^ok \d+ - by an option # SKIP why$/m)
  expect(report).toMatch(/^# pass 2\n# fail 0\n# cancelled 1\n# skipped 2\n# todo 2$/m)
})

it('of the tests of node:test, one can be run alone', () => {
  const report = reportOf("test('others', () => {}); test.only('this', ({ world }) => world.name)", '--test-only')
  expect(report).toMatch(/^ok 1 - others # SKIP/m)
  expect(report).toMatch(/^# pass 1$/m)
})

it('a test of Jest is declared by the function of Jest that was asked for', async () => {
  const declared: unknown[][] = []
  const declaring = (how: string) => (name: string, _body?: unknown, timeoutMs?: number) =>
    declared.push([how, name, timeoutMs])
  vi.stubGlobal('afterAll', () => {})
  vi.stubGlobal(
    'test',
    Object.assign(declaring('test'), { skip: declaring('skip'), only: declaring('only'), todo: declaring('todo') }),
  )
  const { test: ofJest } = await import('../../src/jest.ts')
  const { skip: skipped, only: alone, todo: later } = ofJest
  vi.unstubAllGlobals()
  ofJest('a', () => {})
  skipped('b', () => {}, 5)
  alone('c', () => {}, 6)
  later('d')
  expect(declared).toEqual([
    ['test', 'a', undefined],
    ['skip', 'b', 5],
    ['only', 'c', 6],
    ['todo', 'd', undefined],
  ])
})
