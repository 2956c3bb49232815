import type { RunResult } from './result.ts'

/** The checks that a selection (`--only`, `--tag`, ...) left in the run and that a verdict is about. */
interface SelectedChecks {
  passed: number
  total: number
}

/** Not counted: what a target may choose (observed, drifted, tolerated answers), and what a baseline names. */
export function selectedChecks({ scenarios }: RunResult): SelectedChecks {
  const verdicts = scenarios
    .flatMap(({ checks }) => checks)
    .filter(({ reason, known }) => reason !== 'filtered' && known === undefined)
    .map(({ verdict }) => verdict)
    .filter((verdict) => verdict !== 'observed' && verdict !== 'drift' && verdict !== 'tolerated')
  return { passed: verdicts.filter((verdict) => verdict === 'pass').length, total: verdicts.length }
}

/** Whether the run chose among the scenarios of its profile, so that its verdict cannot be about all of it. */
export function isSelection({ profile, scenarios }: RunResult): boolean {
  const inRun = new Set<string>()
  const left = new Set<string>()
  for (const { requirement, reason } of scenarios.flatMap(({ checks }) => checks))
    (reason === 'filtered' ? left : inRun).add(requirement)
  return profile.requirements.some((id) => left.has(id) || !inRun.has(id))
}

/** `59 of 59 selected checks passed`; null if one did not, none was carried out, or the whole profile was run. Known failures do not count. */
export function selectionPassed(run: RunResult): string | null {
  const { passed, total } = selectedChecks(run)
  const isKnown = run.scenarios.some(({ checks }) => checks.some(({ known }) => known !== undefined))
  const isNothing = passed === 0 && !isKnown
  if (run.verdict !== 'not_fully_verified' || isNothing || passed < total || !isSelection(run)) return null
  return `${passed} of ${total} selected checks passed`
}
