import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const script = fileURLToPath(new URL('parallel-worlds/run.mjs', import.meta.url))

it('16 test files at once share one sandbox, a world each, and none meets another', async () => {
  const { stdout } = await run(process.execPath, [script, '16', '1'], { timeout: 170_000 })
  expect(stdout).toContain('round 1: 16 of 16 files green')
}, 180_000)
