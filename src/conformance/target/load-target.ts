import { Ajv } from 'ajv'
import { parseDuration } from '../../clock/duration.ts'
import { withoutUndefined } from '../http/json-body.ts'
import { type FileProblem, parseYaml, readYaml, type YamlSource } from '../yaml/read-yaml.ts'
import { schemaProblems } from '../yaml/schema-problems.ts'
import { built } from './build-target.ts'
import { type Budget, type Target, withLiveRule } from './target.ts'
import { sanityProblem, type TargetProblem } from './target-sanity.ts'
import { type RawTarget, TARGET_SCHEMA } from './target-schema.ts'

export type TargetLoad = { target: Target; problems: [] } | { target: null; problems: FileProblem[] }

export interface TargetFlags {
  url: string
  keyId: string
  secret: string
  mode?: Target['mode']
  operatorUrl?: string
  operatorToken?: string
  world?: string
  budget?: Partial<Budget>
  liveWrites?: number
}

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads a target file. Secrets come from the environment through `${env:NAME}`.
 *
 * @example const { target, problems } = loadTarget('staging.yaml', process.env)
 */
export function loadTarget(file: string, env: Environment): TargetLoad {
  return targetOf(readYaml(file), env)
}

/** The same for a text that is already there. */
export function parseTarget(text: string, file: string, env: Environment): TargetLoad {
  return targetOf(parseYaml(text, file), env)
}

/**
 * A target that is known by its address and one credential only.
 *
 * @throws RangeError if the address is not an http(s) URL.
 */
export function targetFromFlags(flags: TargetFlags): Target {
  const operator =
    flags.operatorUrl === undefined
      ? {}
      : { operator: withoutUndefined({ url: flags.operatorUrl, token: flags.operatorToken, world: flags.world }) }
  const raw: RawTarget = {
    url: flags.url,
    credentials: [{ name: 'main', key_id: flags.keyId, secret: flags.secret }],
    ...(flags.mode ? { mode: flags.mode } : {}),
    ...operator,
  }
  const target = built(raw)
  const problem = sanityProblem(target)
  if (problem) throw new RangeError(problem.message)
  return withLiveRule({
    ...target,
    told: 'by flags',
    budget: { ...target.budget, ...flags.budget },
    liveWrites: flags.liveWrites ?? null,
  })
}

function targetOf(source: YamlSource, env: Environment): TargetLoad {
  if (source.problems.length > 0) return { target: null, problems: source.problems }
  const options = { allErrors: true, strict: false, strictNumbers: true, verbose: true, validateSchema: false }
  const validate = new Ajv(options).compile(TARGET_SCHEMA.json)
  const problems = schemaProblems(source, validate)
  if (problems.length > 0) return { target: null, problems }
  const missing: FileProblem[] = []
  const knownSecrets = new Set<string>()
  const raw = withEnvironment(source.data, env, (path, name) => {
    const value = env[name] ?? ''
    if (value === '') missing.push(source.problemAt(path, `the environment has no ${name}`))
    else if (path[0] === 'operator' && path[1] === 'actions' && !value.includes('://')) knownSecrets.add(value)
  }) as RawTarget
  if (missing.length > 0) return { target: null, problems: missing }
  const target = built(raw)
  const problem = timeoutProblem(raw) ?? sanityProblem(target)
  if (problem) return { target: null, problems: [source.problemAt(problem.path, problem.message)] }
  return {
    target: withLiveRule(knownSecrets.size === 0 ? target : { ...target, knownSecrets: [...knownSecrets] }),
    problems: [],
  }
}

function timeoutProblem({ timeout }: RawTarget): TargetProblem | null {
  if (timeout === undefined || parseDuration(timeout) !== null) return null
  return { path: ['timeout'], message: `"timeout" is "${timeout}", which is not a usable time limit for a call` }
}

const ENVIRONMENT_REFERENCE = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g

function withEnvironment(
  value: unknown,
  env: Environment,
  meet: (path: (string | number)[], name: string) => void,
  path: (string | number)[] = [],
): unknown {
  if (typeof value === 'string') {
    return value.replace(ENVIRONMENT_REFERENCE, (_match, name: string) => {
      meet(path, name)
      return env[name] ?? ''
    })
  }
  if (Array.isArray(value)) return value.map((item, index) => withEnvironment(item, env, meet, [...path, index]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withEnvironment(inner, env, meet, [...path, key])]),
  )
}
