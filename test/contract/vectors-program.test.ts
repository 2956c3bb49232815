import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../../fixtures/signing-vectors.py', import.meta.url))
const python = spawnSync('python3', ['--version'], { encoding: 'utf8' })
const isMissing = python.error !== undefined && !process.env['CI']

test.skipIf(isMissing)(
  'fixtures/signing-vectors.json is what its own program makes, which shares no code with src',
  () => {
    const { status, stderr, stdout } = spawnSync('python3', [PROGRAM, '--check'], { encoding: 'utf8' })
    expect([status, stderr || stdout]).toEqual([0, stdout])
  },
)

if (isMissing)
  console.warn('NOT RUN: python3 is missing, so nobody checked that the signing vectors are what their program makes')
