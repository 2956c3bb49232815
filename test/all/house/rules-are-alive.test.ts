import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { repoFiles, repoRoot } from '../../house/repo.ts'
import { GREEN, RED } from '../../house/rule-probes.ts'
import { tempFolderOfFile } from '../../support/temp-folder.ts'

interface Diagnostic {
  readonly severity: string
  readonly category: string
  readonly message: string
  readonly location: { readonly path: string }
}

interface RuleSettings {
  readonly rules?: Record<string, Record<string, unknown> | string>
}

const config = JSON.parse(readFileSync(join(repoRoot, 'biome.json'), 'utf8')) as {
  linter: RuleSettings
  overrides: { linter?: RuleSettings; plugins?: string[] }[]
}

/** The rules that biome.json itself raises to an error, wherever. */
function rulesRaised(): string[] {
  const settings = [config.linter, ...config.overrides.map((override) => override.linter ?? {})]
  const groups = settings.flatMap(({ rules }) =>
    Object.values(rules ?? {}).filter((group) => typeof group === 'object'),
  )
  const named = groups.flatMap((group) => Object.entries(group))
  const raised = named.filter(([, level]) => level === 'error' || (level as { level?: string }).level === 'error')
  return [...new Set(raised.map(([name]) => name))]
}

const house = tempFolderOfFile()
let diagnostics: Diagnostic[] = []
const saidOf = (file: string) => diagnostics.filter((diagnostic) => diagnostic.location.path === file)

// One run of the real configuration over a second, small house where every rule is broken once.
beforeAll(() => {
  for (const file of [
    'biome.json',
    '.gitignore',
    ...repoFiles('test/house').filter((name) => name.endsWith('.grit')),
  ]) {
    cpSync(join(repoRoot, file), join(house, file))
  }
  for (const { file, text } of [...RED, ...GREEN]) {
    mkdirSync(dirname(join(house, file)), { recursive: true })
    writeFileSync(join(house, file), `${text}\n`)
  }
  const biome = join(repoRoot, 'node_modules/@biomejs/biome/bin/biome')
  const options = ['lint', '--reporter=json', '--max-diagnostics=none', '.']
  const run = spawnSync(process.execPath, [biome, ...options], { cwd: house, encoding: 'utf8' })
  diagnostics = (JSON.parse(run.stdout) as { diagnostics: Diagnostic[] }).diagnostics
})

describe('biome refuses', () => {
  it.each(RED)('$file: $says', ({ file, says }) => {
    const errors = saidOf(file).filter(({ severity }) => severity === 'error')
    expect(errors.map(({ category, message }) => `${category} ${message}`)).toContainEqual(
      expect.stringContaining(says),
    )
  })
})

describe('biome has nothing against', () => {
  it.each(GREEN)('$file', ({ file }) => {
    expect(saidOf(file)).toEqual([])
  })
})

it('every rule that biome.json raises to an error is broken here once', () => {
  const broken = new Set(RED.map(({ says }) => says))
  expect(rulesRaised().length).toBeGreaterThan(20)
  expect(rulesRaised().filter((rule) => !broken.has(rule))).toEqual([])
})

it('every plugin message is provoked here once', () => {
  const plugins = [...new Set(config.overrides.flatMap((override) => override.plugins ?? []))]
  const messages = plugins.flatMap((plugin) =>
    [...readFileSync(join(repoRoot, plugin), 'utf8').matchAll(/message="([^"]+)"/g)].map((match) => match[1]),
  )
  expect(messages.length).toBeGreaterThan(8)
  const heard = new Set(diagnostics.filter(({ category }) => category === 'plugin').map(({ message }) => message))
  expect(messages.filter((message) => !heard.has(String(message)))).toEqual([])
})
