import { loadScenarios } from '../conformance/load.ts'
import { defectList } from '../selftest/defect-list.ts'
import { runSelftest } from '../selftest/run-selftest.ts'
import { problemLines } from './output/problem-lines.ts'
import { selftestProgress } from './output/selftest-progress.ts'
import { defectTable, selftestReport } from './output/selftest-report.ts'
import { packageVersion, SCENARIOS_DIRECTORY } from './package-files.ts'
import { readRegistry } from './read-registry.ts'
import { CliError, FilesWithProblems, type Session } from './session.ts'

/** Runs the self-test and prints its matrix. @returns whether it passed. */
export async function selftest(
  options: { defect?: string[]; scenarios?: string[]; vary?: number; eachChoice?: boolean; json?: boolean },
  session: Session,
): Promise<boolean> {
  if (options.defect && (options.vary !== undefined || options.eachChoice)) {
    throw new CliError('--defect tries defects alone; leave --vary and --each-choice out')
  }
  const registry = readRegistry()
  const { scenarios, problems } = loadScenarios(options.scenarios ?? SCENARIOS_DIRECTORY, registry)
  if (problems.length > 0) throw new FilesWithProblems(problemLines(problems))
  const progress = selftestProgress(session)
  const result = await runSelftest({
    ...{ scenarios, registry, wall: session.wall, toolVersion: packageVersion(), onProgress: progress.show },
    ...(options.defect && { defects: options.defect }),
    freedoms: { vary: options.vary ?? 0, each: options.eachChoice ?? false },
    signal: session.interrupted(),
  }).catch(asUsage)
  progress.finish()
  session.out(options.json ? `${JSON.stringify(result)}\n` : selftestReport(result))
  return result.passed
}

function asUsage(error: unknown): never {
  if (error instanceof Error && error.name === 'UnknownDefectError') throw new CliError(`--defect: ${error.message}`)
  throw error
}

export function listEveryDefect(options: { json?: boolean }, session: Session): void {
  const defects = defectList()
  session.out(options.json ? `${JSON.stringify(defects)}\n` : defectTable(defects))
}
