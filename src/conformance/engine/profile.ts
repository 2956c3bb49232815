import { isObject } from '../../contract/is-object.ts'
import { didYouMean, fits } from '../../contract/words.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import { WHOLE_PROFILE } from '../judge/verdict.ts'
import type { RunResult } from '../result/result.ts'
import { isElsewhere } from '../target/target.ts'
import { type DocumentPath, type FileProblem, type Report, readYaml, type YamlSource } from '../yaml/read-yaml.ts'
import type { RunOptions } from './run-options.ts'

/** What a run's verdict is about, and what it does not do for it. */
export type Profile = RunResult['profile'] & {
  /** Scenarios that take an order are left out. */
  orders?: 'none'
}

/** Every `must` row that a caller can observe: what a run's verdict is about if no profile narrows it. */
export function profileOfAll(registry: RequirementRegistry): RunResult['profile'] {
  const rows = [...registry.requirements.values()]
  const counted = rows.filter(({ id, level }) => level === 'must' && !registry.unobservable.has(id))
  return { name: WHOLE_PROFILE, requirements: counted.map(({ id }) => id) }
}

const WHY =
  'The target file has keys of one environment only, so the run cannot see how a key of another one is answered.'

/** What a run can see of the requirements, and what its verdict is about: keys of one environment show nothing of others. */
export function observableAt({ target, registry, profile }: RunOptions): {
  registry: RequirementRegistry
  profile: RunResult['profile']
} {
  const sees = target.credentials.some((credential) => isElsewhere(target, credential))
  const unobservable = new Map([...registry.unobservable, ...(sees ? [] : [['CRED-02', WHY] as const])])
  const seen = { ...registry, unobservable }
  const { name, requirements } = profile ?? profileOfAll(seen)
  return { registry: seen, profile: { name, requirements: requirements.filter((id) => !unobservable.has(id)) } }
}

/** One profile that is about the rows of all of these, in the order of the registry. */
export function unionOf(profiles: readonly Profile[], registry: RequirementRegistry): Profile {
  if (profiles.some(({ name }) => name === WHOLE_PROFILE)) return profileOfAll(registry)
  const wanted = new Set(profiles.flatMap(({ requirements }) => requirements))
  return {
    name: [...new Set(profiles.map(({ name }) => name))].join('+'),
    requirements: profileOfAll(registry).requirements.filter((id) => wanted.has(id)),
    ...(profiles.every(({ orders }) => orders === 'none') && { orders: 'none' as const }),
  }
}

/**
 * Reads the profiles of a file, `all` first. Problems name their place in the file; the rest is usable.
 *
 * @example const { profiles, problems } = loadProfiles('fixtures/profiles.yaml', registry)
 */
export function loadProfiles(
  file: string,
  registry: RequirementRegistry,
): { profiles: (Profile & { title: string })[]; problems: FileProblem[] } {
  const source = readYaml(file)
  const problems = [...source.problems]
  const report: Report = (path, message) => problems.push(source.problemAt(path, message))
  const all = { ...profileOfAll(registry), title: 'everything that a caller can observe' }
  if (problems.length > 0 && source.data === null) return { profiles: [all], problems }
  if (!isObject(source.data)) report([], 'a file of profiles is a map from names to profiles')
  const rows = isObject(source.data) ? Object.entries(source.data) : []
  return {
    profiles: [all, ...rows.flatMap(([name, row]) => profileIn(source, name, row, registry, problems))],
    problems,
  }
}

function profileIn(
  source: YamlSource,
  name: string,
  row: unknown,
  registry: RequirementRegistry,
  problems: FileProblem[],
): (Profile & { title: string })[] {
  const before = problems.length
  const report: Report = (path, message) => problems.push(source.problemAt(path, message))
  const atKey: Report = (path, message) => problems.push(source.problemAtKey(path, message))
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    atKey([name], `"${name}" is not a valid name: use lower-case letters, digits and hyphens`)
  if (name === WHOLE_PROFILE) atKey([name], `"${name}" is built in`)
  if (!isObject(row)) {
    report([name], `"${name}" must have a title and requirements`)
    return []
  }
  const { title, requirements, orders, ...rest } = row
  for (const key of Object.keys(rest))
    atKey([name, key], `unknown key "${key}" in "${name}"${didYouMean(key, ['title', 'requirements', 'orders'])}`)
  if (typeof title !== 'string' || title.trim() === '') report([name, 'title'], `"${name}" must have a title`)
  if (orders !== undefined && orders !== 'none') report([name, 'orders'], 'orders can only be none')
  const ids = rowsOf([name, 'requirements'], requirements, registry, report)
  return problems.length === before
    ? [{ name, title: String(title), requirements: ids, ...(orders === 'none' && { orders }) }]
    : []
}

/** The rows that patterns stand for. A pattern that stands for none is a slip. */
function rowsOf(path: DocumentPath, patterns: unknown, registry: RequirementRegistry, report: Report): string[] {
  if (!Array.isArray(patterns) || patterns.length === 0) {
    report(path, 'requirements must be a list of ids or patterns such as AUTH-*')
    return []
  }
  const { requirements: counted } = profileOfAll(registry)
  const taken = patterns.flatMap((pattern, index) => {
    const found = counted.filter((id) => fits(String(pattern), id))
    if (found.length === 0) report([...path, index], whyNoRow(String(pattern), registry))
    return found
  })
  return counted.filter((id) => taken.includes(id))
}

function whyNoRow(pattern: string, { requirements }: RequirementRegistry): string {
  const row = requirements.get(pattern)
  if (row?.level === 'open') return `${pattern} is an open point, which no verdict covers; remove it`
  if (pattern.includes('*')) return `"${pattern}" matches no must requirement`
  return `no such requirement: "${pattern}"${didYouMean(pattern, requirements.keys())}`
}
