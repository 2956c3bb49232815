import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { lacks } from '../support/tools.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/signing-vectors.py', import.meta.url))

test.skipIf(lacks('python3'))(
  'fixtures/signing-vectors.json is what its own program makes, which shares no code with src',
  () => {
    const { status, stderr, stdout } = spawnSync('python3', [PROGRAM, '--check'], { encoding: 'utf8' })
    expect([status, stderr || stdout]).toEqual([0, stdout])
  },
)
