import { type CheckChange, diffRuns, isLeftOut, isWorse, type RunDiff } from '../../conformance/log/diff-runs.ts'
import { escapeLine, jsonText, shorten } from '../../conformance/reports/escape.ts'
import { messageOf } from '../../conformance/reports/not-verified.ts'
import { answerText } from '../../conformance/reports/open-points.ts'
import type { Paint } from '../../conformance/reports/paint.ts'
import { OUTCOME_OF } from '../../conformance/reports/report-model.ts'
import type { CheckResult, CheckVerdict } from '../../conformance/result/result.ts'
import { counted, grouped } from '../../contract/words.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { colors } from '../output/color.ts'
import type { Session } from '../session.ts'
import { readLogFile } from './logs.ts'

export function printDiff(
  before: string,
  after: string,
  { json = false, all = false }: { json?: boolean; all?: boolean },
  session: Session,
): ExitCode {
  const diff = diffRuns(readLogFile(before).result, readLogFile(after).result)
  const worse = isWorse(diff)
  if (json) session.out(`${jsonText(diffView(diff, worse), 2)}\n`)
  else session.out(diffText(diff, colors(session), all))
  return worse ? EXIT_CODES.refused : EXIT_CODES.ok
}

const MAX_CHARACTERS = 300
/** For " (12345 times)". */
const MAX_COUNT_CHARACTERS = 16

/** More checks than these are listed by scenario. */
const MOST_CHECKS = 10

/** What is different, for a person: what was lost first. With `all` every check has a line of its own, however many there are. */
function diffText(diff: RunDiff, { bold }: Paint, all: boolean): string {
  const checks = checkSections(diff).map(([title, changes]): DiffSection => {
    return [title, changes.length, changeLines(changes, all)]
  })
  const sections = [...checks, ...otherSections(diff)].filter(([, count]) => count > 0)
  if (sections.length === 0) return 'no difference\n'
  const texts = sections.map(([title, count, lines]) => {
    const shown = lines.map((line) => `  ${shorten(escapeLine(line), MAX_CHARACTERS + MAX_COUNT_CHARACTERS)}\n`)
    return `${bold(`${title} (${count})`)}\n${shown.join('')}`
  })
  const isFolded = !all && checks.some(([, count]) => count > MOST_CHECKS)
  return `${narrowedLine(diff)}${texts.join('\n')}${isFolded ? FOLDED : ''}`
}

const FOLDED = '\nGrouped by scenario; --all or --json shows every check.\n'

type DiffSection = readonly [title: string, count: number, lines: string[]]

function checkSections(diff: RunDiff): [title: string, changes: CheckChange[]][] {
  return [
    ['LOST: ran before, not run now', diff.lost.filter((change) => !isLeftOut(change))],
    ['LOST: left out of the second run, or nothing to judge there', diff.lost.filter(isLeftOut)],
    ['NOW FAILED', diff.newlyFailing],
    ['NOW INCONCLUSIVE', diff.newlyInconclusive],
    ['Now passed', diff.newlyPassing],
    ['Not run before', diff.gained],
    ['Otherwise changed', diff.changed],
  ]
}

function otherSections({ observations, identity }: RunDiff): DiffSection[] {
  const differences = identity.map(({ what, before, after }) => `${what}: ${before} -> ${after}`)
  const answers = observations.map(
    ({ gap, scenario, before, after }) => `${gap}  ${scenario}  ${valuesText(before)} -> ${valuesText(after)}`,
  )
  return [
    ['Answers to open points that changed', observations.length, once(answers)],
    ['The runs have different inputs', identity.length, differences],
  ]
}

/** A run of some scenarios proves less. The target is not the cause. */
function narrowedLine({ lost }: RunDiff): string {
  const scenarios = new Set(lost.filter(isLeftOut).map(({ scenario }) => scenario)).size
  if (scenarios === 0) return ''
  return `The second run was narrowed: its selection leaves out ${counted(scenarios, 'scenario')} that the first one ran.\n\n`
}

function changeLines(changes: readonly CheckChange[], all: boolean): string[] {
  if (all || changes.length <= MOST_CHECKS) return once(changes.map(changeLine))
  return [...grouped(changes, ({ scenario }) => scenario)].map(([scenario, own]) => {
    const ids = [...new Set(own.map(({ requirement }) => requirement))].join(' ')
    return `${scenario}  ${counted(own.length, 'check')}: ${ids}`
  })
}

/** The same line once, with the number of times it would be there. */
function once(lines: readonly string[]): string[] {
  return [...grouped(lines, (line) => line)].map(([line, { length: times }]) =>
    times === 1 ? line : `${shorten(line, MAX_CHARACTERS)} (${times} times)`,
  )
}

function changeLine({ scenario, step, requirement, before, after }: CheckChange): string {
  return `${requirement}  ${scenario} > ${step}  ${verdictOf(before)} -> ${verdictOf(after)}${why(after)}`
}

function verdictOf(check: CheckResult | null): string {
  if (check === null) return 'absent'
  const { verdict, reason } = check
  const more = reason ?? MORE_OF[verdict]
  return more === undefined ? OUTCOME_OF[verdict] : `${OUTCOME_OF[verdict]} (${more})`
}

/** What the word alone does not say. */
const MORE_OF: Partial<Record<CheckVerdict, string>> = {
  drift: 'not as pinned',
  tolerated: 'another sentence of the document',
  harness_error: 'an error of the runner',
}

function why(check: CheckResult | null): string {
  if (check?.verdict === 'fail') return `: ${messageOf({ check, exchange: undefined })}`
  return check === null || check.note === undefined || check.verdict === 'pass' ? '' : `: ${check.note}`
}

function valuesText(values: readonly unknown[]): string {
  return values.map(answerText).join(' | ') || 'not observed'
}

/** The same for programs. */
function diffView(diff: RunDiff, worse: boolean) {
  return {
    worse,
    lost: diff.lost.map(changeView),
    newly_failing: diff.newlyFailing.map(changeView),
    newly_unproved: diff.newlyInconclusive.map(changeView),
    newly_passing: diff.newlyPassing.map(changeView),
    gained: diff.gained.map(changeView),
    changed: diff.changed.map(changeView),
    observations: diff.observations,
    identity: diff.identity,
  }
}

function changeView({ scenario, step, requirement, before, after }: CheckChange) {
  return { scenario, step, requirement, before: checkView(before), after: checkView(after) }
}

/** JSON leaves out what a check has not. */
function checkView(check: CheckResult | null) {
  if (check === null) return null
  const { verdict, expected, actual, reason, note, known } = check
  return { verdict, expected, actual, reason, note, known }
}
