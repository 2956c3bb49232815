import { parseDuration } from '../../clock/duration.ts'
import { VISIBLE_ASCII } from '../../contract/headers.ts'
import { isLoopback } from '../../contract/host.ts'
import { isSecretByName } from '../../contract/ids.ts'
import { didYouMean } from '../../contract/words.ts'
import { isOperatorAction, OPERATOR_ACTIONS } from '../format/operator-actions.ts'
import { ROLE_NAMES } from '../format/roles.ts'
import { ExpressionSyntaxError, referencesIn } from '../format/values.ts'
import { withoutUndefined } from '../http/json-body.ts'
import { whenAsked } from '../result/result.ts'
import {
  type DocumentPath,
  type FileProblem,
  parseYaml,
  readYaml,
  schemaProblems,
  type YamlSource,
} from '../yaml/read-yaml.ts'
import { validatorOf } from '../yaml/validator-of.ts'
import { type OperatorRequest, type Target, withLiveRule } from './target.ts'
import { type RawTarget, TARGET_SCHEMA } from './target-schema.ts'

type TargetLoad = { target: Target; problems: [] } | { target: null; problems: FileProblem[] }

export interface TargetFlags {
  url: string
  keyId: string
  secret: string
  mode?: Target['mode']
  operatorUrl?: string
  operatorToken?: string
  world?: string
  budget?: Partial<Target['budget']>
  liveWrites?: number
}

type Environment = Readonly<Record<string, string | undefined>>

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
  const [problem] = problemsOf(target)
  if (problem) throw new RangeError(problem.message)
  return withLiveRule({
    ...target,
    told: 'by flags',
    budget: { ...target.budget, ...flags.budget },
    liveWrites: flags.liveWrites ?? null,
  })
}

/** Made when first needed: it takes a while. */
const validator = whenAsked(() => validatorOf(TARGET_SCHEMA.json))

function targetOf(source: YamlSource, env: Environment): TargetLoad {
  if (source.problems.length > 0) return { target: null, problems: source.problems }
  const problems = schemaProblems(source, validator(), { nearTo: nearRole })
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
  const [problem] = problemsOf(target)
  if (problem) return { target: null, problems: [source.problemAt(problem.path, problem.message)] }
  return {
    target: withLiveRule(knownSecrets.size === 0 ? target : { ...target, knownSecrets: [...knownSecrets] }),
    problems: [],
  }
}

/** The role that was probably meant, behind the operation that it is for. */
function nearRole(path: DocumentPath, name: string): string {
  if (path.at(-1) !== 'roles') return ''
  const operation = name.slice(0, name.lastIndexOf(':') + 1)
  return didYouMean(
    name,
    ROLE_NAMES.map((role) => operation + role),
  )
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

const DEFAULT_TIMEOUT_MS = 10_000
/** More than the whole suite can take, of a service on this machine. */
const DEFAULT_BUDGET = { orders: 500, quotes: 200, requests: 20_000 } as const
/** Away from loopback a target is shared with others: be modest. */
const FOREIGN_BUDGET = { orders: 20, quotes: 20, requests: 2_000 } as const
const FOREIGN_PER_SECOND = 20
/** Below the rate limit that a sandbox has by default (ERR-06): a call that is answered 429 proves nothing. */
const LOOPBACK_IN_TEN_SECONDS = 900

/** The target that a checked file describes, defaults filled in. */
export function built(raw: RawTarget): Target {
  const url = raw.url.replace(/\/+$/, '')
  const loopback = isLoopback(url)
  const budget = { ...(loopback ? DEFAULT_BUDGET : FOREIGN_BUDGET), ...raw.budget }
  const fixtures = raw.fixtures ?? {}
  const actions: Record<string, OperatorRequest> = {}
  for (const [name, row] of Object.entries(raw.operator?.actions ?? {})) {
    if (!row) continue
    const { request, headers = {}, ...rest } = row
    const [method = 'POST', target = ''] = request.split(' ', 2)
    actions[name] = { method, url: target, headers, ...rest }
  }
  return {
    url,
    told: 'in a file',
    mode: raw.mode ?? 'read',
    liveWrites: null,
    budget: {
      orders: budget.orders,
      quotes: budget.quotes,
      requests: budget.requests,
      perSecond: raw.budget?.per_second ?? (loopback ? null : FOREIGN_PER_SECOND),
      ...(loopback && raw.budget?.per_second === undefined && { inTenSeconds: LOOPBACK_IN_TEN_SECONDS }),
    },
    credentials: raw.credentials.map((each) => ({
      name: each.name,
      keyId: each.key_id,
      secret: each.secret,
      scopes: each.scopes ?? null,
      partner: each.partner ?? each.name,
      ...(each.environment === undefined ? {} : { environment: each.environment }),
      affiliate: each.affiliate ?? null,
      merchantOfRecord: each.merchant_of_record ?? null,
    })),
    fixtures: {
      sellable: fixtures.sellable ?? [],
      listed: fixtures.listed ?? [],
      unlisted: fixtures.unlisted ?? [],
      liveSite: fixtures.live_site ?? [],
      topic: fixtures.topic ?? null,
      webhookUrl: fixtures.webhook_url ?? null,
    },
    operator: raw.operator
      ? {
          url: raw.operator.url?.replace(/\/+$/, '') ?? null,
          token: raw.operator.token ?? null,
          world: raw.operator.world ?? 'default',
          actions,
        }
      : null,
    // A target on this machine reaches us without a configured URL.
    receiver:
      raw.receiver || loopback
        ? { listen: raw.receiver?.listen ?? DEFAULT_LISTEN, publicUrl: raw.receiver?.public_url ?? null }
        : null,
    dialect: {
      priceUnit: raw.dialect?.price_unit ?? null,
      params: raw.dialect?.params ?? {},
      bodies: raw.dialect?.bodies ?? {},
      roles: raw.dialect?.roles ?? {},
      statuses: raw.dialect?.statuses ?? {},
      paymentModels: raw.dialect?.payment_models ?? {},
    },
    pins: raw.pins ?? {},
    patience: Object.fromEntries(
      Object.entries(raw.patience ?? {}).map(([kind, text]) => [kind, parseDuration(text) ?? 0]),
    ),
    timeoutMs: raw.timeout === undefined ? DEFAULT_TIMEOUT_MS : (parseDuration(raw.timeout) ?? 0),
  }
}

const DEFAULT_LISTEN = '127.0.0.1:0'

/** What is wrong with a target, and where its file says it. */
interface TargetProblem {
  path: DocumentPath
  message: string
}

/** Beyond, a timer of Node rings at once. */
const MAX_TIMEOUT_MS = 3_600_000

const FILLED_INTO_BODIES = ['domain', 'price', 'currency', 'ref', 'public_id', 'url', 'secret']

/** What no schema sees of a target, and would fail in the middle of a run. */
function* problemsOf(target: Target): Generator<TargetProblem> {
  const url = URL.canParse(target.url) ? new URL(target.url) : null
  if (!url || !/^https?:$/.test(url.protocol))
    yield { path: ['url'], message: `"${target.url}" is not an http(s) address` }
  else if (url.pathname !== '/' || url.search + url.hash + url.username + url.password !== '')
    yield { path: ['url'], message: 'the address must be scheme, host and port only; the API root is added' }
  const names = target.credentials.map(({ name }) => name)
  if (!names.includes('main')) yield { path: ['credentials'], message: 'one credential must be called main' }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) yield { path: ['credentials'], message: `two credentials are called ${twice}` }
  // What a header carries must not end its line. The messages name no value: it may be a secret.
  for (const [at, { keyId }] of target.credentials.entries()) {
    const path = ['credentials', at, 'key_id']
    if (!VISIBLE_ASCII.test(keyId)) yield { path, message: '"key_id" has a space or a control character in it' }
    if (isSecretByName(keyId))
      yield { path, message: '"key_id" begins with sk_, so it is a secret; a key id begins with pk_' }
  }
  const port = Number(/(\d+)$/.exec(target.receiver?.listen ?? '0')?.[1])
  if (port > 65_535) yield { path: ['receiver', 'listen'], message: `${port} is not a port` }
  const publicUrl = target.receiver?.publicUrl ?? null
  if (publicUrl !== null && !isAddressWithPort(publicUrl))
    yield {
      path: ['receiver', 'public_url'],
      message: `"${publicUrl}" is not an address; \${port} is the port that was bound`,
    }
  const token = target.operator?.token ?? null
  if (token !== null && !VISIBLE_ASCII.test(token))
    yield { path: ['operator', 'token'], message: '"token" has a space or a control character in it' }
  for (const [name, request] of Object.entries(target.operator?.actions ?? {})) {
    if (!request || !isOperatorAction(name)) continue
    const path = ['operator', 'actions', name]
    for (const [header, value] of Object.entries(request.headers))
      if (!HEADER_NAME.test(header) || !HEADER_VALUE.test(value))
        yield { path: [...path, 'headers', header], message: 'not a valid HTTP header' }
    if (!URL.canParse(request.url.replaceAll(/\$\{[^}]*\}/g, 'x')))
      yield { path: [...path, 'request'], message: 'the address of the request is not a URL' }
    yield* templateProblems([...path, 'request'], request.url, OPERATOR_ACTIONS[name].fills)
    yield* templateProblems([...path, 'headers'], request.headers, OPERATOR_ACTIONS[name].fills)
    yield* templateProblems([...path, 'json'], request.json, OPERATOR_ACTIONS[name].fills)
  }
  for (const [name, body] of Object.entries(target.dialect.bodies))
    yield* templateProblems(['dialect', 'bodies', name], body, FILLED_INTO_BODIES)
  if (target.timeoutMs === 0 || target.timeoutMs > MAX_TIMEOUT_MS)
    yield { path: ['timeout'], message: 'a call must be given more than 0s, and at most 1h' }
  for (const [kind, ms] of Object.entries(target.patience))
    if (ms > MAX_TIMEOUT_MS) yield { path: ['patience', kind], message: 'no run waits longer than 1h' }
}

/** Once the port is filled in; nothing else is. */
function isAddressWithPort(address: string): boolean {
  const filled = address.replaceAll('${port}', '1')
  return !filled.includes('${') && URL.canParse(filled)
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Something to fill in that nothing is known for. */
function* templateProblems(path: DocumentPath, template: unknown, known: readonly string[]): Generator<TargetProblem> {
  try {
    const unknown = referencesIn(template).find(([name]) => !known.includes(String(name)))
    if (!unknown) return
    const fills = known.length === 0 ? 'nothing' : known.map((name) => `\${${name}}`).join(', ')
    yield { path, message: `unknown placeholder \${${unknown.join('.')}}; known here: ${fills}` }
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error
    yield { path, message: error.message }
  }
}
