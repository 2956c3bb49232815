import type { Command, Option } from 'commander'

/** A flag as a shell completes it. */
export interface Flag {
  /** `--limit`, and `-V` where there is a short one. */
  names: string[]
  about: string
  takes: 'nothing' | 'file' | 'word' | readonly string[]
}

/** A command, its flags, and the commands below it. */
export interface CommandNode {
  /** Words from the program on: `['order', 'list']`; none for the program itself. */
  path: readonly string[]
  about: string
  flags: Flag[]
  /** What its first argument is. */
  argument: 'nothing' | 'file' | 'word' | readonly string[]
  below: CommandNode[]
}

/** A command with all below it, as its own help knows them. */
export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  const [argument] = command.registeredArguments
  return {
    path,
    about: command.description(),
    flags: [...command.options.filter(({ hidden }) => !hidden).map(flagOf), HELP],
    argument: argument ? (argument.argChoices ?? kindOf(argument.name())) : 'nothing',
    below: command.commands.map((inner) => commandTree(inner, [...path, inner.name()])),
  }
}

const HELP: Flag = { names: ['--help', '-h'], about: 'show the help', takes: 'nothing' }

function flagOf(option: Option): Flag {
  const names = [option.long, option.short].filter((name) => name !== undefined)
  const isSwitch = !option.required && !option.optional
  const value = /[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? ''
  return {
    names,
    about: option.description,
    takes: isSwitch ? 'nothing' : (option.argChoices ?? kindOf(value)),
  }
}

const FILES = /file|dir|path/i

function kindOf(placeholder: string): 'file' | 'word' {
  return FILES.test(placeholder) ? 'file' : 'word'
}

/** A node and all below it. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.below.flatMap(allNodes)]
}
