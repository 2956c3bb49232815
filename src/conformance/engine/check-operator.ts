import { findWorld } from '../context/operator.ts'
import type { Client } from '../context/run-context.ts'
import { NothingJudgedError } from './run-options.ts'

/** The operator that was named cannot be used. */
export class OperatorUnusableError extends NothingJudgedError {
  override name = 'OperatorUnusableError'
  /** No operator answers there; false if one answers and refuses. */
  readonly unreachable: boolean

  constructor(message: string, unreachable: boolean) {
    super(message)
    this.unreachable = unreachable
  }
}

/**
 * Asks a running sandbox for the world that was named, before anything is made there.
 *
 * @throws OperatorUnusableError if it has none of that name, refuses the token, or does not answer.
 */
export async function checkOperatorWorld(client: Client): Promise<void> {
  const { operator, mode } = client.run.target
  if (mode === 'read' || !operator?.url) return
  const found = await findWorld(client)
  if (!found || (found.status !== null && found.status < 300)) return
  const { url, world } = operator
  if (found.status === null) throw new OperatorUnusableError(`the operator address ${url} answers ${found.said}`, true)
  if (found.status === 404) throw new OperatorUnusableError(`the operator at ${url} has no world "${world}"`, false)
  throw new OperatorUnusableError(
    `the operator at ${url} answers ${found.said} when asked for its world "${world}"`,
    false,
  )
}
