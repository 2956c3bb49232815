import { Command, CommanderError } from 'commander'
import { closestTo } from '../contract/words.ts'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'
import type { Extras } from './operator/group.ts'
import { CliError, type Session } from './session.ts'

/** A command's options and action. Its file is imported only when the command is called. */
interface CommandModule {
  configure(command: Command, session: Session): void
}

interface CommandRow {
  readonly summary: string
  load(): Promise<CommandModule>
}

/** A group of operator commands: those of the rows (src/operator-api/rows), and what is more than a row can say. */
async function operatorGroup(more?: Promise<{ EXTRAS: Extras }>): Promise<CommandModule> {
  const [{ configureGroup }, extras] = await Promise.all([import('./operator/group.ts'), more])
  return { configure: (command, session) => configureGroup(command, session, extras?.EXTRAS) }
}

/** Every command, in the order the help lists them. */
const COMMANDS: Readonly<Record<string, CommandRow>> = {
  serve: { summary: 'start the sandbox', load: () => import('./commands/serve.ts') },
  sign: { summary: 'sign a call: canonical string, headers or a curl line', load: () => import('./commands/sign.ts') },
  verify: {
    summary: 'check a captured call or webhook, and explain what is wrong with its signature',
    load: () => import('./commands/verify.ts'),
  },
  conform: { summary: 'judge a target by signed scenarios', load: () => import('./commands/conform.ts') },
  discover: {
    summary: 'probe a target with reads, and write its target file',
    load: () => import('./commands/discover.ts'),
  },
  receiver: { summary: 'judge your own webhook endpoint', load: () => import('./commands/receiver.ts') },
  report: {
    summary: 'make the reports of a run again from its log, merge and compare runs',
    load: () => import('./commands/report.ts'),
  },
  record: {
    summary: 'turn what happened in a world into a scenario that runs',
    load: () => import('./commands/record.ts'),
  },
  openapi: { summary: 'the partner API as OpenAPI 3.1', load: () => import('./commands/openapi.ts') },
  scenario: { summary: 'check and list scenario files', load: () => import('./commands/scenario.ts') },
  selftest: {
    summary: 'prove the runner: every defect of the sandbox must turn a check red',
    load: () => import('./commands/selftest.ts'),
  },
  world: { summary: 'worlds of a running sandbox', load: () => operatorGroup(import('./commands/world.ts')) },
  clock: { summary: "a world's clock: show, move, freeze", load: () => operatorGroup(import('./commands/clock.ts')) },
  order: { summary: "a world's orders and their steps", load: () => operatorGroup() },
  brokerage: { summary: "a world's brokerage cases and their steps", load: () => operatorGroup() },
  checkout: { summary: "a world's hosted checkout sessions", load: () => operatorGroup() },
  settle: { summary: 'settlement runs', load: () => operatorGroup() },
  payout: { summary: 'payout runs', load: () => operatorGroup() },
  audit: {
    summary: 'work out all money anew and show every cent that does not reconcile',
    load: () => operatorGroup(import('./commands/audit.ts')),
  },
  coverage: {
    summary: 'what a client has met of the API so far, against all there is',
    load: () => operatorGroup(import('./commands/coverage.ts')),
  },
  domain: { summary: "a world's inventory", load: () => operatorGroup(import('./commands/domain.ts')) },
  credential: { summary: "a world's credentials", load: () => operatorGroup(import('./commands/credential.ts')) },
  fault: { summary: 'calls that go wrong on purpose', load: () => operatorGroup(import('./commands/fault.ts')) },
  request: {
    summary: 'the request log: what was sent, checked and answered',
    load: () => operatorGroup(import('./commands/request.ts')),
  },
  event: { summary: "a world's events", load: () => operatorGroup(import('./commands/event.ts')) },
  delivery: {
    summary: 'webhook deliveries: the log, once more, wrong on purpose',
    load: () => operatorGroup(import('./commands/delivery.ts')),
  },
  gap: {
    summary: 'what the API document leaves open, and what a world chose',
    load: () => operatorGroup(import('./commands/gap.ts')),
  },
  magic: { summary: 'domains and buyers that behave by their names', load: () => operatorGroup() },
  completion: {
    summary: 'what bash, zsh and fish complete with the Tab key',
    load: () => import('./commands/completion.ts'),
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
  try {
    const program = await buildProgram(args, version, inner)
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return reportError(error, session)
  }
}

/**
 * The program with all its commands; of these the one that is called has its options and its subcommands.
 *
 * @example const program = await buildProgram(['world', 'create'], '0.1.0', session)
 */
export async function buildProgram(args: readonly string[], version: string, session: Session): Promise<Command> {
  const program = quiet(new Command('partner-sandbox'), session)
    .description('A sandbox of the Partner Commerce API, and a runner that judges any target by its document.')
    .version(version, '-V, --version', 'print the version')
  const [first, second] = args.filter((word) => !word.startsWith('-') && word !== 'help')
  const isComplete = first === COMPLETE
  const called = isComplete ? second : first
  for (const [name, row] of Object.entries(COMMANDS)) {
    const command = quiet(program.command(name), session).description(row.summary)
    if (name === called) (await row.load()).configure(command, session)
    for (const inner of command.commands) quiet(inner, session)
  }
  if (isComplete) {
    const { configure } = await import('./commands/complete.ts')
    configure(quiet(program.command(COMPLETE, { hidden: true }), session), session)
  }
  return program
}

/** Sends what commander writes to the session, and lets it throw instead of ending the process. */
function quiet(command: Command, session: Session): Command {
  return command.exitOverride().configureOutput({
    writeOut: (text) => session.out(text),
    writeErr: (text) => session.err(text),
    // It quotes arguments as they are.
    outputError: (text, write) =>
      write(`${escaped(withoutFarGuess(oneLine(text)))}; see ${commandPath(command)} --help\n`),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
}

/** Commander quotes arguments as they are. No more is loaded for a help page than it needs, so this is not `escapeLine`. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Commander guesses at words that nobody meant: of its guesses those stay that our own messages would make. */
function withoutFarGuess(text: string): string {
  return text.replace(/'([^']+)' \(Did you mean (?:one of )?([^?]+)\?\)/, (whole, word: string, guesses: string) =>
    closestTo(word, guesses.split(', ')) === null ? `'${word}'` : whole,
  )
}

function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name()
}

function oneLine(text: string): string {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .join(' ')
    .replace(/\.$/, '')
}

async function reportError(error: unknown, session: Session): Promise<ExitCode> {
  // Commander has written its own line by now; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage
  const { errorLine } = await import('./output/problem-lines.ts')
  session.err(errorLine(error))
  return error instanceof CliError ? error.exitCode : EXIT_CODES.harness
}
