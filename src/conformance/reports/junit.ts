import type { CheckResult, RunResult, ScenarioResult } from '../result/result.ts'
import { allChecks, type CheckInContext, grouped, whyNot, withinProfile } from './digest.ts'
import { escapeXmlAttribute, escapeXmlText } from './escape.ts'
import type { Reporter } from './reporter.ts'
import { type Standing, standingOf, VOID } from './standing.ts'

/**
 * For CI: one suite a scenario, one case a check.
 *
 * - `fail` is a `<failure>`.
 * - `inconclusive` and `harness_error` are `<error>`: the check ran and proved nothing, which must not look
 *   like a skip on purpose.
 * - `not_run` is `<skipped>` with its reason.
 * - A known failure (see baseline.ts) is `<skipped>`, too, and says that it is one, with the property `known`.
 * - `pass`, `tolerated`, `observed` and `drift` are plain cases; the property `verdict` shows which.
 * - What the selection or the profile left out is not in it.
 * - A run without any check that ran gets an `<error>`: CI systems take an empty file, and one of skips alone, for green.
 */
export const junit: Reporter = {
  render(run) {
    const result = withinProfile(run)
    const checks = grouped(allChecks(result), ({ scenario }) => scenario.id)
    const suites = result.scenarios.flatMap((scenario) => suite(scenario, checks.get(scenario.id) ?? [], result))
    const body = isVoid(result) ? [...suites, ...voidSuite(result)] : suites
    return `<?xml version="1.0" encoding="UTF-8"?>\n${[rootTag(result), ...body, '</testsuites>'].join('\n')}\n`
  },
}

type Outcome = 'failure' | 'error' | 'skipped' | null

const OUTCOMES: Readonly<Record<Standing, Outcome>> = {
  fine: null,
  drifted: null,
  violated: 'failure',
  unproved: 'error',
  'known failure': 'skipped',
  skipped: 'skipped',
  unsupported: 'skipped',
  interrupted: 'skipped',
}

function isVoid({ verdict, scenarios }: RunResult): boolean {
  return verdict === 'void' || scenarios.length === 0
}

function totals(checks: readonly CheckResult[]): Record<'tests' | 'failures' | 'errors' | 'skipped', number> {
  const count = (outcome: Outcome) => checks.filter((check) => OUTCOMES[standingOf(check)] === outcome).length
  return { tests: checks.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') }
}

function rootTag(result: RunResult): string {
  const counted = totals(result.scenarios.flatMap(({ checks }) => checks))
  if (isVoid(result)) {
    counted.tests += 1
    counted.errors += 1
  }
  const name = `${result.tool.name} conform${result.interrupted ? ' (interrupted)' : ''}`
  return open('testsuites', { name, ...counted, time: seconds(result.durationMs) })
}

function suite(scenario: ScenarioResult, checks: readonly CheckInContext[], result: RunResult): string[] {
  const { id, file, title } = scenario
  const time = seconds(scenario.durationMs)
  const tag = open('testsuite', { name: id, file, ...totals(scenario.checks), time, timestamp: result.startedAt })
  return [
    `  ${tag}`,
    ...properties('    ', { title, target: result.target.url, profile: result.profile.name }),
    ...checks.flatMap((found, at) => testcase(found, nameOf(scenario.checks, at))),
    '  </testsuite>',
  ]
}

/** CI systems identify cases by name, so a requirement that one step checks twice gets a number. */
function nameOf(checks: readonly CheckResult[], at: number): string {
  const named = checks.slice(0, at + 1).map(({ step, requirement }) => `${step}: ${requirement}`)
  const name = named.at(-1) ?? ''
  const before = named.filter((other) => other === name).length
  return before > 1 ? `${name} (${before})` : name
}

/** A check that names no exchange has no time of its own. */
function testcase(found: CheckInContext, name: string): string[] {
  const { scenario, check, exchange } = found
  const { requirement, verdict, known } = check
  const time = exchange && { time: seconds(exchange.tookMs) }
  return [
    `    ${open('testcase', { name, classname: scenario.id, file: scenario.file, ...time })}`,
    ...properties('      ', {
      requirement,
      verdict,
      ...(known && { known: known.reason, known_until: known.until }),
    }),
    ...outcomeElement(found),
    '    </testcase>',
  ]
}

function outcomeElement({ check, exchange }: CheckInContext): string[] {
  const outcome = OUTCOMES[standingOf(check)]
  if (outcome === null) return []
  if (outcome === 'skipped') return [`      <skipped message="${escapeXmlAttribute(whySkipped(check))}"/>`]
  const message = outcome === 'failure' ? `expected ${check.expected}, got ${check.actual}` : whyNot(check, exchange)
  const tag = open(outcome, { message, type: check.verdict === 'fail' ? check.requirement : check.verdict })
  return [`      ${tag}${escapeXmlText(details(check))}</${outcome}>`]
}

function whySkipped(check: CheckResult): string {
  if (check.known === undefined) return whyNot(check)
  return `known failure: ${check.known.reason} (until ${check.known.until}); expected ${check.expected}, got ${check.actual}`
}

function details({ requirement, expected, actual, twin, note, exchange }: CheckResult): string {
  return Object.entries({ requirement, expected, actual, twin, note, exchange })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function voidSuite({ durationMs }: RunResult): string[] {
  const time = seconds(durationMs)
  return [
    `  ${open('testsuite', { name: 'conform', tests: 1, failures: 0, errors: 1, skipped: 0, time })}`,
    `    ${open('testcase', { name: 'at least one check', classname: 'conform' })}`,
    `      <error message="${VOID}" type="void"></error>`,
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
