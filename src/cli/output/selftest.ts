import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import { rulesOfAllCalls } from '../../conformance/format/suite-coverage.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import { counted } from '../../contract/words.ts'
import type { DefectRow } from '../../proof/self-test/defect-list.ts'
import type {
  BadServerRun,
  CheckPlace,
  DefectRun,
  GapVariationRun,
  RequirementRow,
  SelftestResult,
} from '../../proof/self-test/result.ts'
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
  const { quick, requirements, defects, neverRed, problems } = result
  const details = requirements.length > 0 ? matrix(requirements) : defectRuns(defects)
  const idle = neverRed.map((check) => `  ${escapeLine(placeOf(check))}\n`).join('')
  const parts = [
    quick === null ? details : '',
    counts(result),
    idle === '' ? '' : `checks that no defect turns red:\n${idle}`,
    problems.map((problem) => `${escapeLine(problem)}\n`).join(''),
    result.passed ? 'passed\n' : `not passed: ${counted(problems.length, 'problem')}\n`,
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** Which defect is noticed by the checks of which requirement, in one cell: a second wide column would push the first one apart. */
function matrix(rows: readonly RequirementRow[]): string {
  return table(rows, [
    ['REQUIREMENT', 'id'],
    ['CHECKS', 'checks', 'count'],
    ['KILLED', ({ killed, unnoticed }) => `${killed.length}/${killed.length + unnoticed.length}`, 'count'],
    [
      'DEFECTS',
      ({ killed, unnoticed }) => {
        const parts = [killed.join(', '), unnoticed.length === 0 ? '' : `NOT NOTICED: ${unnoticed.join(', ')}`]
        return parts.filter((part) => part !== '').join('; ')
      },
    ],
  ])
}

function defectRuns(runs: readonly DefectRun[]): string {
  return table(runs, [
    ['DEFECT', 'id'],
    ['BREAKS', 'breaks'],
    ['KILLED BY', ({ killedBy }) => killedBy.map(placeOf)],
    ['ALSO RED', ({ alsoRed }) => alsoRed.map(placeOf)],
  ])
}

function placeOf({ scenario, step, requirement }: CheckPlace): string {
  return `${scenario}#${step} ${requirement}`
}

function counts({ quick, sound, defects, freedoms, degenerates, neverRed, tookMs }: SelftestResult): string {
  const killed = defects.filter(isKilled).length
  const rows: [what: string, count: string][] = [['defects killed', `${killed} of ${defects.length}`]]
  if (sound) {
    const quiet = freedoms.filter((run) => !isRed(run)).length
    const seenThrough = degenerates.filter(({ verdict }) => verdict !== null && verdict !== 'conforming').length
    rows.unshift([
      'correct sandbox',
      `${sound.verdict}, ${sound.passed.length} checks passed, ${sound.notGreen.length} not`,
    ])
    rows.push(['gap variations without a red check', `${quiet} of ${freedoms.length}`])
    rows.push(['bad servers not green', `${seenThrough} of ${degenerates.length}`])
    rows.push(
      quick === null ? ['checks that no defect turns red', String(neverRed.length)] : ['chosen by', `--quick ${quick}`],
    )
  }
  rows.push(['took', `${Math.round(tookMs / 1_000)} s`])
  return table(rows, [
    ['', ([what]) => what],
    ['', ([, count]) => count],
  ]).trimStart()
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

/**
 * The results of the self-test of the runner, as a page: requirement by defect, rules by operation, choices, servers that are not a
 * partner API, and what is not proved. It holds only results of a run and no times, so it changes only if the results change.
 */
export function proofPage(
  result: SelftestResult,
  registry: RequirementRegistry,
  scenarios: readonly LoadedScenario[],
): string {
  const neverRed = result.neverRed.map(
    ({ scenario, step, requirement }) => `- \`${scenario}#${step}\` (${requirement})`,
  )
  return [
    '# Self-test results',
    '',
    'Made by `npx partner-sandbox selftest --write-docs docs/proof.md`; every line is a result of that run.',
    '',
    ...countLines(result),
    ...requirementLines(result.requirements, registry),
    ...operationLines(rulesOfAllCalls(scenarios, registry)),
    ...freedomLines(result.freedoms),
    ...badServerLines(result.degenerates),
    ...['', '## Checks that no defect turns red', ''],
    ...(neverRed.length > 0 ? neverRed : ['None.']),
    ...['', '## What cannot be tested from outside', ''],
    ...[...registry.unobservable].map(([id, why]) => `- ${id}: ${why}`),
    '',
  ].join('\n')
}

function countLines({ sound, defects, freedoms, degenerates }: SelftestResult): string[] {
  const killed = defects.filter(isKilled).length
  const quiet = freedoms.filter((run) => !isRed(run)).length
  return [
    `- the correct sandbox: ${sound?.verdict ?? 'not tried'}, ${sound?.passed.length ?? 0} checks passed`,
    `- defects: ${killed} of ${defects.length} killed, each by a check of a requirement that it breaks`,
    `- legal choices: ${quiet} of ${freedoms.length} runs without a red check`,
    `- servers that are not a partner API: ${degenerates.length} tried`,
  ]
}

function requirementLines(rows: readonly RequirementRow[], registry: RequirementRegistry): string[] {
  const lines = rows.map(({ id, checks, killed, unnoticed }) => {
    const text = registry.requirements.get(id)?.text ?? ''
    const left =
      unnoticed.length === 0 ? '' : `; noticed by checks of other requirements: ${unnoticed.map(code).join(', ')}`
    return `| ${id} | ${cell(text)} | ${checks} | ${killed.length} | ${killed.map(code).join(', ')}${left} |`
  })
  return [
    ...['', '## Requirements and the defects that their checks kill', ''],
    '| requirement | | checks | killed | defects |',
    '|---|---|--:|--:|---|',
    ...lines,
  ]
}

/** How often each rule of all calls is tried at each operation. */
export function operationLines(rules: ReturnType<typeof rulesOfAllCalls>): string[] {
  const ids = rules.map(({ requirement }) => requirement)
  const lines = ENDPOINT_IDS.map((op) => {
    const counts = rules.map(({ checks }) => checks.get(op) ?? '-')
    return `| ${code(op)} | ${counts.join(' | ')} |`
  })
  return [
    ...['', '## Rules of all calls, and their checks at each operation', ''],
    'Rules that are tried at two thirds of the operations or more. CANON-08 is about HEAD, so that it is tried at reads. Orders and refunds have',
    'no checks of rules that the profile core is about, since it orders nothing; other rules are tried there instead (`auth/each-order-operation`).',
    ...['', `| operation | ${ids.join(' | ')} |`, `|---|${ids.map(() => '--:|').join('')}`, ...lines],
  ]
}

/** By open point: what else a target may do there, each value alone, and draws of all of them. */
function freedomLines(runs: readonly GapVariationRun[]): string[] {
  const alone = runs.filter(({ choice }) => choice.includes('='))
  const gaps = [...new Set(alone.map(({ choice }) => choice.split('=')[0] ?? ''))]
  const lines = gaps.map((gap) => {
    const of = alone.filter(({ choice }) => choice.startsWith(`${gap}=`))
    const values = of.map(({ choice }) => choice.slice(gap.length + 1)).join(' · ')
    return `| \`${gap}\` | ${cell(values)} | ${of.length} | ${of.filter(isRed).length} |`
  })
  const mixed = runs.filter(({ choice }) => !choice.includes('='))
  return [
    ...['', '## Legal choices, under which no check of any requirement may turn red', ''],
    'The whole suite was run under each of these values alone; the usual value of each is that of the correct sandbox.',
    ...['', '| choice | tried instead | runs | red |', '|---|---|--:|--:|', ...lines],
    ...['', `All choices at once: ${mixed.length} mixes, ${mixed.filter(isRed).length} with a red check.`],
  ]
}

const isKilled = ({ killedBy, failure }: DefectRun): boolean => killedBy.length > 0 && failure === null
const isRed = ({ red, failure }: GapVariationRun): boolean => red.length > 0 || failure !== null

const EITHER_VERDICT: readonly string[] = ['non_conforming', 'not_fully_verified']

function badServerLines(runs: readonly BadServerRun[]): string[] {
  const lines = runs.map(({ name, isOdd, verdict, harnessErrors, failure }) => {
    const note = failure ?? (isOdd ? 'odd, but the document allows it' : '')
    // Written the same for either verdict, so that the page changes only where the proof does.
    const isEither = name.endsWith('intermittently') && EITHER_VERDICT.includes(verdict ?? '')
    return `| ${cell(name)} | ${isEither ? 'either' : (verdict ?? 'none')} | ${harnessErrors} | ${cell(note)} |`
  })
  return [
    ...['', '## Servers that are not a partner API, or hostile ones', ''],
    'Those that fail intermittently forward other calls to a correct sandbox. Which calls fail differs from run to run, so their verdict is',
    'either non_conforming or not_fully_verified. Reports about these servers hold no control characters.',
    ...['', '| a server that | verdict | errors of the runner | |', '|---|---|--:|---|', ...lines],
  ]
}

const code = (text: string) => `\`${text}\``
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim()
