import { createOperatorClient, type OperatorClient } from '../../operator-api/client.ts'
import { SandboxRefusal, SandboxUnreachable } from '../../operator-api/refusals.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { CliError } from '../session.ts'
import { commandError } from './command-errors.ts'

/** Where the operator of a sandbox is to be found, and as whom. */
export interface OperatorAddress {
  url: string
  token: string | undefined
}

/** Long enough for an advance that makes webhook attempts for real. */
const SILENT_MS = 600_000

/**
 * Works with the operator API of a running sandbox. What the client rejects with on the way ends the command with a line for people.
 *
 * @throws CliError for any answer but 2xx, or if no operator answers.
 * @example await withOperator({ url: 'http://127.0.0.1:4601', token: undefined }, (client) => client.ask('GET', '/v1/worlds'))
 */
export async function withOperator<Result>(
  at: OperatorAddress,
  work: (client: OperatorClient) => Promise<Result>,
): Promise<Result> {
  if (!URL.canParse(at.url) || new URL(at.url).protocol !== 'http:') {
    throw commandError('sandbox-address', { url: at.url })
  }
  const client = createOperatorClient(at, SILENT_MS)
  try {
    return await work(client)
  } catch (error) {
    throw asCliError(error, at.url)
  } finally {
    client.close()
  }
}

/** What the operator client rejects with, as the command line says it; every other error as it is. */
function asCliError(error: unknown, url: string): unknown {
  if (error instanceof SandboxRefusal) return new CliError(sentenceOf(error), exitCodeOf(error.status))
  if (!(error instanceof SandboxUnreachable)) return error
  const { reason } = error
  if (reason?.kind === 'partner-api') return commandError('partner-api', { url })
  if (reason?.kind === 'no-problem') {
    const message = `the operator answered ${reason.status} with an empty body; is it an operator port?`
    return new CliError(message, exitCodeOf(reason.status))
  }
  if (reason?.kind !== 'no-answer') return new CliError(error.message)
  return commandError('no-answer', { url, why: reason.why })
}

function sentenceOf({ status, detail }: SandboxRefusal): string {
  return detail + (status === 401 ? '; give --operator-token, or set PARTNER_SANDBOX_OPERATOR_TOKEN' : '')
}

/** A wrong argument or token is the caller's, a refusal the sandbox's will, a 5xx its fault. */
export function exitCodeOf(status: number): ExitCode {
  if (status >= 500) return EXIT_CODES.harness
  return status === 400 || status === 401 || status === 403 ? EXIT_CODES.usage : EXIT_CODES.refused
}
