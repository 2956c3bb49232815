import { InvalidArgumentError, Option } from 'commander'
import { closestTo } from '../contract/words.ts'

/**
 * An option that takes one of a closed set of values: the Tab key offers them, and a word that is none of them is refused
 * with the one that was probably meant.
 *
 * @example list.addOption(choiceOption('--type <type>', 'only those of this type', EVENT_TYPES))
 */
export function choiceOption(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => oneOf(text, values))
}

/** The same for a list of them with commas between; its reader judges the words, the Tab key offers the first. */
export function choicesOption(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => text)
}

function oneOf(text: string, values: readonly string[]): string {
  if (values.includes(text)) return text
  const near = closestTo(text, values)
  throw new InvalidArgumentError(near === null ? `It must be one of ${values.join(', ')}.` : `Did you mean "${near}"?`)
}
