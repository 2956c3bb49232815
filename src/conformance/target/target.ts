import { Ajv } from 'ajv'
import { parseDuration } from '../../clock/duration.ts'
import { environmentOf } from '../../contract/ids.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { FileProblem } from '../format/scenario.ts'
import { parseYaml, readYaml, schemaProblems, type YamlSource } from '../yaml/read-yaml.ts'
import type { PatienceKind } from './longest-wait.ts'
import { built, type RawTarget } from './raw-target.ts'
import { sanityProblem, type TargetProblem } from './target-sanity.ts'
import type { BodyName, OpenParam } from './target-schema.ts'
import { targetSchema } from './target-schema.ts'

/** A service to be judged, with all that has to be known about it (docs: the target file). */
export interface Target {
  /** Base address without a trailing slash. */
  url: string
  /** Where all this was told, so that advice names the right place. */
  told: 'in a file' | 'by flags'
  mode: 'read' | 'write' | 'operator'
  /** Orders that a live key may create; null where a live key may only read. */
  liveWrites: number | null
  budget: Budget
  credentials: TargetCredential[]
  fixtures: TargetFixtures
  operator: TargetOperator | null
  /** Where this run can be reached with webhooks; null where it cannot. */
  receiver: TargetReceiver | null
  dialect: DialectFile
  /** Gap answers that were seen before; another answer is drift. */
  pins: Record<string, unknown>
  /** How long this target is waited for, in milliseconds; the usual time where it is not told. */
  patience: Partial<Record<PatienceKind, number>>
  /** How long one call may take, in milliseconds. */
  timeoutMs: number
  /** What the environment has told for operator actions beside what is known to be secret; to be shown nowhere. */
  knownSecrets?: readonly string[]
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
  /** Its environment, where the target file tells it; else the word of its key id says. */
  environment?: string
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

export interface TargetReceiver {
  /** host:port that the run listens on; port 0 picks a free one. */
  listen: string
  /** How the target reaches it, with `${port}` for the port; null: as it listens. */
  publicUrl: string | null
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
  paymentModels: Partial<Record<'partner_collected' | 'hosted_checkout' | 'brokerage', string>>
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
  const validate = new Ajv({ allErrors: true, strict: false, strictNumbers: true, verbose: true }).compile(
    targetSchema(),
  )
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
  return { path: ['timeout'], message: `"timeout" is "${timeout}", which is no time that a call could take` }
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

/** A live key reads only, unless somebody has said how many orders it may create (the word decides, not the host). */
function withLiveRule(target: Target): Target {
  if (target.liveWrites !== null || !hasLiveKey(target)) return target
  return { ...target, mode: 'read' }
}

/** The word, however it is set off: `pk_live_1`, `PK-LIVE-1`; not `delivery`. */
const LIVE = /(?:^|[^a-z])live(?:[^a-z]|$)/i

/**
 * Whether a credential of the environment that is judged is a live one; one that says so in its key id or its secret is.
 * A key of another environment only ever reads (`attemptOf`), so that it need not keep main from writing.
 */
export function hasLiveKey(target: Target): boolean {
  return liveCredential(target) !== undefined
}

/** The first credential of the live environment, where that is the one that is judged. */
export function liveCredential(target: Target): TargetCredential | undefined {
  return target.credentials.find((credential) => isLive(credential) && !isElsewhere(target, credential))
}

/** An environment word that is not one of tests is taken for live, unless the target file names another environment. */
function isLive({ keyId, secret, environment }: TargetCredential): boolean {
  if (/^sk[^a-z0-9]live/i.test(secret)) return true
  const [, word] = /^pk[^a-z0-9]([a-z]+)(?![a-z])/i.exec(keyId) ?? []
  if (word === undefined) return LIVE.test(keyId)
  if (/^live$/i.test(word)) return true
  return !/^(?:sandbox|test)$/i.test(word) && (environment === undefined || environment === 'live')
}

/** Whether a credential belongs to another environment than main's (CRED-02). One that names none belongs to main's. */
export function isElsewhere({ credentials }: Pick<Target, 'credentials'>, credential: TargetCredential): boolean {
  const main = credentials.find(({ name }) => name === 'main')
  const own = main ? environmentNamedBy(main) : null
  const other = environmentNamedBy(credential)
  return other !== null && other !== own && (own !== null || credential.environment !== undefined)
}

function environmentNamedBy(credential: TargetCredential): string | null {
  return credential.environment ?? (isLive(credential) ? 'live' : environmentOf(credential.keyId))
}

/** Orders that a run may create: those of the budget, and with a live key only what somebody has accepted. */
export function ordersAllowed(target: Target): number {
  return hasLiveKey(target) ? Math.min(target.budget.orders, target.liveWrites ?? 0) : target.budget.orders
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never
}
