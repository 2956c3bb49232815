import type { Command } from 'commander'
import type { Session } from '../session.ts'

/** What a shell asks when the Tab key is pressed; see `completion`. */
export function configure(command: Command, session: Session): void {
  command
    .argument('[words...]', 'the words typed after the program; the last one is not complete')
    .action((words: string[]) => {
      const offers = offersFor(command.parent as Command, words)
      session.out(offers.map(([word, about]) => `${word}\t${about}\n`).join(''))
    })
}

type Offer = readonly [word: string, about: string]

/** What may be in the place of the last word, as the help of the command before it says. */
function offersFor(program: Command, words: readonly string[]): Offer[] {
  const before = words.slice(0, -1)
  let command = program
  for (const word of before) command = command.commands.find((inner) => inner.name() === word) ?? command
  return offersOf(command, before.at(-1) ?? '').filter(([word]) => word.startsWith(words.at(-1) ?? ''))
}

function offersOf(command: Command, last: string): Offer[] {
  const option = command.options.find(({ long, short }) => long === last || short === last)
  if (option?.required || option?.optional) return (option.argChoices ?? []).map((word) => [word, ''])
  const help = command.createHelp()
  return [
    ...help.visibleCommands(command).map((inner): Offer => [inner.name(), inner.description()]),
    ...(command.registeredArguments[0]?.argChoices ?? []).map((word): Offer => [word, '']),
    ...help
      .visibleOptions(command)
      .flatMap(({ long, short, description }) =>
        [long, short].flatMap((name): Offer[] => (name ? [[name, description]] : [])),
      ),
  ]
}
