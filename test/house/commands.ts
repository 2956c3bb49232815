import { type Command, CommanderError } from 'commander'
import { buildProgram } from '../../src/cli/run-cli.ts'
import type { Session } from '../../src/cli/session.ts'
import { wallClock } from '../../src/clock/wall-clock.ts'

/** Words of a command line, up to where the shell takes over: a pipe, a redirection, the next command. */
export function shellWords(line: string): string[] {
  const words: string[] = []
  let isOpen = false
  const add = (text: string) => {
    if (isOpen) words[words.length - 1] += text
    else words.push(text)
    isOpen = true
  }
  for (const [part, single, double, escaped] of line.matchAll(
    /'([^']*)'|"([^"]*)"|\\(.)|[^\s'"\\|&;<>()]+|[\s|&;<>()]/gs,
  )) {
    if (/^[|&;<>()]$/.test(part) || (part.startsWith('#') && !isOpen)) break
    if (/^\s$/.test(part)) isOpen = false
    else add(single ?? double ?? escaped ?? part)
  }
  return words
}

/** Parses a command line of ours without doing anything; what the program would say where it does not know a word of it. */
export async function usageProblem(words: readonly string[]): Promise<string | null> {
  let said = ''
  const session: Session = {
    out: () => undefined,
    err: (text) => (said += text),
    outIsTerminal: false,
    errIsTerminal: false,
    columns: 80,
    env: {},
    program: 'partner-sandbox',
    wall: wallClock,
    interrupted: () => new AbortController().signal,
    exitWith: () => undefined,
  }
  const program = await buildProgram(words, '0', session)
  for (const command of program.commands) withoutAction(command)
  try {
    await program.parseAsync(words, { from: 'user' })
    return null
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === 0
    return isHelp ? null : said || String(error)
  }
}

function withoutAction(command: Command): void {
  command.action(() => undefined)
  for (const inner of command.commands) withoutAction(inner)
}
