import { shellQuote } from '../conformance/reporters/curl.ts'
import type { RunResult } from '../conformance/result.ts'
import { type RunOptions, runConformance, TargetUnreachableError } from '../conformance/run.ts'
import type { Target } from '../conformance/target.ts'
import { namedTarget, type TargetOptions } from './conform-target.ts'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'
import { wantsColour } from './output/colour.ts'
import { runProgress } from './output/run-progress.ts'
import { packageVersion } from './package-files.ts'
import { readRegistry } from './read-registry.ts'
import { prepareReports, wantedReports, writeReports } from './reporter-arguments.ts'
import { filterOf, loadSelected, type Selection } from './select-scenarios.ts'
import { CliError, type Session } from './session.ts'

export interface ConformOptions extends TargetOptions, Selection {
  reporter?: string[]
  allowUnverified?: boolean
}

/** Runs the scenarios against the target of the command line, writes the reports, and says how it ended. */
export async function conform(url: string | undefined, options: ConformOptions, session: Session): Promise<ExitCode> {
  const reports = wantedReports(options.reporter ?? [])
  const open = namedTarget(url, options, session)
  const registry = readRegistry()
  const scenarios = loadSelected(options, registry)
  prepareReports(reports)
  const opened = await open()
  try {
    const signal = session.interrupted()
    const result = await run(opened.target, { scenarios, registry, signal, ...filterOf(options) }, session)
    writeReports(
      reports,
      result,
      {
        colour: wantsColour(session.env, session.outIsTerminal),
        invocation: opened.invocation + scenarioWords(options),
      },
      session,
    )
    if (signal.aborted) session.err('interrupted: this run says nothing about what had not been reached\n')
    return exitCodeOf(result, (options.allowUnverified ?? false) && !signal.aborted)
  } finally {
    await opened.close()
  }
}

/** Reports tell how to run a scenario again, from wherever it was read. */
function scenarioWords({ scenarios = [] }: Selection): string {
  return scenarios.length === 0 ? '' : ` --scenarios ${scenarios.map(shellQuote).join(' ')}`
}

async function run(
  target: Target,
  what: Pick<RunOptions, 'scenarios' | 'registry' | 'only' | 'signal'>,
  session: Session,
): Promise<RunResult> {
  const progress = runProgress(session)
  try {
    return await runConformance({
      ...what,
      target,
      wall: session.wall,
      toolVersion: packageVersion(),
      onProgress: progress.show,
    })
  } catch (error) {
    if (error instanceof TargetUnreachableError)
      throw new CliError(`${error.message}; check the address, and that the target is running`, EXIT_CODES.unreachable)
    throw error
  } finally {
    progress.finish()
  }
}

/**
 * What a run's outcome means for the process. A run that carried nothing out is never a success, whatever was allowed.
 */
export function exitCodeOf(result: RunResult, allowUnverified: boolean): ExitCode {
  const { checks } = result.summary
  if (result.verdict === 'non_conforming') return EXIT_CODES.refused
  if (checks.harness_error > 0) return EXIT_CODES.harness
  const carriedOut = checks.pass + checks.fail + checks.tolerated
  if (result.verdict === 'void' || carriedOut === 0) return EXIT_CODES.notFullyVerified
  if (result.verdict === 'conforming' || allowUnverified) return EXIT_CODES.ok
  return EXIT_CODES.notFullyVerified
}
