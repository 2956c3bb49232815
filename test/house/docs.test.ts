import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GAPS } from '../../src/contract/gaps.ts'
import { OPERATIONS } from '../../src/operator-api/operations.ts'
import { flattenSchema } from '../../src/sandbox/openapi/flatten-schema.ts'
import { standardSchema } from '../../src/sandbox/openapi/standard-schema.ts'
import { repoFiles } from './repo.ts'

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
  const page = operatorPage({ routes: Object.values(OPERATIONS), standardSchema, flattenSchema })
  expect(read('docs/operator-api.md'), 'run npm run build && node docs/generate.mjs').toBe(page)
  for (const { method, path } of Object.values(OPERATIONS)) expect(page).toContain(`### \`${method} ${path}\`\n`)
})

test('CONTRIBUTING.md names scripts, tests and files that exist', () => {
  const page = read('CONTRIBUTING.md')
  const { scripts } = JSON.parse(read('package.json'))
  const commands = [...page.matchAll(/`((?:npm|npx|node) [^`]+)`/g)].flatMap(([, text = '']) => text.split(' && '))
  expect(commands.length).toBeGreaterThan(10)
  for (const command of commands) {
    const [, script] = /^npm run ([\w:]+)/.exec(command) ?? []
    if (script) expect(Object.keys(scripts)).toContain(script)
    for (const [path] of command.matchAll(/\b(?:test|docs|bench)\/\S+\.(?:ts|mjs)\b/g))
      expect(() => read(path)).not.toThrow()
    const [, name] = /vitest run -t '([^']+)'/.exec(command) ?? []
    if (name)
      expect(
        testNames().some((text) => text.includes(name)),
        name,
      ).toBe(true)
  }
  for (const [, path = ''] of page.matchAll(/`((?:src|test|docs|bench)\/[\w./-]+\.\w+)`/g))
    expect(() => read(path)).not.toThrow()
})

function testNames(): string[] {
  return repoFiles('test')
    .filter((file) => file.endsWith('.test.ts'))
    .map(read)
}
