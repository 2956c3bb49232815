import { Command, CommanderError, Option } from 'commander'
import { didYouMean } from '../contract/words.ts'
import { configure, type Origins, withOrigins } from './configuration/configure.ts'
import { CONFIG_OPTION, PRINT_OPTION } from './configuration/settings.ts'
import { examplesOf } from './examples.ts'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'
import type { Group } from './operator/group.ts'
import { CliError, type Session } from './session.ts'

/** A command's options and action. Its file is imported only when the command is called. */
interface CommandModule {
  configure(command: Command, session: Session): void
}

/** A group of operator commands has its rows (src/operator-api/rows), and what is more than a row can say. */
interface GroupModule {
  readonly GROUP: Group
}

type ListedCommand = readonly [summary: string, load: () => Promise<CommandModule | GroupModule>]

const moneyGroup = async () => ({ GROUP: { rows: (await import('../operator-api/rows/money.ts')).moneyRows } })

/** Every command under its heading, in the order of the help. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, ListedCommand>>>> = {
  'Run:': {
    serve: ['start the sandbox', () => import('./commands/serve.ts')],
    proxy: ['explain every call between your client and another server', () => import('./commands/proxy.ts')],
    world: ['create, copy, save and delete worlds', () => import('./commands/world.ts')],
    clock: ['show, move or freeze the clock of a world', () => import('./commands/clock.ts')],
    openapi: ['print the partner API as OpenAPI 3.1', () => import('./commands/openapi.ts')],
    skill: ['print or write instructions for coding agents that use the sandbox', () => import('./commands/skill.ts')],
    mcp: ['serve tools for coding agents over the Model Context Protocol', () => import('./commands/mcp.ts')],
    completion: [
      'print the script that completes commands in bash, zsh or fish',
      () => import('./commands/completion.ts'),
    ],
  },
  'Sign:': {
    sign: ['sign a call: print the canonical string, headers or a curl command', () => import('./commands/sign.ts')],
    verify: ['check a captured call or webhook, and explain a wrong signature', () => import('./commands/verify.ts')],
  },
  'Act as the service:': {
    order: [
      'list orders and move them through their states',
      async () => ({ GROUP: { rows: (await import('../operator-api/rows/orders.ts')).orderRows } }),
    ],
    brokerage: [
      'list brokerage cases and move them',
      async () => ({ GROUP: { rows: (await import('../operator-api/rows/cases.ts')).caseRows } }),
    ],
    checkout: [
      'list hosted checkout sessions; pay, decline or cancel',
      async () => ({ GROUP: { rows: (await import('../operator-api/rows/checkouts.ts')).checkoutRows } }),
    ],
    link: [
      'list referral links with their clicks and sales',
      async () => ({ GROUP: { rows: (await import('../operator-api/rows/links.ts')).linkRows } }),
    ],
    settle: ['run and list settlements', moneyGroup],
    payout: ['run and list payouts', moneyGroup],
    domain: ['list and change the domains for sale', () => import('./commands/domain.ts')],
    credential: ['list, create and change credentials', () => import('./commands/credential.ts')],
  },
  'Inspect:': {
    request: ['list or follow calls: what was sent, checked and answered', () => import('./commands/request.ts')],
    event: ['list or follow events', () => import('./commands/event.ts')],
    delivery: ['list, resend, delay, drop or forge webhook deliveries', () => import('./commands/delivery.ts')],
    coverage: ['show which parts of the API your client has used', () => import('./commands/coverage.ts')],
    audit: ['recompute all amounts and list wrong ones', () => import('./commands/audit.ts')],
    gap: ['list what the API document leaves open, and the values of a world', () => import('./commands/gap.ts')],
    magic: [
      'list the domains and buyers with a fixed outcome',
      async () => ({ GROUP: { rows: (await import('../operator-api/rows/sandbox.ts')).sandboxRows } }),
    ],
  },
  'Simulate errors:': {
    fault: ['make calls fail on purpose', () => import('./commands/fault.ts')],
  },
  'Test a server:': {
    conform: ['judge a target with signed scenarios', () => import('./commands/conform.ts')],
    discover: ['explore a target with reads only, and write its target file', () => import('./commands/discover.ts')],
    receiver: ['judge a webhook receiver', () => import('./commands/receiver.ts')],
    report: ['make reports from the log of a run; compare runs', () => import('./commands/report.ts')],
    record: ['write a scenario from what happened in a world', () => import('./commands/record.ts')],
    scenario: ['list, check and write scenario files', () => import('./commands/scenario.ts')],
    selftest: ['test the runner: each known defect must fail a check', () => import('./commands/selftest.ts')],
  },
}

/** Called by shells and by no person, so that no help names it. */
const COMPLETE = 'complete'

/**
 * Runs one command line and says which exit code it ends with. Never rejects.
 *
 * @example await runCli(['clock', 'show', '--json'], session)
 */
export async function runCli(args: readonly string[], version: string, session: Session): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.ok
  const inner: Session = Object.assign(Object.create(session) as Session, {
    exitWith: (wanted: ExitCode) => (code = wanted),
  })
  let origins: Origins = new Map()
  try {
    const program = await buildProgram(args, version, inner)
    const { command, words } = calledCommand(program, args)
    const isSet = command !== program && command.name() !== COMPLETE && !words.some((word) => HELP.includes(word))
    if (isSet) origins = await configure(command, words, inner)
    if (isSet && words.includes(`--${PRINT_OPTION}`)) {
      const { configurationText } = await import('./configuration/print.ts')
      inner.out(configurationText(command, words, origins, words.includes('--json')))
      return code
    }
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return reportError(error, origins, args.includes('--json'), session)
  }
}

const HELP = ['-h', '--help']

/** The command that the first words name, and the words behind its name. */
function calledCommand(command: Command, words: readonly string[]): { command: Command; words: readonly string[] } {
  const [first, ...rest] = words
  const inner = command.commands.find((one) => one.name() === first)
  return inner ? calledCommand(inner, rest) : { command, words }
}

/**
 * The program with all its commands; of these the one that is called has its options and its subcommands.
 *
 * @example const program = await buildProgram(['world', 'create'], '0.1.0', session)
 */
export async function buildProgram(args: readonly string[], version: string, session: Session): Promise<Command> {
  const program = quiet(new Command('partner-sandbox'), session)
    .description('A sandbox of the Partner Commerce API, and a runner that judges any server of that API.')
    .version(version, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .addHelpText('after', () => examplesOf('', session.program))
    .commandsGroup('Run:') // For help itself; every other command names its own.
  const [first, second] = args.filter((word) => !word.startsWith('-') && word !== 'help')
  const isComplete = first === COMPLETE
  const called = isComplete ? second : first
  for (const [heading, rows] of Object.entries(COMMANDS)) {
    for (const [name, [summary, load]] of Object.entries(rows)) {
      const command = program.command(name).description(summary).helpGroup(heading)
      if (name === called) {
        quiet(command, session)
        // A group may be a command itself: what follows a subcommand is the subcommand's, and nothing goes before it.
        command.enablePositionalOptions().hook('preSubcommand', refuseOptionsBefore)
        const loaded = await load()
        if ('configure' in loaded) loaded.configure(command, session)
        else (await import('./operator/group.ts')).configureGroup(command, session, loaded.GROUP)
        for (const inner of command.commands) quiet(inner, session)
        // Every command has these two; a help page names none of them.
        for (const one of [command, ...command.commands])
          one
            .addOption(new Option(`--${CONFIG_OPTION} <file>`, 'configuration file').hideHelp())
            .addOption(new Option(`--${PRINT_OPTION}`, 'print each setting and where it came from').hideHelp())
        command.addHelpText('after', () => examplesOf(name, session.program))
      }
    }
  }
  if (isComplete) {
    const { configureComplete } = await import('./commands/completion.ts')
    configureComplete(quiet(program.command(COMPLETE, { hidden: true }), session), session)
  }
  const isPlain = args[0] === first || args[0] === 'help'
  if (isPlain) refuseUnknown(program, first)
  const group = program.commands.find((command) => command.name() === called)
  // A word behind a flag may be its value.
  if (group && !isComplete && args[args.indexOf(called ?? '') + 1] === second) refuseUnknown(group, second)
  return program
}

/** Commander shows the help of the command around it instead, if `--help` is there too. */
function refuseUnknown(around: Command, word: string | undefined): void {
  const isKnown = around.commands.some((command) => command.name() === word)
  const takesWords = around.commands.length === 0 || around.registeredArguments.length > 0
  if (word !== undefined && !isKnown && !takesWords) around.error(`error: unknown command '${word}'`)
}

function refuseOptionsBefore(group: Command, called: Command): void {
  const given = group.options.find((option) => group.getOptionValueSource(option.attributeName()) === 'cli')
  if (given) group.error(`error: ${given.long} stands before "${called.name()}"; options go after it`)
}

/** Sends what commander writes to the session, and lets it throw instead of ending the process. */
function quiet(command: Command, session: Session): Command {
  return command.exitOverride(thrown).configureOutput({
    writeOut: (text) => session.out(text),
    writeErr: (text) => session.err(text),
    outputError(text, write) {
      // It quotes arguments as they are.
      const message = escaped(withOwnGuess(oneLine(text), command))
      const see = message.endsWith('?') ? ' See' : '; see'
      write(`${message}${see} ${commandPath(command, session.program)} --help\n`)
    },
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })

  function thrown(error: CommanderError): never {
    error.message = withOwnGuess(oneLine(error.message), command)
    throw error
  }
}

/** Commander quotes arguments as they are. No more is loaded for a help page than it needs, so this is not `escapeLine`. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Commander suggests unrelated words, and misses related ones; so the suggestion is the one that our own messages make. */
function withOwnGuess(text: string, command: Command): string {
  const [, kind, word] = /^error: unknown (command|option) '(.+?)'(?: \(Did you mean .*)?$/.exec(text) ?? []
  if (kind === undefined || word === undefined) return text
  // As its help names them.
  const help = command.createHelp()
  const names =
    kind === 'option'
      ? help.visibleOptions(command).flatMap(({ long }) => long ?? [])
      : help.visibleCommands(command).map((inner) => inner.name())
  return `error: unknown ${kind} "${word}"${didYouMean(word, names)}`
}

function commandPath(command: Command, program: string): string {
  return command.parent ? `${commandPath(command.parent, program)} ${command.name()}` : program
}

function oneLine(text: string): string {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .join(' ')
    .replace(/\.$/, '')
}

async function reportError(error: unknown, origins: Origins, isJson: boolean, session: Session): Promise<ExitCode> {
  // Commander has written its own line by now; help and version are not errors.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_CODES.ok
    if (isJson) session.out(errorJson('usage', error.message.replace(/^error: /, '')))
    return EXIT_CODES.usage
  }
  const { errorLine } = await import('./output/problem-lines.ts')
  if (error instanceof CliError) error.message = withOrigins(error.message, origins)
  const line = errorLine(error)
  session.err(line)
  const exitCode = error instanceof CliError ? error.exitCode : EXIT_CODES.harness
  const code = (error instanceof CliError && error.code) || CODES_BY_EXIT[exitCode]
  if (isJson) session.out(errorJson(code, line.trim().replace(/^error: /, '')))
  return exitCode
}

/** What an error with no code of its own is called. */
const CODES_BY_EXIT: Readonly<Record<ExitCode, string>> = {
  [EXIT_CODES.ok]: 'ok',
  [EXIT_CODES.refused]: 'refused',
  [EXIT_CODES.notFullyVerified]: 'not_fully_verified',
  [EXIT_CODES.baseline]: 'baseline',
  [EXIT_CODES.usage]: 'usage',
  [EXIT_CODES.harness]: 'internal_error',
  [EXIT_CODES.unreachable]: 'unreachable',
}

/** With --json a program reads standard output; the line for people is on standard error. */
function errorJson(code: string, message: string): string {
  return `${JSON.stringify({ error: { code, message } })}\n`
}
