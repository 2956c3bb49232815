import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MISTAKE_IDS, REFUSAL_IDS } from '../../../src/contract/diagnosis/mistakes.ts'

test('docs/signing.md lists every mistake that can be named, and no other', () => {
  const page = readFileSync(new URL('../../../docs/signing.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, id]) => id)
  expect(listed).toEqual([...MISTAKE_IDS, ...REFUSAL_IDS])
})
