import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repoRoot } from '../house/repo.ts'

it('all tests of a file of node:test share one sandbox, each with its own world', () => {
  const example = join(repoRoot, 'examples/node-test/orders.test.mjs')
  const report = execFileSync(process.execPath, ['--test', '--test-reporter=tap', example], { encoding: 'utf8' })
  expect(report).toMatch(/^# pass 3$/m)
})
