import { escapeLine } from '../../conformance/reports/escape.ts'
import { counted } from '../../contract/words.ts'
import type { DefectRow } from '../../proof/self-test/defect-list.ts'
import type { CheckName, DefectRun, RequirementRow, SelftestResult } from '../../proof/self-test/result.ts'
import type { SelftestProgress } from '../../proof/self-test/run-selftest.ts'
import type { Session } from '../session.ts'
import { progressLine } from './progress-line.ts'
import { type Column, table, wrapped } from './table.ts'

/**
 * Shows a self-test as it goes: on a terminal one line that is written over and over, elsewhere a line at intervals;
 * everywhere a line for each problem as it is found.
 */
export function selftestProgress(session: Session): { show(progress: SelftestProgress): void; finish(): void } {
  const line = progressLine(session, { width: session.columns - 1 })
  return {
    show({ done, of, name, problem }) {
      if (problem !== null) {
        line.clear()
        session.err(`${escapeLine(problem)}\n`)
      }
      line.draw(`${done}/${of} ${escapeLine(name)}`)
      if (!session.errIsTerminal && (done % 25 === 0 || done === of)) session.err(`${done}/${of}\n`)
    },
    finish: line.clear,
  }
}

/** Everything a person wants to know of a self-test: the matrix, the counts, and what was wrong. */
export function selftestReport(result: SelftestResult): string {
  const parts = [
    result.requirements.length > 0 ? matrix(result.requirements) : defectRuns(result.defects),
    counts(result),
    idleChecks(result),
    result.problems.map((problem) => `${escapeLine(problem)}\n`).join(''),
    result.passed ? 'passed\n' : `not passed: ${counted(result.problems.length, 'problem')}\n`,
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** Which defect is noticed by the checks of which requirement. */
function matrix(rows: readonly RequirementRow[]): string {
  return table(rows, [
    ['REQUIREMENT', 'id'],
    ['CHECKS', 'checks', 'count'],
    ['KILLED', ({ killed, unnoticed }) => `${killed.length}/${killed.length + unnoticed.length}`, 'count'],
    ['DEFECTS', defectsOf],
  ])
}

/** In one cell: a second wide column would push the first one apart. */
function defectsOf({ killed, unnoticed }: RequirementRow): string {
  if (unnoticed.length === 0) return killed.join(', ')
  return `${killed.join(', ')}${killed.length > 0 ? '; ' : ''}NOT NOTICED: ${unnoticed.join(', ')}`
}

function defectRuns(runs: readonly DefectRun[]): string {
  return table(runs, [
    ['DEFECT', 'id'],
    ['BREAKS', 'breaks'],
    ['KILLED BY', ({ killedBy }) => killedBy.map(placeOf)],
    ['ALSO RED', ({ alsoRed }) => alsoRed.map(placeOf)],
  ])
}

function placeOf({ scenario, step, requirement }: CheckName): string {
  return `${scenario}#${step} ${requirement}`
}

function counts({ sound, defects, freedoms, degenerates, neverRed, tookMs }: SelftestResult): string {
  const killed = defects.filter(({ killedBy, failure }) => killedBy.length > 0 && failure === null).length
  const rows: [what: string, count: string][] = [['defects killed', `${killed} of ${defects.length}`]]
  if (sound) {
    const quiet = freedoms.filter(({ red, failure }) => red.length === 0 && failure === null).length
    const seenThrough = degenerates.filter(({ verdict }) => verdict !== null && verdict !== 'conforming').length
    rows.unshift([
      'sound sandbox',
      `${sound.verdict}, ${sound.passed.length} checks passed, ${sound.notGreen.length} not`,
    ])
    rows.push(['gap variations without a red check', `${quiet} of ${freedoms.length}`])
    rows.push(['bad servers not green', `${seenThrough} of ${degenerates.length}`])
    rows.push(['checks that no defect turns red', String(neverRed.length)])
  }
  rows.push(['took', `${Math.round(tookMs / 1_000)} s`])
  return table(rows, [
    ['', ([what]) => what],
    ['', ([, count]) => count],
  ]).trimStart()
}

function idleChecks({ neverRed }: SelftestResult): string {
  if (neverRed.length === 0) return ''
  return `checks that no defect turns red:\n${neverRed.map((check) => `  ${escapeLine(placeOf(check))}\n`).join('')}`
}

/**
 * The defects, to choose from. What each breaks follows its summary: some break much, and would push the rest apart.
 *
 * @param widthCharacters of the terminal; null for one line a defect.
 */
export function defectTable(defects: readonly DefectRow[], widthCharacters: number | null): string {
  const columns: Column<DefectRow>[] = [
    ['DEFECT', 'id'],
    ['SUMMARY (BREAKS)', ({ summary, breaks }) => `${summary} (${breaks.join(', ')})`],
  ]
  return wrapped(defects, columns, widthCharacters)
}
