import { stringify } from 'yaml'
import { didYouMean, grouped } from '../../contract/words.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { declaredChecks } from '../format/step-facts.ts'
import { whenAsked } from '../result/result.ts'
import { type FileProblem, type Report, schemaProblems, type YamlSource } from '../yaml/read-yaml.ts'
import { validatorOf } from '../yaml/validator-of.ts'
import { type BaselineEntry, isDay } from './baseline.ts'

const text = (description: string, example: string) =>
  ({ type: 'string', pattern: '\\S', description, examples: [example] }) as const

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
      requirement: text('The requirement that fails.', 'ORD-03'),
      check: text(
        'Scenario and step; without it the entry is about every check of the requirement.',
        'orders/price-mismatch/too_high',
      ),
      fingerprint: text('How the checks fail; --write-baseline writes it.', 'accepted with 201 instead of refused'),
      reason: text('Why this is left as it is, and where that is tracked.', 'known, see PAY-204'),
      until: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\d$',
        description: 'The last day on which it counts, in UTC.',
        examples: ['2030-06-30'],
      },
    },
  },
} as const

/** Made when first needed: it takes a while. */
const validator = whenAsked(() => validatorOf(BASELINE_SCHEMA))

/**
 * Reads a baseline: a list of entries, each with a requirement or one of its checks, how it fails, a reason and a last day.
 *
 * @example const { entries, problems } = baselineIn(readYaml('baseline.yaml'), scenarios)
 */
export function baselineIn(
  source: YamlSource,
  scenarios: readonly LoadedScenario[],
): { entries: BaselineEntry[]; problems: FileProblem[] } {
  const problems = source.problems.length > 0 ? [...source.problems] : schemaProblems(source, validator())
  if (problems.length > 0) return { entries: [], problems }
  const report: Report = (path, message) => problems.push(source.problemAt(path, message))
  // A file of comments alone is a baseline that knows nothing.
  const entries = (source.data ?? []) as BaselineEntry[]
  const named = scenarios.flatMap(({ id, scenario }) =>
    declaredChecks(scenario).map(({ step, requirement }) => ({ name: `${id}/${step}`, requirement })),
  )
  const checks = grouped(named, ({ name }) => name)
  for (const [index, entry] of entries.entries()) lintEntry(entry, index, checks, report)
  for (const index of repeated(entries)) report([index], 'this failure is listed twice; keep one entry')
  return { entries: problems.length > 0 ? [] : entries, problems }
}

/** What the schema does not see: a day that no calendar has, and what no scenario checks. */
function lintEntry(
  { check, requirement, until }: BaselineEntry,
  index: number,
  checks: ReadonlyMap<string, readonly { requirement: string }[]>,
  report: Report,
): void {
  if (!isDay(until)) report([index, 'until'], 'until must be a day such as 2030-06-30')
  if (check === undefined) {
    const known = new Set([...checks.values()].flat().map((one) => one.requirement))
    if (!known.has(requirement))
      report([index, 'requirement'], `no scenario checks "${requirement}"${didYouMean(requirement, known)}`)
    return
  }
  const judged = checks.get(check)?.map((one) => one.requirement)
  if (!judged) report([index, 'check'], `no such check: "${check}"${didYouMean(check, checks.keys())}`)
  else if (!judged.includes(requirement))
    report([index, 'requirement'], `${check} judges ${judged.join(', ')}, and not "${requirement}"`)
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
