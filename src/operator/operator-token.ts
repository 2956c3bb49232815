import { randomBytes } from 'node:crypto'
import { isLoopbackHost } from '../contract/host.ts'

/** Guessing a shorter one over a network does not take long. */
const LEAST_TOKEN = 16

export class OperatorTokenError extends Error {
  override name = 'OperatorTokenError'
}

/**
 * The token of an operator port: the one that was given, or one made up where other machines may reach the port; null for none.
 *
 * @throws OperatorTokenError for a short one where other machines may reach the port.
 */
export function operatorTokenFor({
  host,
  given,
  hasPort,
}: {
  host: string
  given: string | null
  hasPort: boolean
}): string | null {
  if (isLoopbackHost(host)) return given
  if (given !== null && hasPort && given.length < LEAST_TOKEN) {
    throw new OperatorTokenError(
      `at least ${LEAST_TOKEN} characters, because ${host} may be reached from other machines; give a longer token, or none to have one made`,
    )
  }
  return given ?? randomBytes(24).toString('base64url')
}
