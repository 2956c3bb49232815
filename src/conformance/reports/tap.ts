import type { CheckResult, RunResult, ScenarioResult } from '../result/result.ts'
import { whyNot } from './digest.ts'
import { escapeLine, jsonText, shorten } from './escape.ts'
import type { Reporter } from './reporter.ts'
import { knownWords, standingOf } from './standing.ts'

/**
 * Test Anything Protocol, version 14: one point a check.
 *
 * - What failed or proved nothing is `not ok`, with its details as YAML.
 * - A known failure is `not ok` with `# TODO`, which harnesses do not count.
 * - What was left out, and what the run lacks a capability for, is `# SKIP`, each with its own word.
 * - A run that checked nothing, or was interrupted, has a point of its own that is not ok.
 */
export const tap: Reporter = {
  render(result) {
    const points = [...checkPoints(result), ...runPoints(result)]
    const lines = points.flatMap(({ ok, description, directive, details }, at) => [
      `${ok ? 'ok' : 'not ok'} ${at + 1} - ${escaped(description)}${directive === '' ? '' : ` # ${directive}`}`,
      ...details,
    ])
    return `${['TAP version 14', `1..${points.length}`, ...lines].join('\n')}\n`
  },
}

interface Point {
  ok: boolean
  description: string
  directive: string
  details: string[]
}

function checkPoints({ scenarios }: RunResult): Point[] {
  return scenarios.flatMap((scenario) => scenario.checks.map((check) => checkPoint(scenario, check)))
}

function checkPoint(scenario: ScenarioResult, check: CheckResult): Point {
  const standing = standingOf(check)
  const ok = !['violated', 'known failure', 'unproved'].includes(standing)
  const isPlain = check.verdict === 'pass' || check.verdict === 'observed' || check.verdict === 'not_run'
  return {
    ok,
    description: `${scenario.id} > ${check.step}: ${check.requirement}`,
    directive: directiveOf(check),
    details: isPlain ? [] : yaml(detailsOf(scenario, check)),
  }
}

function directiveOf(check: CheckResult): string {
  const standing = standingOf(check)
  if (standing === 'known failure') return `TODO ${escaped(shorten(knownWords(check), MAX_REASON))}`
  if (check.verdict !== 'not_run') return ''
  return `SKIP ${standing}: ${escaped(shorten(whyNot(check), MAX_REASON))}`
}

const MAX_REASON = 300

/** Points about the run itself, only where something is wrong with it. */
function runPoints({ verdict, interrupted }: RunResult): Point[] {
  const wrong = [
    ...(verdict === 'void' ? ['something was checked: no, so this run says nothing'] : []),
    ...(interrupted ? ['the run came to its end: no, it was interrupted'] : []),
  ]
  return wrong.map((description) => ({ ok: false, description, directive: '', details: [] }))
}

function detailsOf(scenario: ScenarioResult, check: CheckResult): Record<string, unknown> {
  const { verdict, requirement, expected, actual, twin, note, todo, exchange, known } = check
  return {
    ...{ severity: verdict, requirement, expected, actual, twin, note, todo, exchange: exchange ?? undefined },
    known: known && knownWords(check),
    at: { file: scenario.file },
  }
}

/** JSON is YAML, and no text can leave its quotes. */
function yaml(details: Record<string, unknown>): string[] {
  const rows = Object.entries(details).filter(([, value]) => value !== undefined)
  return ['  ---', ...rows.map(([key, value]) => `  ${key}: ${jsonText(value)}`), '  ...']
}

function escaped(text: string): string {
  return escapeLine(text).replace(/[\\#]/g, '\\$&')
}
