import { availableParallelism } from 'node:os'
import { loadRequirements } from '../../conformance/format/requirements.ts'
import { packageVersion } from '../../package-files.ts'
import { defectList } from '../../proof/self-test/defect-list.ts'
import { runSelftest, SelftestInterrupted } from '../../proof/self-test/run-selftest.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { saveText } from '../files.ts'
import { defectTable, proofPage, selftestProgress, selftestReport } from '../output/selftest.ts'
import { readScenarios } from '../read-scenarios.ts'
import { CliError, type Session, withFlagOf } from '../session.ts'

/** What `selftest` was asked for. */
interface SelftestFlags {
  defect?: string[]
  variation?: string[] | undefined
  badServer?: string[] | undefined
  scenarios?: string[]
  vary?: number
  eachChoice?: boolean
  jobs?: number
  /** The seed of a short run; true for the usual seed. */
  quick?: string | true
  writeDocs?: string
  list?: boolean
  json?: boolean
}

/** More threads than this want more memory than they save time. */
const MOST_JOBS = 4

/** Runs the self-test and prints its matrix. @returns whether it passed. */
export async function selftest(options: SelftestFlags, session: Session): Promise<boolean> {
  refuseMixture(options)
  const registry = loadRequirements()
  const scenarios = readScenarios(options.scenarios, registry, '--scenarios')
  const progress = selftestProgress(session)
  const result = await runSelftest({
    scenarios,
    registry,
    wall: session.wall,
    toolVersion: packageVersion(),
    onProgress: progress.show,
    ...chosenAlone(options),
    freedoms: { vary: options.vary ?? 0, each: options.eachChoice ?? false },
    quick: options.quick === true ? packageVersion() : options.quick,
    jobs: options.jobs ?? Math.min(availableParallelism(), MOST_JOBS),
    signal: session.interrupted(),
  })
    .finally(progress.finish)
    .catch((error: unknown) => {
      if (error instanceof SelftestInterrupted) throw new CliError(error.message, EXIT_CODES.refused, 'interrupted')
      throw withFlagOf(error, FLAG_OF)
    })
  if (options.writeDocs !== undefined)
    saveText(options.writeDocs, '--write-docs', proofPage(result, registry, scenarios))
  session.out(options.json ? `${JSON.stringify(result)}\n` : selftestReport(result))
  return result.passed
}

/** @throws CliError where something is to be tried alone and beside other things at once. */
function refuseMixture({ defect, variation, badServer, vary, eachChoice, quick, writeDocs }: SelftestFlags): void {
  const alone = defect ? '--defect' : variation ? '--variation' : badServer ? '--bad-server' : null
  if (writeDocs !== undefined && (alone !== null || quick))
    throw new CliError('--write-docs needs a full run: leave out the options that narrow it')
  if (alone === null || (vary === undefined && !eachChoice && !quick)) return
  throw new CliError(`${alone} runs only what it names; leave out --quick, --vary and --each-choice`)
}

function chosenAlone({ defect, variation, badServer }: SelftestFlags) {
  return {
    ...(defect && { defects: defect }),
    ...(variation && { onlyFreedoms: variation }),
    ...(badServer && { onlyDegenerates: badServer }),
  }
}

const FLAG_OF: Record<string, string> = {
  UnknownDefectError: '--defect',
  UnknownGapVariationError: '--variation',
  UnknownBadServerError: '--bad-server',
}

export function listEveryDefect(options: { json?: boolean }, session: Session): void {
  const defects = defectList()
  session.out(
    options.json
      ? `${JSON.stringify(defects)}\n`
      : defectTable(defects, session.outIsTerminal ? session.columns : null),
  )
}
