import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { SelftestResult } from '../../src/proof/self-test/result.ts'

const run = promisify(execFile)

async function selftest(jobs: number): Promise<SelftestResult> {
  const defects = ['--defect', 'secret-of-key-id', 'nonce-race', 'retry-after-zero']
  const variation = ['--variation', 'skew-edge=*', '--bad-server', 'limits everything']
  const scenarios = ['--scenarios', 'scenarios/auth', 'scenarios/errors/rate-limited.yaml']
  const words = [
    'bin/partner-sandbox.js',
    'selftest',
    ...defects,
    ...variation,
    ...scenarios,
    '--jobs',
    `${jobs}`,
    '--json',
  ]
  const { stdout } = await run(process.execPath, words).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout) as SelftestResult
}

function outcomes({ passed, problems, defects, freedoms, degenerates }: SelftestResult) {
  return {
    passed,
    problems,
    defects: defects.map(({ id, killedBy, failure }) => ({ id, killed: killedBy.length > 0, failure })),
    freedoms: freedoms.map(({ choice, red, failure }) => ({ choice, red, failure })),
    degenerates: degenerates.map(({ name, verdict, failure }) => ({ name, verdict, failure })),
  }
}

it('a self-test spread over threads says what one in a single thread says', { timeout: 120_000 }, async () => {
  const [one, three] = [await selftest(1), await selftest(3)]
  expect(outcomes(three)).toEqual(outcomes(one))
  expect(one.defects.map(({ killedBy }) => killedBy.length > 0)).toEqual([true, false, true])
})
