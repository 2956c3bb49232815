import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatDuration } from '../../clock/duration.ts'
import {
  applyBaseline,
  type BaselinedRun,
  type BaselineEntry,
  isDay,
  isOver,
  newEntries,
} from '../../conformance/engine/baseline.ts'
import { baselineIn, baselineText } from '../../conformance/engine/baseline-file.ts'
import { profileOfAll } from '../../conformance/engine/profile.ts'
import { rehearse, runConformance } from '../../conformance/engine/run.ts'
import { type RunOptions, TargetError } from '../../conformance/engine/run-options.ts'
import { selected } from '../../conformance/engine/schedule.ts'
import { idlePins } from '../../conformance/format/pin-problems.ts'
import { loadRequirements } from '../../conformance/format/requirements.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import { escapeLine, shorten } from '../../conformance/reports/escape.ts'
import {
  checkCountsText,
  checksWith,
  earlyEnd,
  OUTCOME_OF,
  reportModelOf,
} from '../../conformance/reports/report-model.ts'
import { isOutside, type RunResult } from '../../conformance/result/result.ts'
import { liveCredential, whyItOnlyReads } from '../../conformance/target/target.ts'
import { readYaml } from '../../conformance/yaml/read-yaml.ts'
import { isObject } from '../../contract/is-object.ts'
import { PROGRAM } from '../../contract/shell-quote.ts'
import { counted } from '../../contract/words.ts'
import { PROFILES_FILE, packageVersion, REQUIREMENTS_FILE } from '../../package-files.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { appendText, refuseUnreadable, replaceText } from '../files.ts'
import { typedAgain } from '../option-parsers.ts'
import { dryRunLines } from '../output/dry-run.ts'
import { errorLine, problemLines, refuseProblems } from '../output/problem-lines.ts'
import { runProgress } from '../output/run-progress.ts'
import { SCENARIOS_DIRECTORY } from '../read-scenarios.ts'
import { editorLine, isBelow, schemaFile } from '../scenario/editor-line.ts'
import { CliError, type Session } from '../session.ts'
import { DEFAULT_VARIABLE } from '../signing/signer.ts'
import { askingPerson } from './ask-person.ts'
import { exitCodeOfRun, openReports, prepareReports, type ReportingOptions, wantedReports } from './reports.ts'
import { loadSelected, type Selection, wantedProfile } from './selection.ts'
import { inOneLine, namedTarget, type OpenedTarget, renewWorld, type TargetOptions } from './target.ts'
import { watchFiles } from './watch.ts'

/** Runs the scenarios against the target of the command line, writes the reports, and says how it ended. */
export async function conform(url: string | undefined, given: ConformOptions, session: Session): Promise<ExitCode> {
  const contradiction = CONTRADICTIONS.find(([one, other]) => given[one] !== undefined && given[other] !== undefined)
  if (contradiction) throw new CliError(contradiction[2])
  const { writeBaseline, reason, until } = given
  if (writeBaseline === undefined && (reason ?? until) !== undefined)
    throw new CliError('--reason and --until go with --write-baseline: they are for the entries that it adds')
  if (reason?.trim() === '') throw new CliError('--reason: it must not be empty')
  if (until !== undefined && !isDay(until)) throw new CliError('--until: it must be a day such as 2030-06-30')
  if (until !== undefined && isOver(until, session.wall.nowMs())) throw new CliError(`--until: ${until} is over`)
  const options = given.rerunFailed === undefined ? given : await narrowedToFailed(given, given.rerunFailed)
  // A dry run lists what it would do, and a watch what came of each run, in the place of a report.
  const isSilent = (options.dryRun || options.watch) && options.reporter === undefined && options.output === undefined
  const reports = isSilent ? [] : wantedReports(options, session.env)
  const open = namedTarget(url, options, session)
  if (options.watch) {
    // A target file is read again.
    return watchAndRun({ open: () => namedTarget(url, options, session)(), reports, options, session })
  }
  // A sandbox of our own starts in a thread of its own, while this one reads the scenarios.
  const opening = open()
  try {
    const prepared = prepare(options, session)
    prepareReports(reports)
    if (writeBaseline !== undefined) prepareBaseline(writeBaseline, options.baseline)
    const opened = await opening
    const signal = session.interrupted()
    return (await judge({ opened, reports, prepared, options, signal, session })).code
  } finally {
    const opened = await opening.catch(() => null)
    await opened?.close()
  }
}

/** What `conform` was asked for. */
interface ConformOptions extends TargetOptions, Selection, ReportingOptions {
  selected?: boolean
  baseline?: string
  writeBaseline?: string
  /** Of the entries that --write-baseline adds. */
  reason?: string
  /** The last day of these entries. */
  until?: string
  /** Log of a run whose failed scenarios are to run, and no others. */
  rerunFailed?: string
  dryRun?: boolean
  watch?: boolean
  /** True: one failing scenario. */
  bail?: number | true
  maxWait?: number
  ask?: boolean
}

/** Flags that contradict each other, with what each pair is called. */
const CONTRADICTIONS = [
  ['dryRun', 'writeBaseline', '--dry-run and --write-baseline exclude each other: a dry run finds no failures'],
  ['dryRun', 'bail', '--dry-run and --bail exclude each other: a dry run has no failures'],
  ['dryRun', 'watch', '--dry-run and --watch exclude each other'],
  ['watch', 'writeBaseline', '--watch and --write-baseline exclude each other: write it in a separate run'],
  ['watch', 'ask', '--watch and --ask exclude each other'],
  ['rerunFailed', 'only', '--rerun-failed and --only exclude each other: the log names the scenarios'],
] as const satisfies readonly (readonly [keyof ConformOptions, keyof ConformOptions, string])[]

/**
 * With `--rerun-failed`, the scenarios in which a check of that log failed; these alone are judged. A rule of the whole run fails for a call
 * of another scenario, which has to be made again.
 */
async function narrowedToFailed(options: ConformOptions, log: string): Promise<ConformOptions> {
  const { readLogFile } = await import('../report/logs.ts')
  const { scenarios, exchanges } = readLogFile(log, '--rerun-failed').result
  const ids = new Set(scenarios.map(({ id }) => id))
  const callers = new Map(exchanges.map(({ id, scenario }) => [id, scenario]))
  const failed = scenarios.flatMap(({ id, checks }) =>
    checks.flatMap(({ verdict, exchange }) => (verdict === 'fail' ? [id, callers.get(exchange ?? '') ?? id] : [])),
  )
  if (failed.length === 0) throw new CliError(`--rerun-failed: no check failed in ${log}, so no check would run`)
  return { ...options, only: [...new Set(failed)].filter((id) => ids.has(id)), selected: true }
}

interface RunInputs extends Pick<RunOptions, 'scenarios' | 'registry' | 'only'> {
  profile: NonNullable<RunOptions['profile']>
  baseline: BaselineEntry[] | null
}

/** Everything that is read is read before the first request, so that a mistake costs none. */
export function prepare(options: ConformOptions, session: Pick<Session, 'err'>): RunInputs {
  const registry = loadRequirements()
  const profile = options.profile === undefined ? null : wantedProfile(options.profile, registry)
  const selection = loadSelected(options, registry, profile)
  if (options.target !== undefined) {
    const { problems, notices } = idlePins(readYaml(options.target), selection.scenarios, registry)
    refuseProblems(problems)
    session.err(problemLines(notices))
  }
  return {
    registry,
    ...selection,
    profile: profile ?? profileOfAll(registry),
    baseline: options.baseline === undefined ? null : readBaseline(options.baseline, selection.scenarios),
  }
}

interface Occasion {
  opened: OpenedTarget
  reports: ReturnType<typeof wantedReports>
  prepared: RunInputs
  options: ConformOptions
  signal: AbortSignal
  session: Session
}

/** One run against a target that is open, with its reports, what its baseline has to say, and what all that means for the process. */
export async function judge(occasion: Occasion): Promise<{ result: RunResult; code: ExitCode }> {
  const { opened, prepared, options, session } = occasion
  const { baseline } = prepared
  // How to run a scenario again, for every kind of target and source of scenarios.
  const { scenarios, maxWait, ask } = options
  const again = typedAgain({ scenarios, maxWait: maxWait === undefined ? undefined : formatDuration(maxWait), ask })
  // A reproduction names the environment variable that holds a secret, and never the secret.
  // Another variable may hold the same value by chance, so the one that was meant goes first.
  const variables = [options.secretEnv ?? DEFAULT_VARIABLE, ...Object.keys(session.env)]
  const secretEnv: Record<string, string> = {}
  for (const { keyId, secret } of opened.target.credentials) {
    const name = variables.find((variable) => session.env[variable] === secret)
    if (name !== undefined) secretEnv[keyId] = name
  }
  const words = {
    invocation: opened.invocation + again,
    keepsNothing: opened.own,
    verbose: options.verbose ?? false,
    ownScenarios: SCENARIOS_DIRECTORY,
    signing: { program: PROGRAM, secretEnv },
  }
  const writing = await openReports(occasion.reports, words, session)
  const whole = await runSuite(occasion, writing)
  const baselined = baseline && applyBaseline(whole, baseline, session.wall.nowMs())
  const result = baselined?.result ?? whole
  writing.end(result)
  if (baselined) session.err(baselineLines(baselined))
  if (options.writeBaseline !== undefined) session.err(writeBaseline(options, result, baseline ?? [], baselined))
  const early = result.interrupted ? earlyEnd(result) : null
  if (early !== null) session.err(`the run ${early}: checks that did not run are missing from the verdict\n`)
  const drifted = options.failOn?.includes('drift') ? result.summary.checks.drift : 0
  if (drifted > 0)
    session.err(`${counted(drifted, 'answer is', 'answers are')} not as pinned, which --fail-on drift ends with 1\n`)
  // A dry run that could say what would run has done its work, also if that is nothing. A selection without a match ended before.
  if (options.dryRun) return { result, code: EXIT_CODES.ok }
  return { result, code: exitCodeOfRun(result, options, baselined) }
}

async function runSuite(occasion: Occasion, writing: Awaited<ReturnType<typeof openReports>>): Promise<RunResult> {
  const { opened, reports, options, session, signal } = occasion
  const { target, own } = opened
  const { baseline: _baseline, ...inputs } = occasion.prepared
  const progress = runProgress(session)
  const run: RunOptions = {
    ...inputs,
    target,
    wall: session.wall,
    toolVersion: packageVersion(),
    ...(options.maxWait !== undefined && { maxWaitMs: options.maxWait }),
    ...(options.ask && { ask: askingPerson(session, signal) }),
    onProgress(step) {
      progress.show(step)
      writing.show(step)
    },
  }
  if (options.dryRun) {
    const result = await rehearse(run)
    if (reports.every(({ file }) => file !== null)) session.out(dryRunLines(result, options.verbose))
    return result
  }
  if (target.mode === 'read' && liveCredential(target)) session.err(`${whyItOnlyReads(target)}\n`)
  try {
    return await runConformance({
      ...run,
      signal,
      ...(options.bail !== undefined && { bail: options.bail === true ? 1 : options.bail }),
      // Those of our own sandbox are right by construction; of any other it is not known here.
      doubtsCredentials: !own,
      ownsTarget: own,
      transcript: writing.everyExchange ? 'all' : 'named',
    })
  } catch (error) {
    // The next step of a pipeline finds a report that shows that no check ran.
    if (error instanceof TargetError && error.result) writing.end(error.result, false)
    throw inOneLine(error, target, options, session)
  } finally {
    progress.finish()
  }
}

/** The entries of `--baseline`. */
function readBaseline(file: string, scenarios: readonly LoadedScenario[]): BaselineEntry[] {
  refuseUnreadable(file, '--baseline')
  const { entries, problems } = baselineIn(readYaml(file), scenarios)
  refuseProblems(problems)
  return entries
}

/** A long run must not be lost to a wrong path, and reasons that a person wrote must not be written over. */
function prepareBaseline(file: string, read: string | undefined): void {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there && there.size > 0 && file !== read && !lacksReasons(file))
    throw new CliError(`--write-baseline: ${file} already exists; also give it as --baseline, or name another file`)
  appendText(file, '--write-baseline', '')
}

/** Whether a file is a baseline as it is written without a reason: no person has put anything in. */
function lacksReasons(file: string): boolean {
  const { data } = readYaml(file)
  return Array.isArray(data) && data.every((entry) => isObject(entry) && entry['reason'] === '')
}

/** Writes known and new failures, the new ones with the reason and the last day that were given, and returns what is left to do. */
function writeBaseline(
  { writeBaseline: file = '', reason, until }: ConformOptions,
  result: RunResult,
  earlier: readonly BaselineEntry[],
  baselined: BaselinedRun | null,
): string {
  const given = { ...(reason !== undefined && { reason }), ...(until !== undefined && { until }) }
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
function baselineLines({ result, stale, changed, expired, unseen }: BaselinedRun): string {
  const known = result.scenarios.flatMap(({ checks }) => checks.filter((check) => check.known)).length
  const line = ({ check, requirement }: BaselineEntry, says: string) =>
    `baseline: ${escapeLine([check, requirement, says].filter((word) => word !== undefined).join(' '))}\n`
  return [
    ...(known > 0 ? [`baseline: ${counted(known, 'known failure')}, as expected\n`] : []),
    ...stale.map((entry) => line(entry, 'passes now: remove the entry, or use --write-baseline')),
    ...changed.map(({ entry, fingerprint }) =>
      line(entry, `fails differently now: ${fingerprint} (known: ${entry.fingerprint ?? 'any failure'})`),
    ),
    ...expired.map((entry) =>
      line(entry, `expired after ${entry.until} (${entry.reason}): ${entry.fingerprint ?? 'any failure'}`),
    ),
    ...unseen.map((entry) => line(entry, 'did not run as a whole this time; the entry stays')),
  ].join('')
}

interface Watched {
  /** Reads the target file again, or starts a sandbox of our own. */
  open(): Promise<OpenedTarget>
  reports: ReturnType<typeof wantedReports>
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
    const prepared = concerned(prepare(options, session), options, changed)
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
    ids.has(file) || (options.scenarios ?? [SCENARIOS_DIRECTORY]).some((path) => isBelow(path, file))
  if (changed.size === 0 || ![...changed].every(isScenario)) return prepared
  const touched = selected(only, scenarios).filter(({ file }) => changed.has(resolve(file)))
  if (touched.length === 0) return null
  return { ...prepared, only: { ...only, scenarios: touched.map(({ id }) => id) } }
}

const MAX_CHARACTERS = 200

/** What came of one run of many: what is wrong, and the counts. */
function watchLines(result: RunResult): string {
  const model = reportModelOf(result)
  const lines = checksWith(model, 'fail', 'harness_error', 'inconclusive', 'drift').map(({ scenario, check }) => {
    const what = `${check.requirement} ${scenario.id} > ${check.step}: ${check.actual}, expected: ${check.expected}`
    return `${OUTCOME_OF[check.verdict].toUpperCase()}  ${shorten(escapeLine(what), MAX_CHARACTERS)}`
  })
  const ran = result.scenarios.filter(({ checks }) => checks.some((check) => !isOutside(check)))
  const [only] = ran
  const what = ran.length === 1 && only ? escapeLine(only.id) : `${ran.length} scenarios`
  return `${[...lines, `${what}: ${checkCountsText(model)} (${Math.round(result.durationMs)} ms)`].join('\n')}\n`
}
