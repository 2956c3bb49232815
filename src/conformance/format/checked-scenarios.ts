import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { CHECKED_SCENARIOS_FILE } from '../../package-files.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { LoadedScenario, Scenario } from './scenario.ts'

/** Scenario files that a build has read, checked and found sound, by the digest of their bytes. */
export type CheckedScenarios = ReadonlyMap<string, Scenario>

export const NOTHING_CHECKED: CheckedScenarios = new Map()

interface Kept {
  /** Of the registry by which the files were found sound. */
  rules: string
  files: Record<string, Scenario>
}

/**
 * What the build has checked, if it was by this registry. A file whose bytes are among these need be neither parsed nor
 * linted; any other is, so an edited one is never out of date.
 */
export function readChecked(registry: RequirementRegistry, file = CHECKED_SCENARIOS_FILE): CheckedScenarios {
  if (file === null) return NOTHING_CHECKED
  try {
    const { rules, files } = JSON.parse(readFileSync(file, 'utf8')) as Kept
    return rules === rulesDigest(registry) ? new Map(Object.entries(files)) : NOTHING_CHECKED
  } catch {
    return NOTHING_CHECKED
  }
}

/** Keeps scenarios that were just loaded without a problem; called once at the end of a build. */
export function keepChecked(
  scenarios: readonly Pick<LoadedScenario, 'file' | 'scenario'>[],
  registry: RequirementRegistry,
  file: string,
): void {
  const files = Object.fromEntries(scenarios.map((one) => [digest([readFileSync(one.file)]), one.scenario]))
  writeFileSync(file, JSON.stringify({ rules: rulesDigest(registry), files } satisfies Kept))
}

/** @example digest([readFileSync(file)]) // 64 hexadecimal digits */
export function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** What decides whether a scenario is sound, besides the program that was built with it. */
function rulesDigest({ requirements, conflicts, unobservable }: RequirementRegistry): string {
  return digest([JSON.stringify([[...requirements], conflicts, [...unobservable]])])
}
