import { wallClock } from '../clock/wall-clock.ts'
import { type Profile, profileOfAll, profilesOf, unionOf } from '../conformance/engine/profile.ts'
import { runConformance } from '../conformance/engine/run.ts'
import { TargetError } from '../conformance/engine/run-options.ts'
import { selected } from '../conformance/engine/schedule.ts'
import { loadScenarios } from '../conformance/format/load-scenarios.ts'
import { idlePins } from '../conformance/format/pin-problems.ts'
import { loadRequirements, type RequirementRegistry } from '../conformance/format/requirements.ts'
import type { LoadedScenario } from '../conformance/format/scenario.ts'
import { tagsOf } from '../conformance/format/step-facts.ts'
import { baseOf, type RunResult } from '../conformance/result/result.ts'
import { loadTarget, targetFromFlags } from '../conformance/target/load-target.ts'
import type { Target } from '../conformance/target/target.ts'
import { type FileProblem, placeOf, readYaml } from '../conformance/yaml/read-yaml.ts'
import { didYouMean, fits } from '../contract/words.ts'
import { packageVersion, SCENARIOS_DIRECTORY } from '../package-files.ts'
import {
  type ConformanceFailure,
  ConformanceInputError,
  type ConformanceOptions,
  type ConformanceResult,
  type ConformanceTarget,
  ConformanceTargetError,
} from './conformance.ts'

/** Reads all files before the first request, so that a mistake costs no requests. */
export async function judgeTarget(options: ConformanceOptions): Promise<ConformanceResult> {
  const { onProgress, signal } = options
  const registry = loadRequirements()
  const profile = readProfile(options, registry)
  const only = {
    ...(options.only && { scenarios: options.only }),
    ...(options.requirements && { requirements: options.requirements }),
    ...(options.tags && { tags: options.tags }),
    ...(options.profile && { profile: profile.requirements, orders: profile.orders }),
  }
  const scenarios = readScenarios(options, registry)
  if (selected(only, scenarios).length === 0)
    throw new ConformanceInputError(['no scenario matches only, requirements, tags and profile, so no check would run'])
  if ('file' in options.target) {
    const { problems } = idlePins(readYaml(options.target.file), scenarios, registry)
    if (problems.length > 0) throw inputError(problems)
  }
  const result = await runConformance({
    target: readTarget(options.target),
    scenarios,
    registry,
    only,
    profile,
    wall: wallClock,
    doubtsCredentials: true,
    toolVersion: packageVersion(),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  }).catch((error) => {
    signal?.throwIfAborted()
    throw error instanceof TargetError ? new ConformanceTargetError(error.message, { cause: error }) : error
  })
  // An aborted run still has a result, which is marked as interrupted.
  signal?.throwIfAborted()
  return { ...result, failures: failuresIn(result) }
}

function readTarget(target: ConformanceTarget): Target {
  if ('file' in target) return fromFile(target.file, target.env ?? {})
  try {
    return targetFromFlags(target)
  } catch (error) {
    if (error instanceof RangeError) throw new ConformanceInputError([`target: ${error.message}`])
    throw error
  }
}

function fromFile(file: string, env: NodeJS.ProcessEnv): Target {
  const { target, problems } = loadTarget(file, env)
  if (!target) throw inputError(problems)
  return target
}

function readScenarios(
  { scenarios: paths, requirements, only, tags }: ConformanceOptions,
  registry: RequirementRegistry,
): LoadedScenario[] {
  refuseUnmatched('requirement', requirements, [...registry.requirements.keys()])
  const { scenarios, problems } = loadScenarios(paths ?? SCENARIOS_DIRECTORY, registry)
  if (problems.length > 0) throw inputError(problems)
  const ids = scenarios.map(({ id }) => id)
  refuseUnmatched('scenario', only, [...ids, ...ids.map(baseOf)])
  refuseUnmatched('tag', tags, scenarios.flatMap(tagsOf))
  return scenarios
}

/** @throws ConformanceInputError for each pattern that none of the names fits. */
function refuseUnmatched(kind: string, patterns: readonly string[] = [], names: readonly string[]): void {
  const lost = patterns.filter((pattern) => !names.some((name) => fits(pattern, name)))
  if (lost.length > 0)
    throw new ConformanceInputError(lost.map((pattern) => `no such ${kind}: ${pattern}${didYouMean(pattern, names)}`))
}

function readProfile({ profile: names }: ConformanceOptions, registry: RequirementRegistry): Profile {
  if (!names) return profileOfAll(registry)
  const profiles = profilesOf(registry)
  const unknown = names.filter((wanted) => !profiles.some(({ name }) => name === wanted))
  if (unknown.length > 0) throw new ConformanceInputError(unknown.map((name) => `no such profile: ${name}`))
  return unionOf(
    profiles.filter(({ name }) => names.includes(name)),
    registry,
  )
}

function inputError(problems: readonly FileProblem[]): ConformanceInputError {
  return new ConformanceInputError(problems.map((problem) => `${placeOf(problem)}: ${problem.message}`))
}

function failuresIn({ scenarios }: RunResult): ConformanceFailure[] {
  return scenarios.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => verdict === 'fail').map((check) => ({ scenario: id, ...check })),
  )
}
