import { type Command, InvalidArgumentError, type Option } from 'commander'

/** An option of a command as a setting: what it is called in a file and in the environment. */
export interface CommandSetting {
  readonly option: Option
  /** `operator_port` of `--operator-port`; `operator` of `--no-operator`. */
  readonly key: string
  readonly variable: string
  readonly kind: 'flag' | 'text' | 'list'
  /** What it means; of an option that switches something off, what `false` means. */
  readonly meaning: string
}

/** Options that mean the same in every command that has them; a file has them at its top. */
export const SHARED: Readonly<Record<string, string>> = {
  sandbox: 'PARTNER_SANDBOX_URL',
  operator_token: 'PARTNER_SANDBOX_OPERATOR_TOKEN',
  shard: 'PARTNER_SANDBOX_SHARD',
}

export const CONFIG_OPTION = 'config'
export const PRINT_OPTION = 'print-config'

/** So begins the name of each variable. */
export const VARIABLES = 'PARTNER_SANDBOX_'

/** The variable that names the configuration file. */
export const CONFIG_VARIABLE = `${VARIABLES}CONFIG`

/** The names of a command from the program on. @example pathOf(orderList) // ['order', 'list'] */
export function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : []
}

/** What can be set of a command, in the order of its help. An option and its negation are one setting. */
export function settingsOf(command: Command): CommandSetting[] {
  const path = pathOf(command)
  const keys = new Set<string>()
  return command.options.flatMap((option) => {
    const { long, negate, required, optional, variadic, parseArg, description } = option
    const key = (long ?? '').replace(negate ? /^--no-/ : /^--/, '').replaceAll('-', '_')
    if (option.hidden || keys.has(key)) return []
    keys.add(key)
    // A reader that takes what came before collects an option that may be given more than once.
    const kind = !required && !optional ? 'flag' : variadic || parseArg?.length === 2 ? 'list' : 'text'
    const meaning = negate ? `false: ${description}` : description
    return [{ option, key, variable: SHARED[key] ?? variableOf([...path, key]), kind, meaning }]
  })
}

/** @example variableOf(['serve', 'operator_port']) // 'PARTNER_SANDBOX_SERVE_OPERATOR_PORT' */
export function variableOf(words: readonly string[]): string {
  return `${VARIABLES}${words.join('_').replaceAll('-', '_').toUpperCase()}`
}

/**
 * The value that an option has for what a file or a variable says.
 *
 * @param given a text, number or boolean; or a list of them for an option that may be given more than once.
 * @throws InvalidArgumentError
 */
export function readValue({ option, kind }: CommandSetting, given: unknown): unknown {
  if (kind === 'flag') {
    if (typeof given !== 'boolean') throw new InvalidArgumentError('It must be true or false.')
    return given
  }
  if (option.optional && given === true) return true
  const texts = Array.isArray(given) ? given : [given]
  if (kind !== 'list' && Array.isArray(given)) throw new InvalidArgumentError('It must be one value.')
  return texts.reduce<unknown>((earlier, one) => {
    if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean')
      throw new InvalidArgumentError('It must be a text or a number.')
    const value: unknown = option.parseArg ? option.parseArg(String(one), earlier) : String(one)
    return option.variadic ? [...(Array.isArray(earlier) ? earlier : []), value] : value
  }, undefined)
}

/** A value as a person writes it; a list as JSON. */
export function writtenText(given: unknown, { kind }: CommandSetting): string {
  return kind === 'list' ? JSON.stringify((Array.isArray(given) ? given : [given]).map(String)) : String(given)
}

/** What a variable of the environment says; a list has commas between its values. */
export function givenBy(text: string, { kind }: CommandSetting): unknown {
  if (kind === 'list') return text.split(',')
  if (kind === 'text') return text
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : text
}
