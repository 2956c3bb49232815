import type { CheckChange, ObservationChange, RunDiff } from '../../conformance/log/diff-runs.ts'
import { answerText } from '../../conformance/reporters/answers.ts'
import { escapeLine, shorten } from '../../conformance/reporters/escape.ts'
import { paintWith } from '../../conformance/reporters/paint.ts'
import type { CheckResult } from '../../conformance/result.ts'

const MAX_CHARACTERS = 300

/** What is different, for a person: what was lost first. */
export function diffText(diff: RunDiff, colour: boolean): string {
  const { bold } = paintWith(colour)
  const sections: [title: string, lines: string[]][] = [
    ['LOST: carried out before, and not any more', diff.lost.map(changeLine)],
    ['NEWLY FAILING', diff.newlyFailing.map(changeLine)],
    ['NO LONGER PROVED', diff.newlyUnproved.map(changeLine)],
    ['Newly passing', diff.newlyPassing.map(changeLine)],
    ['Newly carried out', diff.gained.map(changeLine)],
    ['Judged otherwise', diff.changed.map(changeLine)],
    ['Answers to open points that changed', diff.observations.map(observationLine)],
    [
      'Not the same run of the same thing',
      diff.identity.map(({ what, before, after }) => `${what}: ${before} -> ${after}`),
    ],
  ]
  const told = sections.filter(([, lines]) => lines.length > 0)
  if (told.length === 0) return 'no difference\n'
  return told
    .map(([title, lines]) => `${bold(`${title} (${lines.length})`)}\n${lines.map(indented).join('')}`)
    .join('\n')
}

function indented(line: string): string {
  return `  ${shorten(escapeLine(line), MAX_CHARACTERS)}\n`
}

function changeLine({ scenario, step, requirement, before, after }: CheckChange): string {
  return `${requirement}  ${scenario} > ${step}  ${verdictOf(before)} -> ${verdictOf(after)}${why(after)}`
}

function verdictOf(check: CheckResult | null): string {
  if (check === null) return 'absent'
  return check.reason === undefined ? check.verdict : `${check.verdict} (${check.reason})`
}

function why(check: CheckResult | null): string {
  if (check === null) return ''
  const known = check.known ? `known failure until ${check.known.until}: ${check.known.reason}; ` : ''
  if (check.verdict === 'fail') return `: ${known}expected ${check.expected}, got ${check.actual}`
  return check.note === undefined || check.verdict === 'pass' ? '' : `: ${check.note}`
}

function observationLine({ gap, scenario, before, after }: ObservationChange): string {
  return `${gap}  ${scenario}  ${valuesText(before)} -> ${valuesText(after)}`
}

function valuesText(values: readonly unknown[]): string {
  if (values.length === 0) return 'not observed'
  return values.map(answerText).join(' | ')
}

/** The same for programs. */
export function diffView(diff: RunDiff, worse: boolean) {
  return {
    worse,
    lost: diff.lost.map(changeView),
    newly_failing: diff.newlyFailing.map(changeView),
    newly_unproved: diff.newlyUnproved.map(changeView),
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

function checkView(check: CheckResult | null) {
  if (check === null) return null
  const { verdict, expected, actual, reason, note, known } = check
  return {
    ...{ verdict, expected, actual },
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { note }),
    ...(known === undefined ? {} : { known }),
  }
}
