import { statSync } from 'node:fs'
import { type BaselinedRun, type BaselineEntry, newEntries } from '../../conformance/engine/baseline.ts'
import { baselineText, loadBaseline } from '../../conformance/engine/baseline-file.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { counted } from '../../contract/words.ts'
import { appendText, refuseUnreadable, replaceText } from '../files.ts'
import { refuseProblems } from '../output/problem-lines.ts'
import { editorLine, schemaFile } from '../scenario/editor-line.ts'
import { CliError } from '../session.ts'

/** The entries of `--baseline`; null if none was named. */
export function readBaseline(file: string | undefined, scenarios: readonly LoadedScenario[]): BaselineEntry[] | null {
  if (file === undefined) return null
  refuseUnreadable(file, '--baseline')
  const { entries, problems } = loadBaseline(file, scenarios)
  refuseProblems(problems)
  return entries
}

/** A long run must not be lost to a wrong path, and reasons that a person wrote must not be written over. */
export function prepareBaseline({ baseline, writeBaseline }: { baseline?: string; writeBaseline?: string }): void {
  if (writeBaseline === undefined) return
  const there = statSync(writeBaseline, { throwIfNoEntry: false })
  if (there && there.size > 0 && writeBaseline !== baseline)
    throw new CliError(
      `--write-baseline: ${writeBaseline} already exists; also give it as --baseline, or name another file`,
    )
  appendText(writeBaseline, '--write-baseline', '')
}

/** Writes known and new failures, the new ones with the reason and the last day that were given, and returns what is left to do. */
export function writeBaseline(
  file: string,
  result: RunResult,
  earlier: readonly BaselineEntry[],
  baselined: BaselinedRun | null,
  given: Partial<Pick<BaselineEntry, 'reason' | 'until'>>,
): string {
  const gone = new Set([
    ...(baselined?.stale ?? []),
    ...(baselined?.expired ?? []),
    ...(baselined?.changed.map(({ entry }) => entry) ?? []),
  ])
  const kept = earlier.filter((entry) => !gone.has(entry))
  const added = newEntries(result).map((entry) => ({ ...entry, ...given }))
  replaceText(file, '--write-baseline', editorLine(file, schemaFile('baseline')) + baselineText([...kept, ...added]))
  const lacks = [
    ...(given.reason === undefined ? ['a reason'] : []),
    ...(given.until === undefined ? ['a last day'] : []),
  ]
  const todo =
    added.length === 0 || lacks.length === 0
      ? ''
      : `; ${added.length} of them need ${lacks.join(' and ')} before the file can be used (--reason TEXT, --until DAY)`
  return `wrote ${file}: ${counted(kept.length + added.length, 'known failure')}${todo}\n`
}

/** What a baseline shows about a run, one line each. */
export function baselineLines({ result, stale, changed, expired, unseen }: BaselinedRun): string {
  const known = result.scenarios.flatMap(({ checks }) => checks.filter((check) => check.known)).length
  const line = ({ check, requirement }: BaselineEntry, says: string) =>
    `baseline: ${escapeLine([check, requirement, says].filter((word) => word !== undefined).join(' '))}\n`
  return [
    ...(known > 0 ? [`baseline: ${counted(known, 'known failure')}, as expected\n`] : []),
    ...stale.map((entry) => line(entry, 'passes now: remove the entry, or use --write-baseline')),
    ...changed.map(({ entry, fingerprint }) =>
      line(entry, `fails differently now: ${fingerprint} (known: ${entry.fingerprint ?? 'any failure'})`),
    ),
    ...expired.map((entry) => line(entry, `expired after ${entry.until}`)),
    ...unseen.map((entry) => line(entry, 'did not run this time; the entry stays')),
  ].join('')
}
