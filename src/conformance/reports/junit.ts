import { grouped } from '../../contract/words.ts'
import type { CheckResult } from '../result/result.ts'
import type { ReportedCheck } from './causes.ts'
import { escapeXmlAttribute, escapeXmlText } from './escape.ts'
import { failureFacts, sentenceOf } from './failure-facts.ts'
import { messageOf } from './not-verified.ts'
import { nothingRan, OUTCOME_OF, type RenderOptions, type Reporter, type ReportModel } from './report-model.ts'

/**
 * For CI: one suite a scenario, one case a check.
 *
 * - failed is a `<failure>` with the sentence of the requirement and a line that reproduces it.
 * - inconclusive is an `<error>`: the check ran and proved nothing, which must not look like a skip on purpose.
 * - not run is `<skipped>` with its reason.
 * - A known failure (see baseline.ts) is `<skipped>`, too, and says that it is one, with the property `known`.
 * - passed and observed are plain cases; the property `verdict` shows which.
 * - What the selection left out is not in it.
 * - A run without any check that ran gets an `<error>`: CI systems take an empty file, and one of skips alone, for green.
 */
export const junit: Reporter = {
  render(model, options) {
    const suites = [...grouped(model.counted, ({ scenario }) => scenario.id).values()]
    const lines = suites.flatMap((checks) => suite(checks, model, options))
    const { run, counted } = model
    const isVoid = run.verdict === 'void' || counted.length === 0
    const body = isVoid ? [...lines, ...voidSuite(model)] : lines
    const { tests, failures, errors, skipped } = totals(counted)
    const more = isVoid ? 1 : 0
    const root = open('testsuites', {
      name: `${run.tool.name} conform${run.interrupted ? ' (interrupted)' : ''}`,
      tests: tests + more,
      failures,
      errors: errors + more,
      skipped,
      time: seconds(run.durationMs),
    })
    return `<?xml version="1.0" encoding="UTF-8"?>\n${[root, ...body, '</testsuites>'].join('\n')}\n`
  },
}

/** A file of this package that is outside of the working directory has no path that a reader of the report could use. */
function fileOf(file: string, { ownScenarios }: RenderOptions): string {
  const isOutside = /^(?:\.\.)?[/\\]/.test(file)
  if (!isOutside || ownScenarios === undefined || !file.startsWith(`${ownScenarios}/`)) return file
  return `scenarios${file.slice(ownScenarios.length)}`
}

type Element = 'failure' | 'error' | 'skipped'

const COUNTED_AS = { failure: 'failures', error: 'errors', skipped: 'skipped' } as const satisfies Record<
  Element,
  string
>

function elementOf({ known, verdict }: CheckResult): Element | null {
  if (known !== undefined) return 'skipped'
  return ({ failed: 'failure', inconclusive: 'error', 'not run': 'skipped', passed: null, observed: null } as const)[
    OUTCOME_OF[verdict]
  ]
}

function totals(checks: readonly ReportedCheck[]): Record<'tests' | 'failures' | 'errors' | 'skipped', number> {
  const counts = { tests: checks.length, failures: 0, errors: 0, skipped: 0 }
  for (const { check } of checks) {
    const element = elementOf(check)
    if (element !== null) counts[COUNTED_AS[element]] += 1
  }
  return counts
}

function suite(checks: readonly ReportedCheck[], model: ReportModel, options: RenderOptions): string[] {
  const { id, title, durationMs, ...scenario } = (checks[0] as ReportedCheck).scenario
  const file = fileOf(scenario.file, options)
  const { target, profile, startedAt } = model.run
  const named = new Map<string, number>()
  return [
    `  ${open('testsuite', { name: id, file, ...totals(checks), time: seconds(durationMs), timestamp: startedAt })}`,
    ...properties('    ', { title, target: target.url, profile: profile.name }),
    ...checks.flatMap((found) => {
      const { check, exchange } = found
      const { step, requirement, verdict, known } = check
      const words = `${step}: ${requirement}`
      const times = (named.get(words) ?? 0) + 1
      named.set(words, times)
      // CI systems identify cases by name, so a requirement that one step checks twice gets a number.
      const name = times > 1 ? `${words} (check ${times})` : words
      // A check that names no exchange has no time of its own.
      const time = exchange && { time: seconds(exchange.tookMs) }
      const element = elementOf(check)
      return [
        `    ${open('testcase', { name, classname: id, file, ...time })}`,
        ...properties('      ', {
          requirement,
          verdict,
          ...(known && { known: known.reason, known_until: known.until }),
        }),
        ...(element === null ? [] : outcomeElement(found, element, model, options)),
        '    </testcase>',
      ]
    }),
    '  </testsuite>',
  ]
}

function outcomeElement(
  found: ReportedCheck,
  element: Element,
  { run }: ReportModel,
  options: RenderOptions,
): string[] {
  const { check } = found
  const message = messageOf(found)
  if (element === 'skipped') return [`      <skipped message="${escapeXmlAttribute(message)}"/>`]
  const facts = failureFacts(found, run.target.url, options).map(({ label, text }) => `${label}: ${text}`)
  const call = check.exchange === null ? [] : [`exchange: ${check.exchange}`]
  const said = [`${check.requirement}: ${sentenceOf(found)}`, ...facts, ...call].join('\n')
  const type = element === 'failure' ? check.requirement : check.verdict
  return [`      ${open(element, { message, type })}${escapeXmlText(said)}</${element}>`]
}

function voidSuite({ run }: ReportModel): string[] {
  const time = seconds(run.durationMs)
  return [
    `  ${open('testsuite', { name: 'conform', tests: 1, failures: 0, errors: 1, skipped: 0, time })}`,
    `    ${open('testcase', { name: 'at least one check', classname: 'conform' })}`,
    `      <error message="${escapeXmlAttribute(nothingRan(run))}" type="void"></error>`,
    '    </testcase>',
    '  </testsuite>',
  ]
}

function properties(indent: string, values: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(values).map(
    ([name, value]) => `${indent}  <property name="${name}" value="${escapeXmlAttribute(value)}"/>`,
  )
  return [`${indent}<properties>`, ...rows, `${indent}</properties>`]
}

function open(tag: string, attributes: Readonly<Record<string, string | number>>): string {
  const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXmlAttribute(String(value))}"`)
  return `<${tag}${words.join('')}>`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
