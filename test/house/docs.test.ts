import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/gaps-and-choices.md says what the registry says', async () => {
  const url = new URL('../../docs/generate.mjs', import.meta.url).href
  const { gapsPage } = (await import(url)) as { gapsPage(): string }
  expect(read('docs/gaps-and-choices.md'), 'run node docs/generate.mjs').toBe(gapsPage())
})

test('docs/magic-domains.md lists what the fixture lists', async () => {
  const url = new URL('../../docs/generate.mjs', import.meta.url).href
  const { magicPage } = (await import(url)) as { magicPage(): string }
  expect(read('docs/magic-domains.md'), 'run node docs/generate.mjs').toBe(magicPage())
})
