import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { CHECKED_SCENARIOS_FILE } from '../../package-files.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { LoadedScenario, Scenario } from './scenario.ts'

/** Scenario files that were read, linted and found without a problem, by the digest of their bytes. */
export type CheckedScenarios = Map<string, Scenario>

export const NOTHING_CHECKED: CheckedScenarios = new Map()

interface Kept {
  /** Digest of the registry by which the files were checked. */
  rules: string
  files: Record<string, Scenario>
}

/** By registry and file of the build; `loadScenarios` adds what it finds without a problem. */
const checkedHere = new Map<string, CheckedScenarios>()

/**
 * Scenario files that the build or this process has checked by this registry. A file whose bytes are among these need be
 * neither parsed nor linted; any other is, so an edited one is never out of date.
 */
export function readChecked(registry: RequirementRegistry, file = CHECKED_SCENARIOS_FILE): CheckedScenarios {
  const rules = rulesDigest(registry)
  const key = `${rules} ${file}`
  const known = checkedHere.get(key) ?? new Map(Object.entries(checkedByBuild(rules, file)))
  checkedHere.set(key, known)
  return known
}

function checkedByBuild(rules: string, file: string | null): Record<string, Scenario> {
  if (file === null) return {}
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept
    return kept.rules === rules ? kept.files : {}
  } catch {
    return {}
  }
}

/** Keeps scenarios that were just loaded without a problem; called once at the end of a build. */
export function keepChecked(
  scenarios: readonly Pick<LoadedScenario, 'file' | 'scenario' | 'written'>[],
  registry: RequirementRegistry,
  file: string,
): void {
  const files = Object.fromEntries(
    scenarios.map((one) => [digest([readFileSync(one.file)]), one.written ?? one.scenario]),
  )
  writeFileSync(file, JSON.stringify({ rules: rulesDigest(registry), files } satisfies Kept))
}

/** @example digest([readFileSync(file)]) // 64 hexadecimal digits */
export function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** What decides whether a scenario is valid, besides the program that was built with it. */
function rulesDigest({ requirements, conflicts, unobservable }: RequirementRegistry): string {
  return digest([JSON.stringify([[...requirements], conflicts, [...unobservable]])])
}
