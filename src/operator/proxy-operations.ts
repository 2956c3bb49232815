import { type OperationId, operationOf } from '../operator-api/operations.ts'
import { type Problem, problem } from './problems.ts'

/** A server that passes calls on to another one, instead of serving them. */
export interface ProxyFacts {
  /** Address of the other server. */
  readonly target: string
}

/** What can be asked of a proxy: what follows from the calls alone. */
const OF_A_PROXY: ReadonlySet<OperationId> = new Set([
  'sandbox.show',
  'worlds.list',
  'worlds.show',
  'worlds.summary',
  'credentials.list',
  'clock.show',
  'stream.follow',
  'coverage.show',
  'coverage.reset',
  'requests.list',
  'requests.show',
  'requests.find',
  'acts.list',
])

export function isServedBy(proxy: ProxyFacts | undefined, id: OperationId): boolean {
  return proxy === undefined || OF_A_PROXY.has(id)
}

/** The answer to every other operation. */
export function needsSandbox({ target }: ProxyFacts, id: OperationId): Problem {
  const { method, path } = operationOf(id)
  return problem('needs-sandbox', { operation: `${method} ${path}`, target })
}
