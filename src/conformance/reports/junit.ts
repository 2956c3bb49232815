import type { CheckResult, RedactedExchange, RunResult, ScenarioResult } from '../result/result.ts'
import { whyNot, withinProfile } from './digest.ts'
import { escapeXmlAttribute, escapeXmlText } from './escape.ts'
import type { Reporter } from './reporter.ts'

/**
 * For CI: one suite a scenario, one case a check.
 *
 * - `fail` is a `<failure>`.
 * - `inconclusive` and `harness_error` are `<error>`: something was tried and nothing was proved, which must not look
 *   like a skip that somebody chose.
 * - `not_run` is `<skipped>` with its reason.
 * - A known failure (see baseline.ts) is `<skipped>`, too, and says that it is one, with the property `known`.
 * - `pass`, `tolerated`, `observed` and `drift` are plain cases; the property `verdict` tells them apart.
 * - What the selection or the profile left out is not in it.
 * - A run that carried nothing out gets an `<error>`: CI systems take an empty file, and one of skips alone, for green.
 */
export const junit: Reporter = {
  render(run) {
    const result = withinProfile(run)
    const exchanges: Exchanges = new Map(result.exchanges.map((exchange) => [exchange.id, exchange]))
    const suites = result.scenarios.map((scenario) => suite(scenario, result, exchanges))
    const body = isVoid(result) ? [...suites, voidSuite(result)] : suites
    return `<?xml version="1.0" encoding="UTF-8"?>\n${[rootTag(result), ...body.flat(), '</testsuites>'].join('\n')}\n`
  },
}

/** A check that names none has no time of its own. */
type Exchanges = ReadonlyMap<string, RedactedExchange>

type Outcome = 'failure' | 'error' | 'skipped' | 'none'

function outcomeOf(check: CheckResult): Outcome {
  if (check.known !== undefined) return 'skipped'
  if (check.verdict === 'fail') return 'failure'
  if (check.verdict === 'inconclusive' || check.verdict === 'harness_error') return 'error'
  return check.verdict === 'not_run' ? 'skipped' : 'none'
}

function isVoid({ verdict, scenarios }: RunResult): boolean {
  return verdict === 'void' || scenarios.length === 0
}

function totals(checks: readonly CheckResult[]): Record<'tests' | 'failures' | 'errors' | 'skipped', number> {
  const count = (outcome: Outcome) => checks.filter((check) => outcomeOf(check) === outcome).length
  return { tests: checks.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') }
}

function rootTag(result: RunResult): string {
  const checks = result.scenarios.flatMap((scenario) => scenario.checks)
  const counted = totals(checks)
  if (isVoid(result)) {
    counted.tests += 1
    counted.errors += 1
  }
  const name = `${result.tool.name} conform${result.interrupted ? ' (interrupted)' : ''}`
  return open('testsuites', { name, ...counted, time: seconds(result.durationMs) })
}

function suite(scenario: ScenarioResult, result: RunResult, exchanges: Exchanges): string[] {
  return [
    `  ${open('testsuite', {
      name: scenario.id,
      file: scenario.file,
      ...totals(scenario.checks),
      time: seconds(scenario.durationMs),
      timestamp: result.startedAt,
    })}`,
    ...properties('    ', { title: scenario.title, target: result.target.url, profile: result.profile.name }),
    ...scenario.checks.flatMap((check, at) => testcase(check, nameOf(scenario.checks, at), scenario, exchanges)),
    '  </testsuite>',
  ]
}

/** CI systems tell cases by their names: a requirement that one step is asked for twice gets a number. */
function nameOf(checks: readonly CheckResult[], at: number): string {
  const named = checks.slice(0, at + 1).map(({ step, requirement }) => `${step}: ${requirement}`)
  const name = named.at(-1) ?? ''
  const before = named.filter((other) => other === name).length
  return before > 1 ? `${name} (${before})` : name
}

function testcase(check: CheckResult, name: string, { id, file }: ScenarioResult, exchanges: Exchanges): string[] {
  const exchange = check.exchange === null ? undefined : exchanges.get(check.exchange)
  return [
    `    ${open('testcase', {
      ...{ name, classname: id, file },
      ...(exchange === undefined ? {} : { time: seconds(exchange.tookMs) }),
    })}`,
    ...properties('      ', {
      ...{ requirement: check.requirement, verdict: check.verdict },
      ...(check.known === undefined ? {} : { known: check.known.reason, known_until: check.known.until }),
    }),
    ...outcomeElement(check, exchange),
    '    </testcase>',
  ]
}

function outcomeElement(check: CheckResult, exchange: RedactedExchange | undefined): string[] {
  const outcome = outcomeOf(check)
  if (outcome === 'none') return []
  if (outcome === 'skipped') return [`      <skipped message="${escapeXmlAttribute(whySkipped(check))}"/>`]
  const message = outcome === 'failure' ? `expected ${check.expected}, got ${check.actual}` : whyNot(check, exchange)
  const tag = open(outcome, { message, type: check.verdict === 'fail' ? check.requirement : check.verdict })
  return [`      ${tag}${escapeXmlText(details(check))}</${outcome}>`]
}

function whySkipped(check: CheckResult): string {
  if (check.known === undefined) return whyNot(check)
  return `known failure: ${check.known.reason} (until ${check.known.until}); expected ${check.expected}, got ${check.actual}`
}

function details(check: CheckResult): string {
  const lines = [`requirement: ${check.requirement}`, `expected: ${check.expected}`, `actual: ${check.actual}`]
  if (check.twin !== undefined) lines.push(`twin: ${check.twin}`)
  if (check.note !== undefined) lines.push(`note: ${check.note}`)
  if (check.exchange !== null) lines.push(`exchange: ${check.exchange}`)
  return lines.join('\n')
}

function voidSuite({ durationMs }: RunResult): string[] {
  const time = seconds(durationMs)
  const message = 'nothing was checked, so this run says nothing'
  return [
    `  ${open('testsuite', { name: 'conform', tests: 1, failures: 0, errors: 1, skipped: 0, time })}`,
    `    ${open('testcase', { name: 'at least one check', classname: 'conform' })}`,
    `      <error message="${message}" type="void"></error>`,
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
