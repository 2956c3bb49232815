import { Ajv } from 'ajv'
import { parseDuration } from '../clock/duration.ts'
import { environmentOf } from '../contract/ids.ts'
import type { Scope } from '../contract/scopes.ts'
import type { FileProblem } from './scenario.ts'
import type { BodyName, OpenParam } from './target-schema.ts'
import { targetSchema } from './target-schema.ts'
import { parseYaml, readYaml, schemaProblems, type YamlSource } from './yaml-source.ts'

/** A service to be judged, with all that has to be known about it (docs: the target file). */
export interface Target {
  /** Base address without a trailing slash. */
  url: string
  mode: 'read' | 'write' | 'operator'
  /** Orders that a live key may create; null where a live key may only read. */
  liveWrites: number | null
  budget: Budget
  credentials: TargetCredential[]
  fixtures: TargetFixtures
  operator: TargetOperator | null
  dialect: DialectFile
  /** Gap answers that were seen before; another answer is drift. */
  pins: Record<string, unknown>
  /** How long one call may take, in milliseconds. */
  timeoutMs: number
}

export interface Budget {
  orders: number
  quotes: number
  requests: number
  /** Null: as fast as the target answers. */
  perSecond: number | null
}

export interface TargetCredential {
  name: string
  keyId: string
  secret: string
  /** Null: not told; the runner finds out with one read a scope. */
  scopes: readonly Scope[] | null
  /** Partners with the same word are the same partner. */
  partner: string
  /** Null: not told. */
  affiliate: boolean | null
  merchantOfRecord: boolean | null
}

export interface TargetFixtures {
  sellable: string[]
  listed: string[]
  unlisted: string[]
  liveSite: string[]
  topic: { query: string; finds: string[] } | null
  webhookUrl: string | null
}

export interface TargetOperator {
  /** Operator address of a running sandbox; null where only single actions are given. */
  url: string | null
  token: string | null
  world: string
  actions: Partial<Record<string, OperatorRequest>>
}

/** One HTTP request that carries an action out. `${...}` in it is filled in with the action's arguments. */
export interface OperatorRequest {
  method: string
  url: string
  headers: Record<string, string>
  json?: unknown
}

export type RoleAddress = string | { at: string; unit?: 'cents' | 'units' }

/** How a target fills the gaps, as the target file tells it. */
export interface DialectFile {
  priceUnit: 'cents' | 'units' | null
  params: Partial<Record<OpenParam, string>>
  bodies: Partial<Record<BodyName, Record<string, unknown>>>
  roles: Partial<Record<string, RoleAddress>>
  statuses: Partial<Record<'held' | 'refunded' | 'cancelled', string>>
}

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
 * @throws RangeError where the address is no http(s) URL.
 */
export function targetFromFlags(flags: TargetFlags): Target {
  const operator = flags.operatorUrl === undefined ? {} : { operator: withoutUndefined({ url: flags.operatorUrl, token: flags.operatorToken, world: flags.world }) }
  const raw: RawTarget = {
    url: flags.url,
    credentials: [{ name: 'main', key_id: flags.keyId, secret: flags.secret }],
    ...(flags.mode ? { mode: flags.mode } : {}),
    ...operator,
  }
  const target = built(raw)
  const problem = sanityProblem(target)
  if (problem) throw new RangeError(problem.message)
  return withLiveRule({ ...target, budget: { ...target.budget, ...flags.budget }, liveWrites: flags.liveWrites ?? null })
}

/** As the file has it, once the schema has been over it. */
interface RawTarget {
  url: string
  mode?: Target['mode']
  budget?: { orders?: number; quotes?: number; requests?: number; per_second?: number }
  credentials: { name: string; key_id: string; secret: string; scopes?: Scope[]; partner?: string; affiliate?: boolean; merchant_of_record?: boolean }[]
  fixtures?: { sellable?: string[]; listed?: string[]; unlisted?: string[]; live_site?: string[]; topic?: { query: string; finds: string[] }; webhook_url?: string }
  operator?: { url?: string; token?: string; world?: string; actions?: Record<string, { request: string; headers?: Record<string, string>; json?: unknown }> }
  dialect?: { price_unit?: 'cents' | 'units'; params?: DialectFile['params']; bodies?: DialectFile['bodies']; roles?: DialectFile['roles']; statuses?: DialectFile['statuses'] }
  pins?: Record<string, unknown>
  timeout?: string
}

function targetOf(source: YamlSource, env: Environment): TargetLoad {
  if (source.problems.length > 0) return { target: null, problems: source.problems }
  const validate = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(targetSchema())
  const problems = schemaProblems(source, validate)
  if (problems.length > 0) return { target: null, problems }
  const missing: FileProblem[] = []
  const raw = withEnvironment(source.data, env, (path, name) => {
    missing.push(source.problemAt(path, `the environment has no ${name}`))
  }) as RawTarget
  if (missing.length > 0) return { target: null, problems: missing }
  const target = built(raw)
  const problem = sanityProblem(target)
  if (problem) return { target: null, problems: [source.problemAt(problem.path, problem.message)] }
  return { target: withLiveRule(target), problems: [] }
}

const ENVIRONMENT_REFERENCE = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g

function withEnvironment(
  value: unknown,
  env: Environment,
  missing: (path: (string | number)[], name: string) => void,
  path: (string | number)[] = [],
): unknown {
  if (typeof value === 'string') {
    return value.replace(ENVIRONMENT_REFERENCE, (_match, name: string) => {
      const found = env[name]
      if (found === undefined || found === '') missing(path, name)
      return found ?? ''
    })
  }
  if (Array.isArray(value)) return value.map((item, index) => withEnvironment(item, env, missing, [...path, index]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withEnvironment(inner, env, missing, [...path, key])]))
}

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_BUDGET = { orders: 100, quotes: 100, requests: 5_000 } as const
/** Away from loopback a target is shared with others: be modest. */
const FOREIGN_BUDGET = { orders: 20, quotes: 20, requests: 2_000 } as const
const FOREIGN_PER_SECOND = 20

function built(raw: RawTarget): Target {
  const url = raw.url.replace(/\/+$/, '')
  const loopback = isLoopback(url)
  const budget = { ...(loopback ? DEFAULT_BUDGET : FOREIGN_BUDGET), ...raw.budget }
  const fixtures = raw.fixtures ?? {}
  return {
    url,
    mode: raw.mode ?? 'read',
    liveWrites: null,
    budget: {
      orders: budget.orders,
      quotes: budget.quotes,
      requests: budget.requests,
      perSecond: raw.budget?.per_second ?? (loopback ? null : FOREIGN_PER_SECOND),
    },
    credentials: raw.credentials.map(credentialOf),
    fixtures: {
      sellable: fixtures.sellable ?? [],
      listed: fixtures.listed ?? [],
      unlisted: fixtures.unlisted ?? [],
      liveSite: fixtures.live_site ?? [],
      topic: fixtures.topic ?? null,
      webhookUrl: fixtures.webhook_url ?? null,
    },
    operator: raw.operator ? operatorOf(raw.operator) : null,
    dialect: {
      priceUnit: raw.dialect?.price_unit ?? null,
      params: raw.dialect?.params ?? {},
      bodies: raw.dialect?.bodies ?? {},
      roles: raw.dialect?.roles ?? {},
      statuses: raw.dialect?.statuses ?? {},
    },
    pins: raw.pins ?? {},
    timeoutMs: (raw.timeout === undefined ? null : parseDuration(raw.timeout)) ?? DEFAULT_TIMEOUT_MS,
  }
}

function credentialOf(raw: RawTarget['credentials'][number]): TargetCredential {
  return {
    name: raw.name,
    keyId: raw.key_id,
    secret: raw.secret,
    scopes: raw.scopes ?? null,
    partner: raw.partner ?? (raw.name === 'main' ? 'main' : raw.name),
    affiliate: raw.affiliate ?? null,
    merchantOfRecord: raw.merchant_of_record ?? null,
  }
}

function operatorOf(raw: NonNullable<RawTarget['operator']>): TargetOperator {
  const actions = Object.entries(raw.actions ?? {}).map(([name, { request, headers, json }]) => {
    const [method = 'POST', url = ''] = request.split(' ', 2)
    return [name, { method, url, headers: headers ?? {}, ...(json === undefined ? {} : { json }) }] as const
  })
  return { url: raw.url?.replace(/\/+$/, '') ?? null, token: raw.token ?? null, world: raw.world ?? 'default', actions: Object.fromEntries(actions) }
}

function sanityProblem(target: Target): { path: (string | number)[]; message: string } | null {
  if (!/^https?:$/.test(protocolOf(target.url))) return { path: ['url'], message: `"${target.url}" is no http(s) address` }
  const { pathname, search, username } = new URL(target.url)
  if (pathname !== '/' || search !== '' || username !== '') {
    return { path: ['url'], message: 'the address must be scheme, host and port only; the API root is added' }
  }
  const names = target.credentials.map(({ name }) => name)
  if (!names.includes('main')) return { path: ['credentials'], message: 'one credential must be called main' }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? null : { path: ['credentials'], message: `two credentials are called ${twice}` }
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol
  } catch {
    return ''
  }
}

/** A live key reads only, unless somebody has said how many orders it may create (the word decides, not the host). */
function withLiveRule(target: Target): Target {
  if (target.liveWrites !== null || !hasLiveKey(target)) return target
  return { ...target, mode: 'read' }
}

/** Whether any credential belongs to the live environment. */
export function hasLiveKey(target: Target): boolean {
  return target.credentials.some(({ keyId }) => environmentOf(keyId) === 'live' || keyId.startsWith('pk_live'))
}

/**
 * Whether an address is this machine.
 *
 * @example isLoopback('http://127.0.0.1:4600') // true
 */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const host = new URL(url).hostname
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}

function withoutUndefined<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never
}
