import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { repoRoot } from '../house/repo.ts'

const run = promisify(execFile)
const vitest = join(repoRoot, 'node_modules/vitest/vitest.mjs')
const env = { ...process.env, NO_COLOR: '1' }

it('the example of a partner application passes its own tests, against the package by its name', async () => {
  const app = join(repoRoot, 'examples/partner-app')
  const { stdout } = await run(process.execPath, [vitest, 'run', '--root', app], { env, timeout: 110_000 })
  expect(stdout).toMatch(/Test Files {2}2 passed/)
}, 120_000)

it('the example of a partner application compiles', async () => {
  const tsc = join(repoRoot, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '--noEmit', '-p', join(repoRoot, 'examples/partner-app')])
})
