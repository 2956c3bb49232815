import { CliError, type Session } from '../operator/session.ts'

const DEFAULT_VARIABLE = 'PARTNER_SECRET'

/**
 * The secret in the environment, null where none is meant to be there.
 *
 * @param variable as given with `--secret-env`; PARTNER_SECRET where absent.
 * @throws CliError where the variable is named but empty.
 */
export function secretFromEnv(variable: string | undefined, env: Session['env']): string | null {
  const value = env[variable ?? DEFAULT_VARIABLE]
  if (value) return value
  if (variable === undefined) return null
  throw new CliError(`--secret-env: the environment has no ${variable}, or it is empty`)
}
