import { loadRequirements, type RequirementRegistry } from '../conformance/requirements.ts'
import { problemLines } from './output/problem-lines.ts'
import { REQUIREMENTS_FILE } from './package-files.ts'

/** The registry of this package. A problem in it is a fault of ours, not of whoever calls. */
export function readRegistry(): RequirementRegistry {
  const { registry, problems } = loadRequirements(REQUIREMENTS_FILE)
  if (problems.length > 0) throw new Error(problemLines(problems).trim())
  return registry
}
