import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MISTAKES } from '../../../src/contract/diagnosis/mistakes.ts'
import { REFUSALS } from '../../../src/contract/diagnosis/refusals.ts'

test('docs/signing.md lists every mistake that can be named, and no other', () => {
  const page = readFileSync(new URL('../../../docs/signing.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, id]) => id)
  const known = [...Object.keys(MISTAKES), ...Object.keys(REFUSALS)]
  expect(listed.sort()).toEqual(known.sort())
})
