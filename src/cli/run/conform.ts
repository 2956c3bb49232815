import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { sleep } from '../../clock/wall-clock.ts'
import { selected } from '../../conformance/engine/selection.ts'
import { escapeLine, shorten } from '../../conformance/reports/escape.ts'
import { checkCountsText, checksWith, outcomeOf, reportModelOf } from '../../conformance/reports/report-model.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { PROFILES_FILE, REQUIREMENTS_FILE } from '../../package-files.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { errorLine } from '../output/problem-lines.ts'
import { SCENARIOS_DIRECTORY } from '../read-registry.ts'
import { CliError, type Session } from '../session.ts'
import { prepareBaseline } from './baseline.ts'
import { judge } from './judge.ts'
import { type ConformOptions, narrowedToFailed, prepare, type RunInputs, refuseCombinations } from './options.ts'
import { prepareReports, type WantedReport, wantedReports } from './reports.ts'
import { namedTarget, type OpenedTarget, renewWorld } from './target.ts'

/** Runs the scenarios against the target of the command line, writes the reports, and says how it ended. */
export async function conform(url: string | undefined, given: ConformOptions, session: Session): Promise<ExitCode> {
  refuseCombinations(given)
  const options = narrowedToFailed(given)
  const reports = reportsOf(options, session)
  const open = namedTarget(url, options, session)
  if (options.watch) {
    // A target file is read again.
    return watchAndRun({ open: () => namedTarget(url, options, session)(), reports, options, session })
  }
  // A sandbox of our own starts in a thread of its own, while this one reads the scenarios.
  const opening = open()
  try {
    const prepared = prepare(options)
    prepareReports(reports)
    prepareBaseline(options)
    const opened = await opening
    const signal = session.interrupted()
    return (await judge({ opened, reports, prepared, options, signal, session })).code
  } finally {
    const opened = await opening.catch(() => null)
    await opened?.close()
  }
}

/** A dry run lists what it would do, and a watch what came of each run, in the place of a report. */
function reportsOf(options: ConformOptions, { env }: Session): WantedReport[] {
  const isSilent = (options.dryRun || options.watch) && options.reporter === undefined && options.output === undefined
  return isSilent ? [] : wantedReports(options, env)
}

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
async function watchAndRun({ open, ...watched }: Watched): Promise<ExitCode> {
  const { options, session } = watched
  const signal = session.interrupted()
  const { scenarios = [SCENARIOS_DIRECTORY], target, baseline } = options
  const named = [target, baseline].filter((file) => file !== undefined)
  const nextChange = watchFiles([REQUIREMENTS_FILE, PROFILES_FILE, ...scenarios, ...named])
  let opened: OpenedTarget | null = null
  // A sandbox of our own stays, and its world begins again; any other target is read again from its file.
  const freshTarget = async (): Promise<OpenedTarget> => {
    if (opened && options.self) await renewWorld(opened.target)
    else opened = await open()
    return opened
  }
  const close = () => opened?.close()
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
function concerned(prepared: RunInputs, options: ConformOptions, changed: ReadonlySet<string>): RunInputs | null {
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
  const model = reportModelOf(result)
  const lines = checksWith(model, 'fail', 'harness_error', 'inconclusive', 'drift').map(({ scenario, check }) => {
    const what = `${check.requirement} ${scenario.id} > ${check.step}: ${check.actual}, expected: ${check.expected}`
    return `${outcomeOf(check.verdict).toUpperCase()}  ${shorten(escapeLine(what), MAX_CHARACTERS)}`
  })
  const ran = result.scenarios.filter(({ checks }) => checks.some(({ reason }) => reason !== 'filtered'))
  const [only] = ran
  const what = ran.length === 1 && only ? escapeLine(only.id) : `${ran.length} scenarios`
  return `${[...lines, `${what}: ${checkCountsText(model)} (${Math.round(result.durationMs)} ms)`].join('\n')}\n`
}

const LOOK_EVERY_MS = 300

/**
 * Watches single files and every YAML file below folders, by reading them again and again: that notices every way in which
 * an editor writes a file, on every file system, and costs a few milliseconds.
 *
 * @returns what waits for files that changed since the last call, came or went; it returns null once the signal aborts.
 */
export function watchFiles(paths: readonly string[]): (signal: AbortSignal) => Promise<ReadonlySet<string> | null> {
  let known = contentsOf(paths)
  return async (signal) => {
    for (let last = known; ; ) {
      await sleep(LOOK_EVERY_MS, signal)
      if (signal.aborted) return null
      const now = contentsOf(paths)
      const changed = differences(known, now)
      // Editors write in several steps: a change counts as soon as two looks find the same.
      const isCalm = differences(last, now).size === 0
      last = now
      if (changed.size === 0 || !isCalm) continue
      known = now
      return changed
    }
  }
}

type Contents = ReadonlyMap<string, string>

function contentsOf(paths: readonly string[]): Contents {
  const files = paths.flatMap((path) => orNothing(() => filesAt(path)))
  return new Map(files.flatMap((file) => orNothing((): [string, string][] => [[file, readFileSync(file, 'utf8')]])))
}

/** Without what editors keep beside a file while it is open. */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [resolve(path)]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name) && !basename(name).startsWith('.'))
    .map((name) => join(resolve(path), name))
}

/** A file or folder may go away between two looks at it. */
function orNothing<Item>(read: () => Item[]): Item[] {
  try {
    return read()
  } catch {
    return []
  }
}

function differences(before: Contents, after: Contents): Set<string> {
  const files = [...before.keys(), ...after.keys()]
  return new Set(files.filter((file) => before.get(file) !== after.get(file)))
}
