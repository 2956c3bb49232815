import type { Command } from 'commander'
import type { JudgedPart, RunOutcome } from '../../mcp/tool.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { operatorAddress } from '../operator/operator-command.ts'
import { bearerToken, httpAddress, nonEmpty, OPERATOR_TOKEN } from '../option-parsers.ts'
import { CliError, type Session } from '../session.ts'
import { type QuietCommand, writtenBy } from '../written-by.ts'

interface McpCommandOptions {
  sandbox?: string
  operatorToken?: string
  target?: string
  webhookSecretEnv: string
}

const SDK = '@modelcontextprotocol/server'

export function configure(command: Command, session: Session): void {
  command
    .option(
      '--sandbox <url>',
      'operator address of a running sandbox or proxy (env: PARTNER_SANDBOX_URL; default: start a sandbox)',
      httpAddress,
    )
    .option(...OPERATOR_TOKEN, bearerToken)
    .option('--target <file>', 'target file that run_conformance judges (default: a sandbox of its own)', nonEmpty)
    .option(
      '--webhook-secret-env <name>',
      'environment variable with the secret that judge_receiver signs with',
      nonEmpty,
      'PARTNER_WEBHOOK_SECRET',
    )
    .addHelpText(
      'after',
      `\nA client starts this command and speaks to it over standard input and output (docs/mcp.md). It needs the package\n${SDK}. Calls through a proxy are signed with PARTNER_SECRET.`,
    )
    .action((options: McpCommandOptions) => serveTools(options, session))
}

async function serveTools(options: McpCommandOptions, session: Session): Promise<void> {
  const { serveMcp } = await import('../../mcp/server.ts').catch((error: unknown) => {
    throw isMissingSdk(error)
      ? new CliError(`this command needs the package ${SDK}: npm install --save-dev ${SDK}`)
      : error
  })
  const { target, webhookSecretEnv: secretEnv } = options
  // Now, because the client may ask for a run an hour later.
  if (target !== undefined) (await import('../run/target.ts')).readTarget(target, session)
  const reporter = ['json']
  // Standard output carries the protocol.
  const outcomeOf = async (command: QuietCommand, signal: AbortSignal): Promise<RunOutcome> => {
    const { code, failure, out, err } = await writtenBy(command, session, signal)
    return { passed: code === EXIT_CODES.ok, out, err: err + (failure?.message ?? '') }
  }
  await serveMcp({
    address: options.sandbox === undefined ? null : operatorAddress(options),
    proxySecret: session.env['PARTNER_SECRET'] || null,
    async judgeServer({ dryRun, ...part }, signal) {
      const { conform } = await import('../run/conform.ts')
      const selection = { ...given(part), ...(Object.keys(given(part)).length > 0 && { selected: true }) }
      const judged = target === undefined ? { self: true } : { target }
      const all = { ...selection, ...judged, reporter, ...(dryRun && { dryRun }) }
      return outcomeOf((quiet) => conform(undefined, all, quiet), signal)
    },
    async judgeReceiver(url, part, signal) {
      const { receiver } = await import('../run/receiver.ts')
      return outcomeOf((quiet) => receiver(url, { ...given(part), secretEnv, reporter }, quiet), signal)
    },
    stop: session.interrupted(),
  })
}

/** A flag that is not given has no list. */
function given({ only, requirement }: JudgedPart): Partial<JudgedPart> {
  return { ...(only.length > 0 && { only }), ...(requirement.length > 0 && { requirement }) }
}

function isMissingSdk(error: unknown): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException
  return code?.endsWith('MODULE_NOT_FOUND') === true && message.includes(SDK)
}
