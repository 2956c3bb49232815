import { relative } from 'node:path'
import { loadScenarios } from '../conformance/format/load-scenarios.ts'
import { loadRequirements, type RequirementRegistry } from '../conformance/format/requirements.ts'
import type { LoadedScenario } from '../conformance/format/scenario.ts'
import { REQUIREMENTS_FILE, SCENARIOS_DIRECTORY as SCENARIOS } from '../package-files.ts'
import { refuseUnreadable } from './files.ts'
import { problemLines, refuseProblems } from './output/problem-lines.ts'

/** Relative to where the program is called, so that reports and problems name files the way a person would. */
export const SCENARIOS_DIRECTORY = relative(process.cwd(), SCENARIOS)

/** A registry of this package, that of targets unless another is named. A problem in it is our bug, not the caller's. */
export function readRegistry(file = REQUIREMENTS_FILE): RequirementRegistry {
  const { registry, problems } = loadRequirements(file)
  if (problems.length > 0) throw new Error(problemLines(problems).trim())
  return registry
}

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
