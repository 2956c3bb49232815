import { OperatorUnusableError } from '../conformance/check-operator.ts'
import { CredentialRefusedError } from '../conformance/refused-credential.ts'
import { shellQuote } from '../conformance/reporters/curl.ts'
import type { RunResult } from '../conformance/result.ts'
import { runConformance } from '../conformance/run.ts'
import { type RunOptions, TargetUnreachableError } from '../conformance/run-options.ts'
import type { Target } from '../conformance/target.ts'
import { namedTarget, type OpenedTarget, type TargetOptions } from './conform-target.ts'
import { exitCodeOf } from './exit-code-of.ts'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'
import { wantsColour } from './output/colour.ts'
import { runProgress } from './output/run-progress.ts'
import { packageVersion } from './package-files.ts'
import { readRegistry } from './read-registry.ts'
import { type OpenReports, openReports } from './report/open-reports.ts'
import { prepareReports, wantedReports } from './reporter-arguments.ts'
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
    const words = {
      colour: wantsColour(session.env, session.outIsTerminal),
      invocation: opened.invocation + scenarioWords(options),
      keepsNothing: opened.own,
    }
    const writing = openReports(reports, words, session)
    const result = await run(opened, writing, { scenarios, registry, signal, ...filterOf(options) }, session)
    writing.end(result)
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
  { target, own }: OpenedTarget,
  writing: OpenReports,
  what: Pick<RunOptions, 'scenarios' | 'registry' | 'only' | 'signal'>,
  session: Session,
): Promise<RunResult> {
  const progress = runProgress(session)
  try {
    return await runConformance({
      ...what,
      target,
      // Those of our own sandbox are right by birth; of any other nobody here can say.
      doubtsCredentials: !own,
      ownsTarget: own,
      wall: session.wall,
      toolVersion: packageVersion(),
      transcript: writing.everyExchange ? 'all' : 'named',
      onProgress(step) {
        progress.show(step)
        writing.show(step)
      },
    })
  } catch (error) {
    throw inOneLine(error, target)
  } finally {
    progress.finish()
  }
}

/** What kept the run from judging anything, as an error of the command line. */
function inOneLine(error: unknown, { told }: Target): unknown {
  if (error instanceof TargetUnreachableError)
    return new CliError(`${error.message}; check the address, and that the target is running`, EXIT_CODES.unreachable)
  if (error instanceof CredentialRefusedError) {
    const where = told === 'in a file' ? 'the credential main of the target file' : '--key-id and PARTNER_SECRET'
    return new CliError(`${error.message}. Check ${where}; "partner-sandbox sign" shows what a call is signed over`)
  }
  if (!(error instanceof OperatorUnusableError)) return error
  const [address, world] = told === 'in a file' ? ['operator.url', 'operator.world'] : ['--operator-url', '--world']
  if (error.unreachable) return new CliError(`${error.message}; check ${address}`, EXIT_CODES.unreachable)
  return new CliError(`${error.message}; check ${address}, ${world} and the operator token`)
}
