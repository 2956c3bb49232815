import type { CheckResult, RunResult } from '../result/result.ts'
import { allChecks, type CheckInContext, whyNot } from './digest.ts'
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
    const points = [...allChecks(result).map(checkPoint), ...runPoints(result)]
    const lines = points.flatMap(({ ok, text, details = [] }, at) => [
      `${ok ? 'ok' : 'not ok'} ${at + 1} - ${text}`,
      ...details,
    ])
    return `${['TAP version 14', `1..${points.length}`, ...lines].join('\n')}\n`
  },
}

interface Point {
  ok: boolean
  text: string
  details?: string[]
}

function checkPoint({ scenario, check }: CheckInContext): Point {
  const isPlain = check.verdict === 'pass' || check.verdict === 'observed' || check.verdict === 'not_run'
  return {
    ok: !['violated', 'known failure', 'unproved'].includes(standingOf(check)),
    text: `${escaped(`${scenario.id} > ${check.step}: ${check.requirement}`)}${directiveOf(check)}`,
    details: isPlain ? [] : detailsOf(check, scenario.file),
  }
}

function directiveOf(check: CheckResult): string {
  const standing = standingOf(check)
  if (standing === 'known failure') return ` # TODO ${escaped(shorten(knownWords(check), MAX_REASON))}`
  if (check.verdict !== 'not_run') return ''
  return ` # SKIP ${standing}: ${escaped(shorten(whyNot(check), MAX_REASON))}`
}

const MAX_REASON = 300

/** Points about the run itself, only where something is wrong with it. */
function runPoints({ verdict, interrupted }: RunResult): Point[] {
  return [
    ...(verdict === 'void' ? [{ ok: false, text: 'at least one check ran: no, so this run has no verdict' }] : []),
    ...(interrupted ? [{ ok: false, text: 'the run finished: no, it was interrupted' }] : []),
  ]
}

/** As YAML: JSON is YAML, and no text can leave its quotes. */
function detailsOf(check: CheckResult, file: string): string[] {
  const { verdict: severity, requirement, expected, actual, twin, note, todo } = check
  const exchange = check.exchange ?? undefined
  const known = check.known && knownWords(check)
  const details = { severity, requirement, expected, actual, twin, note, todo, exchange, known, at: { file } }
  const rows = Object.entries(details).filter(([, value]) => value !== undefined)
  return ['  ---', ...rows.map(([key, value]) => `  ${key}: ${jsonText(value)}`), '  ...']
}

function escaped(text: string): string {
  return escapeLine(text).replace(/[\\#]/g, '\\$&')
}
