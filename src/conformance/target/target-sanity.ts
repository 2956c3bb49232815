import { ExpressionSyntaxError, referencesIn } from '../format/expressions.ts'
import { isOperatorAction, OPERATOR_ACTIONS } from '../format/operator-actions.ts'
import type { Template } from '../format/scenario.ts'
import type { DocumentPath } from '../yaml/read-yaml.ts'
import type { Target } from './target.ts'

/** What is wrong with a target, and where its file says it. */
export interface TargetProblem {
  path: DocumentPath
  message: string
}

/** Beyond, a timer of Node rings at once. */
const MAX_TIMEOUT_MS = 3_600_000

/** The first thing about a target that no schema sees, and that would fail in the middle of a run; null if it is valid. */
export function sanityProblem(target: Target): TargetProblem | null {
  for (const problem of problemsOf(target)) if (problem !== null) return problem
  return null
}

function* problemsOf(target: Target): Generator<TargetProblem | null> {
  yield addressProblem(target.url)
  yield* nameProblems(target)
  yield* keyProblems(target)
  yield listenProblem(target)
  yield* operatorProblems(target)
  yield* bodyProblems(target)
  if (target.timeoutMs > MAX_TIMEOUT_MS) yield { path: ['timeout'], message: 'a call cannot take longer than 1h' }
  for (const [kind, ms] of Object.entries(target.patience))
    if (ms > MAX_TIMEOUT_MS) yield { path: ['patience', kind], message: 'no run waits longer than 1h' }
}

function addressProblem(address: string): TargetProblem | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol))
    return { path: ['url'], message: `"${address}" is not an http(s) address` }
  if (url.pathname === '/' && url.search + url.hash + url.username + url.password === '') return null
  return { path: ['url'], message: 'the address must be scheme, host and port only; the API root is added' }
}

function* nameProblems({ credentials }: Target): Generator<TargetProblem> {
  const names = credentials.map(({ name }) => name)
  if (!names.includes('main')) yield { path: ['credentials'], message: 'one credential must be called main' }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) yield { path: ['credentials'], message: `two credentials are called ${twice}` }
}

const VISIBLE = /^[\x21-\x7e]+$/

/** What a header carries must not end its line. The messages name no value: it may be a secret. */
function* keyProblems({ credentials }: Target): Generator<TargetProblem> {
  for (const [at, { keyId }] of credentials.entries())
    if (!VISIBLE.test(keyId))
      yield { path: ['credentials', at, 'key_id'], message: '"key_id" has a space or a control character in it' }
}

function listenProblem({ receiver }: Target): TargetProblem | null {
  const port = Number(/(\d+)$/.exec(receiver?.listen ?? '0')?.[1])
  return port > 65_535 ? { path: ['receiver', 'listen'], message: `${port} is not a port` } : null
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

function* operatorProblems({ operator }: Target): Generator<TargetProblem | null> {
  const token = operator?.token ?? null
  if (token !== null && !VISIBLE.test(token))
    yield { path: ['operator', 'token'], message: '"token" has a space or a control character in it' }
  for (const [name, request] of Object.entries(operator?.actions ?? {})) {
    if (!request || !isOperatorAction(name)) continue
    const path = ['operator', 'actions', name]
    for (const [header, value] of Object.entries(request.headers))
      if (!HEADER_NAME.test(header) || !HEADER_VALUE.test(value))
        yield { path: [...path, 'headers', header], message: 'not a valid HTTP header' }
    if (!URL.canParse(request.url.replaceAll(/\$\{[^}]*\}/g, 'x')))
      yield { path: [...path, 'request'], message: 'the address of the request is not a URL' }
    yield templateProblem([...path, 'request'], request.url, OPERATOR_ACTIONS[name].fills)
    yield templateProblem([...path, 'headers'], request.headers, OPERATOR_ACTIONS[name].fills)
    yield templateProblem([...path, 'json'], request.json, OPERATOR_ACTIONS[name].fills)
  }
}

const FILLED_INTO_BODIES = ['domain', 'price', 'currency', 'ref', 'public_id', 'url', 'secret']

function* bodyProblems({ dialect }: Target): Generator<TargetProblem | null> {
  for (const [name, body] of Object.entries(dialect.bodies))
    yield templateProblem(['dialect', 'bodies', name], body, FILLED_INTO_BODIES)
}

/** Something to fill in that nothing is known for. */
function templateProblem(path: DocumentPath, template: unknown, known: readonly string[]): TargetProblem | null {
  try {
    const unknown = referencesIn(template as Template).find(([name]) => !known.includes(String(name)))
    if (!unknown) return null
    const fills = known.length === 0 ? 'nothing' : known.map((name) => `\${${name}}`).join(', ')
    return { path, message: `unknown placeholder \${${unknown.join('.')}}; known here: ${fills}` }
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error
    return { path, message: error.message }
  }
}
