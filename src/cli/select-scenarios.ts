import { loadScenarios } from '../conformance/load.ts'
import type { RequirementRegistry } from '../conformance/requirements.ts'
import type { LoadedScenario } from '../conformance/scenario.ts'
import type { RunFilter } from '../conformance/selection.ts'
import { problemLines } from './output/problem-lines.ts'
import { SCENARIOS_DIRECTORY } from './package-files.ts'
import { CliError, FilesWithProblems } from './session.ts'

/** Which scenarios a person wants. */
export interface Selection {
  scenarios?: string[]
  /** Ids, or patterns with `*`. */
  only?: string[]
  requirement?: string[]
}

/**
 * All scenarios, once it is sure that the selection leaves at least one: the run itself narrows them, so that it can
 * name what was left out. What matches nothing is an error: a run that did nothing must not look like one that
 * found nothing.
 *
 * @throws CliError for files with problems (each with its line), for patterns and ids that match nothing.
 */
export function loadSelected(selection: Selection, registry: RequirementRegistry): LoadedScenario[] {
  const { scenarios, problems } = loadScenarios(selection.scenarios ?? SCENARIOS_DIRECTORY, registry)
  if (problems.length > 0) throw new FilesWithProblems(problemLines(problems))
  for (const id of selection.requirement ?? []) {
    if (!registry.requirements.has(id)) throw new CliError(`--requirement: there is no requirement "${id}"`)
  }
  for (const pattern of selection.only ?? []) {
    if (!scenarios.some(({ id }) => matches(id, pattern))) {
      throw new CliError(`--only: no scenario is called "${pattern}"; "partner-sandbox scenario list" shows them all`)
    }
  }
  if (scenarios.some((loaded) => isChosen(loaded, selection))) return scenarios
  throw new CliError('no scenario is left by --only and --requirement, so nothing would be checked')
}

/** The selection as the runner takes it. */
export function filterOf({ only, requirement }: Selection): { only?: RunFilter } {
  if (!only && !requirement) return {}
  return { only: { ...(only ? { scenarios: only } : {}), ...(requirement ? { requirements: requirement } : {}) } }
}

function isChosen({ id, scenario }: LoadedScenario, { only, requirement }: Selection): boolean {
  if (only && !only.some((pattern) => matches(id, pattern))) return false
  return !requirement || requirement.some((wanted) => scenario.proves.includes(wanted))
}

/** `*` stands for any text, slashes included. */
function matches(id: string, pattern: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${escaped.join('.*')}$`).test(id)
}
