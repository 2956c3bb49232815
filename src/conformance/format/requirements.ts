import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { KEPT_REQUIREMENTS_FILE, REQUIREMENTS_FILE } from '../../package-files.ts'
import { digest } from '../http/json-body.ts'

/** One row of fixtures/requirements.yaml. */
export interface Requirement {
  id: string
  level: 'must' | 'open'
  text: string
  /** Heading of the document; empty where the row names none. */
  section: string
}

export interface RequirementRegistry {
  requirements: ReadonlyMap<string, Requirement>
  /** Codes that another sentence of the document allows where a requirement names one. */
  conflicts: readonly { requirement: string; tolerates: readonly string[]; why: string }[]
  /** Ids that no black box can observe, with the reason. */
  unobservable: ReadonlyMap<string, string>
}

/** A registry as it is written down. */
interface RequirementsFile {
  requirements: Readonly<Record<string, Pick<Requirement, 'level' | 'text'> & Partial<Requirement>>>
  conflicts?: RequirementRegistry['conflicts']
  unobservable?: readonly { requirement: string; why: string }[]
}

/**
 * Reads a registry of this package, that of targets unless another is named. Tests show that they are valid.
 *
 * @param kept files that the build has read, by their digests: to parse the registry is half of `scenario lint`.
 *
 * @example loadRequirements().requirements.get('NONCE-01')?.text
 */
export function loadRequirements(
  file = REQUIREMENTS_FILE,
  kept = keptIn<RequirementsFile>(KEPT_REQUIREMENTS_FILE),
): RequirementRegistry {
  const known = kept[digestOf(file) ?? '']
  const { requirements, conflicts, unobservable }: RequirementsFile = known ?? parse(readFileSync(file, 'utf8'))
  return {
    requirements: new Map(
      Object.entries(requirements).map(([id, { level, text, section = '' }]) => [id, { id, level, text, section }]),
    ),
    conflicts: conflicts ?? [],
    unobservable: new Map(unobservable?.map(({ requirement, why }) => [requirement, why])),
  }
}

/** What a build has kept in a file, by its keys; nothing if the file is missing or damaged. */
export function keptIn<Value>(file: string | null): Record<string, Value> {
  try {
    return file === null ? {} : (JSON.parse(readFileSync(file, 'utf8')) ?? {})
  } catch {
    return {}
  }
}

/** By which edition of the requirements something was judged. */
export function editionOf({ requirements, conflicts, unobservable }: RequirementRegistry): string {
  return digest([[...requirements], conflicts, [...unobservable]])
}

/** Digest of the bytes of a file; null if it cannot be read, and then parsing it says why. */
export function digestOf(source: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(source)).digest('hex')
  } catch {
    return null
  }
}
