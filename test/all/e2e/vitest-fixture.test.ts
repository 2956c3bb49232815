import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repoRoot } from '../../house/repo.ts'

const folder = join(repoRoot, 'test/all/e2e/vitest-fixture')

/** Runs tests without a global setup: their worker has a sandbox of its own. */
function runFixture(): Promise<string> {
  const args = [join(repoRoot, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder]
  const env = { ...process.env, NO_COLOR: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
}

it('a failed test tells of the calls that its world refused, and of its seed; one that passes tells nothing', async () => {
  const output = await runFixture()
  expect(output).toMatch(/2 failed \| 2 passed/)
  expect(
    output.match(/of the failed test "a test [^"]+": world \S+, seed "of the failure", clock frozen at/g),
  ).toHaveLength(2)
  expect(output).toMatch(/refused: POST \/api\/partner\/v1\/quotes as only-search got 403 forbidden/)
  expect(output).toMatch(/refused: GET \/api\/partner\/v1\/orders as main got 401 invalid_signature/)
})
