import { resolve } from 'node:path'
import { selected } from '../../conformance/engine/selection.ts'
import { checksWith, grouped } from '../../conformance/reports/digest.ts'
import { escapeLine, shorten } from '../../conformance/reports/escape.ts'
import type { CheckVerdict, RunResult } from '../../conformance/result/result.ts'
import { PROFILES_FILE, REQUIREMENTS_FILE } from '../../package-files.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { errorLine } from '../output/problem-lines.ts'
import { SCENARIOS_DIRECTORY } from '../read-registry.ts'
import { CliError, type Session } from '../session.ts'
import { judge } from './judge.ts'
import { type ConformOptions, type Prepared, prepare } from './options.ts'
import { prepareReports, type WantedReport } from './reports.ts'
import { type OpenedTarget, renewWorld } from './target.ts'
import { watchFiles } from './watch-files.ts'

/** What is run again and again. */
interface Watched {
  /** Reads the target file again, or starts a sandbox of our own. */
  open(): Promise<OpenedTarget>
  reports: readonly WantedReport[]
  options: ConformOptions
  session: Session
}

/**
 * Runs once, and again after each change: only the changed scenario, or everything if another file changed. Files with
 * errors are reported, and the watch goes on. Ctrl-C ends it with the exit code of the last run.
 */
export async function watchAndRun({ open, ...watched }: Watched): Promise<ExitCode> {
  const { options, session } = watched
  const signal = session.interrupted()
  const nextChange = watchFiles(pathsOf(options))
  let opened: OpenedTarget | null = null
  // A sandbox of our own stays, and its world begins again; any other target is read again from its file.
  const freshTarget = async (): Promise<OpenedTarget> => {
    if (opened && options.self) await renewWorld(opened.target)
    else opened = await open()
    return opened
  }
  const close = async () => opened?.close()
  let code: ExitCode = EXIT_CODES.ok
  let changed: ReadonlySet<string> | null = new Set<string>()
  try {
    while (changed !== null) {
      code = (await runAgain(watched, freshTarget, changed, signal)) ?? code
      if (signal.aborted) break
      session.err('watching; Ctrl-C ends this\n')
      changed = await nextChange(signal)
    }
    return code
  } finally {
    await close()
  }
}

function pathsOf({ scenarios, target, baseline }: ConformOptions): string[] {
  const own = [REQUIREMENTS_FILE, PROFILES_FILE, ...(scenarios ?? [SCENARIOS_DIRECTORY])]
  return [...own, ...[target, baseline].filter((file) => file !== undefined)]
}

/** The exit code of the scenarios that a change affects; null if it affects none that is selected. */
async function runAgain(
  { options, reports, session }: Omit<Watched, 'open'>,
  freshTarget: () => Promise<OpenedTarget>,
  changed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ExitCode | null> {
  try {
    const prepared = concerned(prepare(options), options, changed)
    if (prepared === null) {
      session.err('this change affects no selected scenario\n')
      return null
    }
    prepareReports(reports)
    const { code, result } = await judge({ opened: await freshTarget(), reports, prepared, options, signal, session })
    session.out(watchLines(result))
    return code
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    session.err(errorLine(error))
    return error.exitCode
  }
}

/** What to run after these files changed. The first time none did, and everything runs. */
function concerned(prepared: Prepared, options: ConformOptions, changed: ReadonlySet<string>): Prepared | null {
  const { scenarios, only } = prepared
  const ids = new Map(scenarios.map(({ file, id }) => [resolve(file), id]))
  const isScenario = (file: string): boolean =>
    ids.has(file) || isBelow(file, options.scenarios ?? [SCENARIOS_DIRECTORY])
  if (changed.size === 0 || ![...changed].every(isScenario)) return prepared
  const touched = selected(only, scenarios).filter(({ file }) => changed.has(resolve(file)))
  if (touched.length === 0) return null
  return { ...prepared, only: { ...only, scenarios: touched.map(({ id }) => id) } }
}

function isBelow(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => file === resolve(path) || file.startsWith(`${resolve(path)}/`))
}

const MAX_CHARACTERS = 200

/** What came of one run of many: what is wrong, and the counts. */
function watchLines(result: RunResult): string {
  const wrong = checksWith(result, ['fail', 'harness_error', 'inconclusive', 'drift'])
  const lines = wrong.map(({ scenario, check }) => {
    const what = `${check.requirement} ${scenario.id} > ${check.step}: ${check.actual}, expected: ${check.expected}`
    return `${WORDS[check.verdict] ?? check.verdict}  ${shorten(escapeLine(what), MAX_CHARACTERS)}`
  })
  const ran = result.scenarios.filter(({ checks }) => checks.some(({ reason }) => reason !== 'filtered'))
  const [only] = ran
  const what = ran.length === 1 && only ? escapeLine(only.id) : `${ran.length} scenarios`
  return `${[...lines, `${what}: ${countsOf(ran)} (${Math.round(result.durationMs)} ms)`].join('\n')}\n`
}

const WORDS: Readonly<Partial<Record<CheckVerdict, string>>> = {
  fail: 'FAIL',
  harness_error: 'ERROR',
  inconclusive: 'NOT PROVED',
  drift: 'DRIFT',
}

function countsOf(scenarios: RunResult['scenarios']): string {
  const checks = grouped(
    scenarios.flatMap((scenario) => scenario.checks),
    ({ verdict }) => verdict,
  )
  return [...checks].map(([verdict, own]) => `${own.length} ${verdict.replaceAll('_', ' ')}`).join(', ') || 'no checks'
}
