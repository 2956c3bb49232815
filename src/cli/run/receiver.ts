import { TargetUnreachableError } from '../../conformance/engine/run-options.ts'
import { selected } from '../../conformance/engine/selection.ts'
import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import { receiverScenarios } from '../../conformance/receiver/all-scenarios.ts'
import { judgeReceiver } from '../../conformance/receiver/judge-receiver.ts'
import type { ReceiverOptions } from '../../conformance/receiver/receiver-options.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
import { didYouMean } from '../../contract/words.ts'
import { packageVersion, RECEIVER_REQUIREMENTS_FILE } from '../../package-files.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { typedAgain } from '../option-parsers.ts'
import { wantsColor } from '../output/color.ts'
import { receiverProgress } from '../output/run-progress.ts'
import { readRegistry } from '../read-registry.ts'
import { CliError, type Session } from '../session.ts'
import { exitCodeOf } from './exit-code.ts'
import { type JudgedReceiver, type ReceiverArguments, receiverOptions } from './receiver-options.ts'
import { prepareReports, wantedReports, writeReports } from './reports.ts'
import { refuseUnmatched } from './selection.ts'

/** Judges the receiver of the command line, writes the reports, and says how it ended. */
export async function receiver(url: string, given: ReceiverArguments, session: Session): Promise<ExitCode> {
  const reports = wantedReports(given.reporter ?? [])
  const registry = readRegistry(RECEIVER_REQUIREMENTS_FILE)
  const options = receiverOptions(url, given, session)
  refuseEmptySelection(options, registry)
  prepareReports(reports)
  if (options.insecure)
    session.err(
      'warning: --insecure accepts any certificate, so another server could answer in place of the receiver\n',
    )
  const signal = session.interrupted()
  const result = await judged({ ...options, registry, signal }, session)
  const color = wantsColor(session.env, session.outIsTerminal)
  const signing = { program: session.program, secretEnv: { '': given.secretEnv } }
  const words = { color, invocation: invocationOf(url, given, session), signing, verbose: given.verbose ?? false }
  writeReports(reports, result, words, session)
  if (signal.aborted) session.err('interrupted: checks that did not run are missing from the verdict\n')
  return exitCodeOf(result, (given.allowUnverified ?? false) && !signal.aborted)
}

async function judged(
  options: JudgedReceiver & Pick<ReceiverOptions, 'registry'>,
  session: Session,
): Promise<RunResult> {
  const progress = receiverProgress(session, options.url)
  try {
    const { wall } = session
    return await judgeReceiver({
      ...options,
      ...{ wall, toolVersion: packageVersion(), transcript: 'all', onProgress: progress.show },
    })
  } catch (error) {
    if (!(error instanceof TargetUnreachableError)) throw error
    const hint = /CERT|SELF_SIGNED/.test(error.message)
      ? '; --insecure accepts any certificate'
      : '; check the address, and that the receiver is running'
    throw new CliError(`${error.message}${hint}`, EXIT_CODES.unreachable)
  } finally {
    progress.finish()
  }
}

/** A run without checks must not look like a run without failures. */
function refuseEmptySelection(options: JudgedReceiver, registry: RequirementRegistry): void {
  const scenarios = receiverScenarios(options)
  for (const id of options.only?.requirements ?? []) {
    if (!registry.requirements.has(id))
      throw new CliError(
        `--requirement: no such requirement for receivers: "${id}"${didYouMean(id, registry.requirements.keys())}`,
      )
    if (selected({ requirements: [id] }, scenarios).length === 0)
      throw new CliError(`--requirement: ${id} can only be seen with --effects-url`)
  }
  const ids = scenarios.map(({ id }) => id)
  refuseUnmatched(
    options.only?.scenarios,
    ids,
    (id) => `--only: no scenario is called "${id}"`,
    `; there are ${ids.join(', ')}`,
  )
  if (selected(options.only, scenarios).length === 0)
    throw new CliError('no scenario matches --only and --requirement, so no check would run')
}

/** The command line that does the same again, without what narrowed it. */
function invocationOf(url: string, given: ReceiverArguments, { program }: Session): string {
  const { secretEnv, header = [], events, effectsUrl, timeout, insecure } = given
  const flags = [
    typedAgain({ secretEnv }),
    ...header.map((one) => typedAgain({ header: one })),
    typedAgain({ events, effectsUrl, timeout, insecure }),
  ]
  return `${program} receiver ${shellQuote(url)}${flags.join('')}`
}
