import { relative } from 'node:path'
import { loadScenarios } from '../conformance/format/load-scenarios.ts'
import type { RequirementRegistry } from '../conformance/format/requirements.ts'
import type { LoadedScenario } from '../conformance/format/scenario.ts'
import { SCENARIOS_DIRECTORY as SCENARIOS } from '../package-files.ts'
import { refuseUnreadable } from './files.ts'
import { refuseProblems } from './output/problem-lines.ts'

/** Relative to where the program is called, so that reports and problems name files the way a person would. */
export const SCENARIOS_DIRECTORY = relative(process.cwd(), SCENARIOS)

/**
 * The scenarios of some files and folders, by default those of this package.
 *
 * @param flag the option that named them; null for an argument.
 * @throws CliError if one cannot be read; FilesWithProblems unless all of them are valid.
 */
export function readScenarios(
  paths: readonly string[] | undefined,
  registry: RequirementRegistry,
  flag: string | null = null,
): LoadedScenario[] {
  for (const path of paths ?? []) refuseUnreadable(path, flag, true)
  const { scenarios, problems } = loadScenarios(paths?.length ? paths : SCENARIOS_DIRECTORY, registry)
  refuseProblems(problems)
  return scenarios
}
