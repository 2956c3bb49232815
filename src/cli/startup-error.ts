import { CliError, withFlagOf } from './session.ts'

/** Where a command listens. */
interface Listening {
  readonly port: number
  readonly operatorPort: number
  readonly host: string
}

/**
 * Why a server of the command line did not start: one line where a person can do something about it, the error itself where
 * it is ours.
 *
 * @param flags by the name of the error that the value of each brings about.
 */
export function startupError(error: unknown, { port, operatorPort, host }: Listening, flags: Record<string, string>) {
  const { code, port: taken } = error as NodeJS.ErrnoException & { port?: number }
  const flag = taken === operatorPort && taken !== port ? '--operator-port' : '--port'
  if (code === 'EADDRINUSE') return new CliError(`${flag} ${taken} is in use; choose another, or 0 for a free one`)
  if (code === 'EACCES' && taken !== undefined)
    return new CliError(`${flag} ${taken} may not be opened; choose one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new CliError(`--host ${host} is not an address of this machine; try 127.0.0.1 or 0.0.0.0`)
  return withFlagOf(error, flags)
}
