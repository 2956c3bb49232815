import type { CheckVerdict, RunResult } from '../result/result.ts'
import { selectionPassed } from '../result/selected-checks.ts'
import { type CheckInContext, checksWith, newChecks, unverified, whyNot } from './digest.ts'
import { escapeLine, shorten } from './escape.ts'
import type { RenderOptions, Reporter } from './reporter.ts'
import { rerunCommand } from './reproduce.ts'
import { knownWords, VOID } from './standing.ts'

/**
 * Annotations of GitHub Actions: workflow commands for standard output. GitHub shows ten of a kind in a step, so the worst
 * come first and the tenth counts the rest.
 */
export const github: Reporter = {
  render(result, options) {
    const all = [...runAnnotations(result), ...checkAnnotations(result, options)]
    const kinds = ['error', 'warning', 'notice'] as const
    return `${kinds.flatMap((kind) => firstTen(all.filter((one) => one.kind === kind))).join('\n')}\n`
  },
}

interface Annotation {
  kind: 'error' | 'warning' | 'notice'
  title: string
  file?: string
  /** Each in a line of its own. */
  lines: string[]
}

const SHOWN_OF_A_KIND = 10
const MAX_CHARACTERS = 1_000

function firstTen(annotations: readonly Annotation[]): string[] {
  if (annotations.length <= SHOWN_OF_A_KIND) return annotations.map(command)
  const shown = annotations.slice(0, SHOWN_OF_A_KIND - 1)
  const left = annotations.length - shown.length
  const kind = shown[0]?.kind ?? 'notice'
  const lines = ['GitHub shows ten of each kind; the other reports of this run have all of them']
  return [...shown.map(command), command({ kind, title: `and ${left} more`, lines })]
}

function command({ kind, title, file, lines }: Annotation): string {
  const properties = [...(file === undefined ? [] : [`file=${property(file)}`]), `title=${property(title)}`]
  return `::${kind} ${properties.join(',')}::${data(lines)}`
}

function data(lines: readonly string[]): string {
  const text = lines.map((line) => shorten(escapeLine(line), MAX_CHARACTERS)).join('\n')
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data([text]).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** The verdict is reported even if there is nothing to annotate. */
function runAnnotations(result: RunResult): Annotation[] {
  const { verdict, target, summary, interrupted } = result
  const { shown, violated, inconclusive, not_exercised: left } = summary.requirements
  const chosen = selectionPassed(result)
  const kind = verdict === 'void' ? 'error' : verdict === 'not_fully_verified' && !chosen ? 'warning' : 'notice'
  const counts = `${shown} passed, ${violated} failed, ${inconclusive} inconclusive, ${left} not run`
  const why = unverified(result).map(({ reason, requirements }) => `${reason} (${requirements.length})`)
  const words = verdict === 'void' ? [VOID] : []
  return [
    {
      kind,
      title: `Conformance: ${chosen ?? verdict.replaceAll('_', ' ')}`,
      lines: [...words, `${target.url}: requirements: ${counts}`, ...why],
    },
    ...(interrupted
      ? [{ kind: 'error' as const, title: 'Interrupted', lines: ['checks that did not start count as not run'] }]
      : []),
  ]
}

const ROWS: readonly (readonly [Annotation['kind'], CheckVerdict])[] = [
  ['error', 'fail'],
  ['error', 'harness_error'],
  ['warning', 'inconclusive'],
  ['warning', 'drift'],
  ['notice', 'tolerated'],
]

function checkAnnotations(result: RunResult, options: RenderOptions): Annotation[] {
  const news = ROWS.flatMap(([kind, verdict]) =>
    newChecks(result, [verdict]).map((found) => annotation(kind, found, options)),
  )
  const known = checksWith(result, ['fail']).filter(({ check }) => check.known !== undefined)
  return [...news, ...known.map((found) => annotation('notice', found, options))]
}

/** GitHub shows an annotation beside a file of the checkout, and the scenarios of this package are not in it. */
function isInCheckout(file: string, ownScenarios: string | undefined): boolean {
  const isOwn = ownScenarios !== undefined && file.startsWith(`${ownScenarios}/`)
  return !isOwn && !/^\.\.[/\\]|(?:^|[/\\])node_modules[/\\]/.test(file)
}

function annotation(
  kind: Annotation['kind'],
  found: CheckInContext,
  { invocation, ownScenarios }: RenderOptions,
): Annotation {
  const { scenario, check, requirement, exchange } = found
  const judged = check.verdict === 'fail' || check.verdict === 'drift'
  return {
    kind,
    ...(isInCheckout(scenario.file, ownScenarios) && { file: scenario.file }),
    title: `${check.requirement} ${scenario.id} > ${check.step}`,
    lines: [
      ...(check.known === undefined ? [] : [knownWords(check)]),
      ...(requirement === undefined ? [] : [requirement.text]),
      ...(judged ? [`expected: ${check.expected}`, `actual: ${check.actual}`] : [whyNot(check, exchange)]),
      ...(judged && check.note !== undefined ? [`likely cause: ${check.note}`] : []),
      `again: ${rerunCommand(invocation, scenario.id)}`,
    ],
  }
}
