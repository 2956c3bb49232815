import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingsOf } from '../../src/cli/configuration/settings.ts'
import { buildProgram } from '../../src/cli/run-cli.ts'
import { NAMED_JUDGES } from '../../src/conformance/format/expectations/named-judges.ts'
import { OPERATOR_ACTIONS } from '../../src/conformance/format/operator-actions.ts'
import { ROLES } from '../../src/conformance/format/roles.ts'
import { SCENARIO_SCHEMA } from '../../src/conformance/format/scenario.ts'
import { REPORTERS } from '../../src/conformance/reports/reporters.ts'
import { DEFAULT_GAPS, GAPS } from '../../src/contract/choices.ts'
import { MISTAKES } from '../../src/contract/diagnosis/mistakes.ts'
import { REFUSALS } from '../../src/contract/diagnosis/refusals.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { ERROR_CODES, statusOf } from '../../src/contract/errors.ts'
import { operatorOpenApi } from '../../src/operator/openapi.ts'
import { OPERATIONS } from '../../src/operator-api/operations.ts'
import { packageVersion } from '../../src/package-files.ts'
import { flattenSchema } from '../../src/sandbox/openapi/flatten-schema.ts'
import { standardSchema } from '../../src/sandbox/openapi/standard-schema.ts'
import { repoFiles } from './repo.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface Generator {
  readonly PAGES: Record<string, (name: string, data: object) => string>
  everyCommand(build: typeof buildProgram): Promise<object[]>
}

test('what docs show of our data is what the data say', async () => {
  const url = new URL('../../docs/generate.mjs', import.meta.url).href
  const { PAGES, everyCommand } = (await import(url)) as Generator
  const data = {
    GAPS,
    MISTAKES,
    REFUSALS,
    OPERATOR_ACTIONS,
    ROLES,
    ENDPOINTS,
    OPERATIONS,
    REPORTERS,
    NAMED_JUDGES,
    standardSchema,
    flattenSchema,
    scenarioSchema: SCENARIO_SCHEMA.json,
    operatorDocument: operatorOpenApi({ version: packageVersion() }),
    commands: await everyCommand(buildProgram),
    settingsOf,
  }
  for (const [name, page] of Object.entries(PAGES))
    expect(read(`docs/${name}`), 'run npm run build && node docs/generate.mjs').toBe(page(name, data))
})

test('docs/operator-api.md lists every route of the operator port', () => {
  const page = read('docs/operator-api.md')
  for (const { method, path } of Object.values(OPERATIONS)) expect(page).toContain(`#### \`${method} ${path}\`\n`)
})

test('docs/errors.md has a row with the status, the cause and the cure of every error code', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| (\d+) \| `(\w+)` \| [^|]+ \| [^|]+ \|$/gm)]
  expect(rows.map(([, status, code]) => [code, Number(status)])).toEqual(
    ERROR_CODES.map((code) => [code, statusOf(code, DEFAULT_GAPS)]),
  )
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
