import { readFileSync, writeFileSync } from 'node:fs'
import { KEPT_REQUIREMENTS_FILE } from '../../package-files.ts'
import { digest } from './checked-scenarios.ts'
import type { Conflict, Requirement, RequirementRegistry } from './requirements.ts'

/** Registries that a build has read without a problem, by the digest of their files. */
interface Kept {
  [digest: string]: {
    requirements: [string, Requirement][]
    conflicts: Conflict[]
    unobservable: [string, string][]
  }
}

/** A registry as the build has read it, if the file is still the same: to parse it is half of `scenario lint`. */
export function keptRequirements(source: string, file = KEPT_REQUIREMENTS_FILE): RequirementRegistry | null {
  if (file === null) return null
  try {
    const found = (JSON.parse(readFileSync(file, 'utf8')) as Kept)[digest([readFileSync(source)])]
    if (!found) return null
    const { requirements, conflicts, unobservable } = found
    return { requirements: new Map(requirements), conflicts, unobservable: new Map(unobservable) }
  } catch {
    return null // Reading it in earnest says what is wrong with it.
  }
}

/** Keeps registries that were just read without a problem; called once at the end of a build. */
export function keepRequirements(registries: ReadonlyMap<string, RequirementRegistry>, file: string): void {
  const kept: Kept = {}
  for (const [source, { requirements, conflicts, unobservable }] of registries)
    kept[digest([readFileSync(source)])] = {
      requirements: [...requirements],
      conflicts: [...conflicts],
      unobservable: [...unobservable],
    }
  writeFileSync(file, JSON.stringify(kept))
}
