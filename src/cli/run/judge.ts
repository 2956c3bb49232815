import { formatDuration } from '../../clock/duration.ts'
import { applyBaseline, type BaselinedRun, type BaselineEntry } from '../../conformance/engine/baseline.ts'
import { rehearse, runConformance } from '../../conformance/engine/run.ts'
import { type RunOptions, TargetError } from '../../conformance/engine/run-options.ts'
import { earlyEnd, type RenderOptions } from '../../conformance/reports/report-model.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { hasLiveKey, type Target, whyItOnlyReads } from '../../conformance/target/target.ts'
import { PROGRAM } from '../../contract/program.ts'
import { packageVersion } from '../../package-files.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { typedAgain } from '../option-parsers.ts'
import { wantsColor } from '../output/color.ts'
import { dryRunLines } from '../output/dry-run.ts'
import { runProgress } from '../output/run-progress.ts'
import { SCENARIOS_DIRECTORY } from '../read-registry.ts'
import type { Session } from '../session.ts'
import { askingPerson } from './ask-person.ts'
import { baselineLines, writeBaseline } from './baseline.ts'
import { exitCodeOfRun, standardsOf } from './exit-code.ts'
import type { ConformOptions, RunInputs } from './options.ts'
import { type OpenReports, openReports, type WantedReport } from './reports.ts'
import { inOneLine, type OpenedTarget } from './target.ts'

interface Occasion {
  opened: OpenedTarget
  reports: readonly WantedReport[]
  prepared: RunInputs
  options: ConformOptions
  signal: AbortSignal
  session: Session
}

/** One run against a target that is open, with its reports, what its baseline has to say, and what all that means for the process. */
export async function judge(occasion: Occasion): Promise<{ result: RunResult; code: ExitCode }> {
  const { prepared, options, session } = occasion
  const { baseline } = prepared
  const writing = await openReports(occasion.reports, wordsOf(occasion), session)
  const whole = await runSuite(occasion, writing)
  const baselined = baseline && applyBaseline(whole, baseline, session.wall.nowMs())
  const result = baselined?.result ?? whole
  writing.end(result)
  session.err(afterwords(result, baselined, options, baseline ?? []))
  // A dry run that could say what would run has done its work, also if that is nothing. A selection without a match ended before.
  if (options.dryRun) return { result, code: EXIT_CODES.ok }
  return { result, code: exitCodeOfRun(result, standardsOf(options), baselined) }
}

/** What reports say besides the result. */
function wordsOf({ opened, options, session }: Occasion): RenderOptions {
  const { scenarios, maxWait, ask } = options
  // How to run a scenario again, for every kind of target and source of scenarios.
  const again = typedAgain({ scenarios, maxWait: maxWait === undefined ? undefined : formatDuration(maxWait), ask })
  return {
    color: wantsColor(session.env, session.outIsTerminal),
    invocation: opened.invocation + again,
    keepsNothing: opened.own,
    verbose: options.verbose ?? false,
    ownScenarios: SCENARIOS_DIRECTORY,
    signing: { program: PROGRAM, secretEnv: secretVariables(opened.target, session.env) },
  }
}

/** The environment variable that holds each secret: a reproduction names it, and never the secret. */
function secretVariables({ credentials }: Target, env: Session['env']): Record<string, string> {
  const names = Object.keys(env)
  return Object.fromEntries(
    credentials.flatMap(({ keyId, secret }) => {
      const name = names.find((one) => env[one] === secret)
      return name === undefined ? [] : [[keyId, name]]
    }),
  )
}

async function runSuite(occasion: Occasion, writing: OpenReports): Promise<RunResult> {
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
  if (target.mode === 'read' && hasLiveKey(target)) session.err(`${whyItOnlyReads(target)}\n`)
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
    if (error instanceof TargetError && error.result) writing.endUnjudged(error.result)
    throw inOneLine(error, target, session)
  } finally {
    progress.finish()
  }
}

/** What is to be said after the reports. */
function afterwords(
  result: RunResult,
  baselined: BaselinedRun | null,
  { writeBaseline: file, reason, until }: ConformOptions,
  entries: readonly BaselineEntry[],
): string {
  const early = earlyEnd(result)
  const given = { ...(reason !== undefined && { reason }), ...(until !== undefined && { until }) }
  return [
    baselined ? baselineLines(baselined) : '',
    file === undefined ? '' : writeBaseline(file, result, entries, baselined, given),
    early === null ? '' : `the run ${early}: checks that did not run are missing from the verdict\n`,
  ].join('')
}
