import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { KEPT_REQUIREMENTS_FILE } from '../../package-files.ts'
import { digest } from '../http/json-body.ts'
import { type FileProblem, parseYaml, readYaml, type YamlSource } from '../yaml/read-yaml.ts'

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

/**
 * Reads the registry of requirements. Rows that are not understood are problems; the rest is usable.
 *
 * @param kept files that the build has read without a problem, by their digests: to parse the registry is half of `scenario lint`.
 *
 * @example const { registry, problems } = loadRequirements('fixtures/requirements.yaml')
 */
export function loadRequirements(
  file: string,
  kept = keptIn<unknown>(KEPT_REQUIREMENTS_FILE),
): { registry: RequirementRegistry; problems: FileProblem[] } {
  const known = kept[digestOf(file) ?? '']
  const source = known === undefined ? readYaml(file) : { ...parseYaml('', file), data: known }
  const problems = [...source.problems]
  const data = (source.data ?? {}) as Record<string, unknown>
  const requirements = readRows(source, data.requirements, problems)
  const conflicts = readList(source, 'conflicts', data.conflicts, problems).map((row) => ({
    requirement: String(row.requirement),
    tolerates: Array.isArray(row.tolerates) ? row.tolerates.map(String) : [],
    why: String(row.why ?? ''),
  }))
  const unobservable = readList(source, 'unobservable', data.unobservable, problems).map(
    (row) => [String(row.requirement), String(row.why ?? '')] as const,
  )
  for (const id of [...conflicts.map((row) => row.requirement), ...unobservable.map(([id]) => id)]) {
    if (!requirements.has(id)) problems.push(source.problemAt([], `"${id}" is listed but is not a requirement`))
  }
  return { registry: { requirements, conflicts, unobservable: new Map(unobservable) }, problems }
}

function readRows(source: YamlSource, rows: unknown, problems: FileProblem[]): Map<string, Requirement> {
  const found = new Map<string, Requirement>()
  for (const [id, value] of Object.entries((rows ?? {}) as Record<string, unknown>)) {
    const row = (value ?? {}) as Record<string, unknown>
    if ((row.level !== 'must' && row.level !== 'open') || typeof row.text !== 'string') {
      problems.push(source.problemAtKey(['requirements', id], `"${id}" must have a level (must or open) and a text`))
      continue
    }
    found.set(id, { id, level: row.level, text: row.text, section: typeof row.section === 'string' ? row.section : '' })
  }
  if (found.size === 0 && problems.length === 0) problems.push(source.problemAt([], 'no requirements here'))
  return found
}

function readList(
  source: YamlSource,
  name: string,
  value: unknown,
  problems: FileProblem[],
): Record<string, unknown>[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.filter((row) => typeof row === 'object' && row !== null)
  problems.push(source.problemAt([name], `"${name}" must be a list`))
  return []
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
