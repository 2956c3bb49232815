import type { Conflict } from '../format/requirements.ts'
import type { RunResult } from '../result/result.ts'
import { checksWith, grouped } from './digest.ts'
import { escapeMarkdown, markdownCode } from './escape.ts'
import { by, codeOf, heading, type NamedRun } from './questions-point.ts'

/** Where two sentences of the document give different answers: both, and which of them each target was seen to give. */
export function conflictLines(runs: readonly NamedRun[], conflicts: readonly Conflict[]): string[][] {
  const met = runs.flatMap(({ run }) => checksWith(run, ['tolerated']).map(({ check }) => check.requirement))
  const ids = new Set([...conflicts.map(({ requirement }) => requirement), ...met])
  return [...ids].map((id) => [
    ...headingOf(runs, id),
    ...conflicts.filter(({ requirement }) => requirement === id).map(otherSentence),
    ...seenLines(runs, id),
    '',
  ])
}

function headingOf(runs: readonly NamedRun[], id: string): string[] {
  const row = runs.flatMap(({ run }) => run.requirements).find((requirement) => requirement.id === id)
  return row ? heading(row) : [`### ${escapeMarkdown(id)}`, '']
}

function otherSentence({ tolerates, why }: Conflict): string {
  return `- another sentence allows ${tolerates.map(markdownCode).join(', ')}: ${escapeMarkdown(why)}`
}

/** Answers by their beginning, which names status and code; what follows is the target's own words. */
function seenLines(runs: readonly NamedRun[], id: string): string[] {
  const seen = runs.flatMap(({ name, run }) => [...new Set(answersTo(run, id))].map((answer) => ({ answer, name })))
  if (seen.length === 0) return ['- seen: nothing']
  return [...grouped(seen, ({ answer }) => answer)].map(([answer, own]) => {
    const names = own.map(({ name }) => name)
    return `- seen: ${codeOf(answer)}${by(names, runs)}`
  })
}

function answersTo(run: RunResult, id: string): string[] {
  return checksWith(run, ['pass', 'tolerated', 'fail'])
    .filter(({ check }) => check.requirement === id)
    .map(({ check }) => check.actual.split(': ')[0] ?? '')
}
