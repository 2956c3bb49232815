import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GAPS } from '../../src/contract/gaps.ts'
import { OPERATOR_ROUTES } from '../../src/operator/operator-routes.ts'
import { flattenSchema } from '../../src/sandbox/openapi/flatten-schema.ts'
import { standardSchema } from '../../src/sandbox/openapi/standard-schema.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/gaps-and-choices.md says what the registry says', async () => {
  const url = new URL('../../docs/generate.mjs', import.meta.url).href
  const { gapsPage } = (await import(url)) as { gapsPage(gaps: typeof GAPS): string }
  expect(read('docs/gaps-and-choices.md'), 'run node docs/generate.mjs').toBe(gapsPage(GAPS))
})

test('docs/magic-domains.md lists what the fixture lists', async () => {
  const url = new URL('../../docs/generate.mjs', import.meta.url).href
  const { magicPage } = (await import(url)) as { magicPage(): string }
  expect(read('docs/magic-domains.md'), 'run node docs/generate.mjs').toBe(magicPage())
})

test('docs/operator-api.md lists every route of the operator port, with all that it takes', async () => {
  const url = new URL('../../docs/operator-page.mjs', import.meta.url).href
  const { operatorPage } = (await import(url)) as { operatorPage(server: object): string }
  const page = operatorPage({ routes: OPERATOR_ROUTES, standardSchema, flattenSchema })
  expect(read('docs/operator-api.md'), 'run npm run build && node docs/generate.mjs').toBe(page)
  for (const { method, path } of OPERATOR_ROUTES) expect(page).toContain(`### \`${method} ${path}\`\n`)
})
