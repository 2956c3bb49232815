import type { Command, Option } from 'commander'
import { jsonText } from '../../conformance/reports/escape.ts'
import { USUAL_OPERATOR_URL } from '../../operator-api/address.ts'
import { createOperatorClient, type OperatorAddress, type OperatorClient } from '../../operator-api/client.ts'
import type { OperationId, OperationInput, ParamsOf, SomeOperations } from '../../operator-api/operations.ts'
import { SandboxRefusal, SandboxUnreachable } from '../../operator-api/refusals.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { OPERATOR_TOKEN, typedAgain } from '../option-parsers.ts'
import { waitAloud } from '../output/progress-line.ts'
import { CliError, type Session } from '../session.ts'
import { commandError } from './command-errors.ts'

const DEFAULT_WORLD = 'default'

interface OperatorOptions {
  sandbox?: string
  world?: string
  json?: boolean
  operatorToken?: string
}

/** Parameters of a path, in which the world may be left out. */
type OfWorld<Params> = Omit<Params, 'w'> & { w?: string }

export interface OperatorContext {
  readonly client: OperatorClient
  readonly world: string
  /**
   * Asks for an operation, of the world unless another is named. What is shown may be of a server of another version, so that
   * the answer can have any shape; null for none.
   */
  call<Id extends OperationId>(id: Id, params: OfWorld<ParamsOf<Id>>, input?: OperationInput<Id>): Promise<unknown>
  readonly session: Session
  /** Another command for the same sandbox, and for the same world where `--world` says one. */
  next(words: string): string
  readonly isJson: boolean
  /** Writes the raw answer with `--json`, and otherwise what `text` makes of it. */
  show(answer: unknown, text: (answer: unknown) => string): void
}

export function operatorAddress({
  sandbox = USUAL_OPERATOR_URL,
  operatorToken: token,
}: OperatorOptions): OperatorAddress {
  return { url: sandbox, token }
}

function operatorContext(client: OperatorClient, command: Command, session: Session): OperatorContext {
  const options = command.opts<OperatorOptions>()
  const world = options.world ?? DEFAULT_WORLD
  // What the environment or a file says, it says to the next command, too.
  const typed = (name: 'world' | 'sandbox') =>
    command.getOptionValueSource(name) === 'cli' ? options[name] : undefined
  return {
    client,
    world,
    session,
    call: async <Id extends OperationId>(id: Id, params: OfWorld<ParamsOf<Id>>, input?: OperationInput<Id>) => {
      const answer = client.call(id, { w: world, ...params } as ParamsOf<Id>, input)
      return (await waitAloud(session, 'waiting for the sandbox', answer)) ?? null
    },
    next: (words) => `${session.program} ${words}${typedAgain({ world: typed('world'), sandbox: typed('sandbox') })}`,
    isJson: options.json === true,
    show: (answer, text) => session.out(options.json ? `${jsonText(answer, 2)}\n` : text(answer)),
  }
}

export interface OperatorCommand<Options = object> {
  /** Group, verb and arguments: `order show <id>`. The group alone is the command that has its name. */
  readonly usage: string
  readonly summary?: string
  /** What may be given for its first argument. */
  readonly idWords?: string
  /** Options of its own, beside those that all operator commands have. */
  options?(command: Command): Command
  run(context: OperatorContext, args: string[], options: Options): Promise<void>
  /** False where no world is worked on but those that the arguments name: then there is no `--world`. */
  readonly ofOneWorld?: boolean
}

/** An option; if it sets a member of what is sent, with the name of that member. */
export type MemberOption = Option & { readonly member?: string }

export function addOperatorCommand(
  group: Command,
  session: Session,
  { usage, summary = '', idWords, options, run, ofOneWorld = true }: OperatorCommand,
  rows?: SomeOperations,
): void {
  const [, name, ...args] = usage.split(' ')
  const command = name === undefined ? group : group.command(name).description(summary)
  for (const [index, arg] of args.entries()) command.argument(arg, index === 0 ? idWords : undefined)
  options?.(command)
  command.option('--sandbox <url>', `operator address (env: PARTNER_SANDBOX_URL, default: ${USUAL_OPERATOR_URL})`)
  if (ofOneWorld) command.option('--world <name>', `world to work on (default: ${DEFAULT_WORLD})`)
  command.option(...OPERATOR_TOKEN).option('--json', 'print the raw answer')
  command.action(async () => {
    const given = command.opts<OperatorOptions>()
    const work = async (client: OperatorClient) => {
      const context = operatorContext(client, command, session)
      await run(context, command.args, given).catch((error: unknown) => {
        throw withAdvice(inFlags(error, command), command, context)
      })
    }
    await withOperator(operatorAddress(given), work, rows)
  })
}

/** A refusal that names members, in the flags of the command line: `--code` for `effect.code`. Plain words count at the beginning only. */
function inFlags(error: unknown, { options }: Command): unknown {
  if (!(error instanceof SandboxRefusal) || error.status !== 400) return error
  const detail = options.reduce((text, { member, long }: MemberOption) => {
    if (member === undefined) return text
    const place = new RegExp(
      `${/[._]/.test(member) ? '(?<![\\w.])' : '^'}${member.replace('.', '\\.')}(?:\\.\\d+)?(?![\\w.])`,
      'g',
    )
    return text.replace(place, long ?? member)
  }, error.detail)
  return detail === error.detail ? error : refusalError(error, detail)
}

/** Adds the command that lists the valid ids if the given id is unknown, unless the operator's message has more. */
function withAdvice(error: unknown, { parent }: Command, { world, next }: OperatorContext): unknown {
  if (!(error instanceof SandboxRefusal) || error.status !== 404 || /[;:]/.test(error.detail)) return error
  if (!parent?.commands.some((sibling) => sibling.name() === 'list')) return error
  return refusalError(error, `${error.detail}; "${next(`${parent.name()} list`)}" shows those of the world ${world}`)
}

/** What is wrong with a file that was sent, with its name: the sandbox has its bytes alone. */
export function aboutFile(error: unknown, file: string, advice = ''): unknown {
  if (!(error instanceof SandboxRefusal) || error.status !== 400) return error
  // What says itself what to do needs no advice.
  return refusalError(error, `${file}: ${error.detail}${error.detail.includes(';') ? '' : advice}`)
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
  rows?: SomeOperations,
): Promise<Result> {
  if (!URL.canParse(at.url) || new URL(at.url).protocol !== 'http:') {
    throw commandError('sandbox-address', { url: at.url })
  }
  const client = createOperatorClient(at, SILENT_MS, rows)
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
  if (error instanceof SandboxRefusal) {
    const advice = error.status === 401 ? '; give --operator-token, or set PARTNER_SANDBOX_OPERATOR_TOKEN' : ''
    return refusalError(error, error.detail + advice)
  }
  if (!(error instanceof SandboxUnreachable)) return error
  const { reason } = error
  if (reason?.kind === 'partner-api') return commandError('partner-api', { url })
  if (reason?.kind === 'no-answer') return commandError('no-answer', { url, why: reason.why })
  if (reason?.kind !== 'no-problem') return new CliError(error.message)
  const message = `the operator answered ${reason.status} with an empty body; is it an operator port?`
  return new CliError(message, exitCodeOf(reason.status))
}

function refusalError({ status, code }: SandboxRefusal, message: string): CliError {
  return new CliError(message, exitCodeOf(status), code)
}

/** A wrong argument or token is the caller's, a refusal the sandbox's will, a 5xx its fault. */
function exitCodeOf(status: number): ExitCode {
  if (status >= 500) return EXIT_CODES.harness
  return status === 400 || status === 401 || status === 403 ? EXIT_CODES.usage : EXIT_CODES.refused
}
