import { stringify } from 'yaml'
import { isObject } from '../../contract/is-object.ts'
import { didYouMean } from '../../contract/words.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { declaredChecks } from '../format/step-facts.ts'
import { type FileProblem, parseYaml, type Report, readYaml, type YamlSource } from '../yaml/read-yaml.ts'
import { type BaselineEntry, isDay } from './baseline.ts'

const KEYS = ['requirement', 'check', 'fingerprint', 'reason', 'until'] as const

const TEXT = { type: 'string', pattern: '\\S' } as const

/** JSON Schema of a baseline, draft-07; scenarios/baseline.schema.json is this value written down for editors. */
export const BASELINE_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'baseline',
  description: 'Known failures, for "conform --baseline".',
  type: ['array', 'null'],
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['requirement', 'reason', 'until'],
    dependencies: { check: ['fingerprint'] },
    properties: {
      requirement: { ...TEXT, description: 'The requirement that fails.' },
      check: {
        ...TEXT,
        description: 'Scenario and step; without it the entry is about every check of the requirement.',
      },
      fingerprint: { ...TEXT, description: 'How the checks fail; --write-baseline writes it.' },
      reason: { ...TEXT, description: 'Why this is left as it is, and where that is tracked.' },
      until: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\d$',
        description: 'The last day on which it counts, in UTC.',
      },
    },
  },
} as const

/**
 * Reads a baseline: a list of entries, each with a requirement or one of its checks, how it fails, a reason and a last day.
 *
 * @example const { entries, problems } = loadBaseline('baseline.yaml', scenarios)
 */
export function loadBaseline(
  file: string,
  scenarios: readonly LoadedScenario[],
): { entries: BaselineEntry[]; problems: FileProblem[] } {
  return entriesOf(readYaml(file), scenarios)
}

/** The same for a text that is already there. */
export function parseBaseline(text: string, file: string, scenarios: readonly LoadedScenario[]) {
  return entriesOf(parseYaml(text, file), scenarios)
}

function entriesOf(source: YamlSource, scenarios: readonly LoadedScenario[]) {
  const problems: FileProblem[] = [...source.problems]
  const report: Report = (path, message) => problems.push(source.problemAt(path, message))
  // A file of comments alone is a baseline that knows nothing.
  const rows = source.data ?? []
  if (problems.length > 0) return { entries: [], problems }
  if (!Array.isArray(rows)) {
    report([], 'a baseline is a list of known failures')
    return { entries: [], problems }
  }
  const checks = checksByName(scenarios)
  rows.forEach((row, index) => {
    if (isObject(row)) lintEntry(row, index, checks, report)
    else report([index], `an entry has the keys ${KEYS.join(', ')}`)
  })
  const entries = rows.filter(isObject) as unknown as BaselineEntry[]
  for (const index of repeated(entries)) report([index], 'this failure is listed twice; keep one entry')
  return { entries: problems.length > 0 ? [] : entries, problems }
}

function checksByName(scenarios: readonly LoadedScenario[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { id, scenario } of scenarios)
    for (const { step, requirement } of declaredChecks(scenario)) {
      const name = `${id}/${step}`
      found.set(name, [...(found.get(name) ?? []), requirement])
    }
  return found
}

function lintEntry(
  row: Record<string, unknown>,
  index: number,
  checks: ReadonlyMap<string, readonly string[]>,
  report: Report,
): void {
  for (const key of Object.keys(row)) {
    if (!(KEYS as readonly string[]).includes(key)) report([index, key], `unknown key "${key}"${didYouMean(key, KEYS)}`)
  }
  const needed = row['check'] === undefined ? (['requirement', 'reason', 'until'] as const) : KEYS
  const missing = needed.filter((key) => row[key] === undefined)
  if (missing.length > 0) report([index], `this entry has no ${missing.join(', no ')}`)
  for (const key of KEYS) {
    if (row[key] === undefined) continue
    if (typeof row[key] !== 'string') report([index, key], `${key} must be a string; write it in quotes`)
    else if (row[key].trim() === '') report([index, key], EMPTY[key])
    else if (key === 'until' && !isDay(row[key])) report([index, key], 'until must be a day such as 2026-09-30')
  }
  lintCheck(row, index, checks, report)
}

const EMPTY: Readonly<Record<(typeof KEYS)[number], string>> = {
  check: 'check must not be empty',
  requirement: 'requirement must not be empty',
  fingerprint: 'fingerprint must not be empty: --write-baseline writes it',
  reason: 'the reason is empty: say why this is left as it is, and where that is tracked',
  until: 'until is empty: name the last day on which this is accepted, such as 2026-09-30',
}

function lintCheck(
  { check, requirement }: Record<string, unknown>,
  index: number,
  checks: ReadonlyMap<string, readonly string[]>,
  report: Report,
): void {
  if (check === undefined) lintRequirement(requirement, index, checks, report)
  if (typeof check !== 'string' || check === '') return
  const judged = checks.get(check)
  if (!judged) report([index, 'check'], `no such check: "${check}"${didYouMean(check, checks.keys())}`)
  else if (typeof requirement === 'string' && requirement !== '' && !judged.includes(requirement))
    report([index, 'requirement'], `${check} judges ${judged.join(', ')}, and not "${requirement}"`)
}

function lintRequirement(
  requirement: unknown,
  index: number,
  checks: ReadonlyMap<string, readonly string[]>,
  report: Report,
): void {
  const known = new Set([...checks.values()].flat())
  if (typeof requirement === 'string' && requirement !== '' && !known.has(requirement))
    report([index, 'requirement'], `no scenario checks "${requirement}"${didYouMean(requirement, known)}`)
}

function repeated(entries: readonly BaselineEntry[]): number[] {
  const keys = entries.map(({ check, requirement, fingerprint }) =>
    JSON.stringify([check ?? null, requirement, fingerprint ?? null]),
  )
  return keys.flatMap((key, index) => (keys.indexOf(key) < index ? [index] : []))
}

const HEAD = `# Known failures, for "conform --baseline". Each entry needs a reason and a last day before it is taken.
`

/** A baseline as a file; entries without a reason and a last day are written so that the loader asks for them. */
export function baselineText(
  entries: readonly (Omit<BaselineEntry, 'reason' | 'until'> & Partial<BaselineEntry>)[],
): string {
  const rows = entries.map(({ requirement, check, fingerprint, reason = '', until = '' }) => ({
    requirement,
    ...(check !== undefined && { check }),
    ...(fingerprint !== undefined && { fingerprint }),
    reason,
    until,
  }))
  return `${HEAD}\n${stringify(rows, { lineWidth: 0 })}`
}
