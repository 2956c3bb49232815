import { EXIT_CODES } from './exit-codes.ts'
import { askOperator, isRecord, type OperatorAddress, OperatorRefusal } from './operator-client.ts'
import { CliError, type Session } from './session.ts'

const DEFAULT_VARIABLE = 'PARTNER_SECRET'

/** Where the secret of a key may be found. */
export interface SecretPlace {
  keyId: string
  /** Name of an environment variable, as given with `--secret-env`. */
  secretEnv?: string
  world?: string
}

/**
 * The secret of a key: from the named variable, from PARTNER_SECRET, or from a sandbox that runs on this machine.
 *
 * @throws CliError that says where it was looked for.
 */
export async function findSecret(place: SecretPlace, operator: OperatorAddress, env: Session['env']): Promise<string> {
  const given = secretFromEnv(place.secretEnv, env)
  if (given !== null) return given
  if (!isLoopback(operator.url)) {
    throw new CliError(
      `no secret for ${place.keyId}: set ${DEFAULT_VARIABLE}, or name another variable with --secret-env`,
    )
  }
  return secretFromSandbox(place, operator)
}

/**
 * The secret in the environment, null where none is meant to be there.
 *
 * @throws CliError where the variable is named but empty.
 */
export function secretFromEnv(variable: string | undefined, env: Session['env']): string | null {
  const value = env[variable ?? DEFAULT_VARIABLE]
  if (value) return value
  if (variable === undefined) return null
  throw new CliError(`--secret-env: the environment has no ${variable}, or it is empty`)
}

async function secretFromSandbox(place: SecretPlace, operator: OperatorAddress): Promise<string> {
  const world = place.world ?? 'default'
  const path = `/v1/worlds/${encodeURIComponent(world)}/credentials/${encodeURIComponent(place.keyId)}`
  try {
    const answer = await askOperator(operator, 'GET', path)
    if (isRecord(answer) && typeof answer['secret'] === 'string') return answer['secret']
    throw new CliError(
      `the sandbox at ${operator.url} keeps the secret of ${place.keyId} to itself; set ${DEFAULT_VARIABLE}`,
    )
  } catch (error) {
    if (error instanceof OperatorRefusal && error.status === 404) {
      throw new CliError(
        `the world ${world} at ${operator.url} has no key ${place.keyId}; set ${DEFAULT_VARIABLE} for a key from elsewhere`,
      )
    }
    if (error instanceof CliError && error.exitCode === EXIT_CODES.unreachable) {
      throw new CliError(
        `no secret for ${place.keyId}: ${DEFAULT_VARIABLE} is not set and no sandbox answers at ${operator.url}`,
      )
    }
    throw error
  }
}

function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}
