import type { Command } from 'commander'
import { table } from '../output/table.ts'
import type { Origins } from './configure.ts'
import { type CommandSetting, settingsOf, writtenText } from './settings.ts'

const SECRET = /token$/

/** Each setting of a command, its value and where that came from: flag, environment, file or default. */
export function configurationText(
  command: Command,
  words: readonly string[],
  origins: Origins,
  isJson: boolean,
): string {
  const typed = typedTexts(command, words)
  const rows = settingsOf(command).map((setting) => {
    const { from = sourceOf(command, setting), text = typed.get(setting.key) } = origins.get(setting.key) ?? {}
    return { setting: setting.key, value: shownValue(command, setting, text), from }
  })
  if (isJson) return `${JSON.stringify(rows, null, 2)}\n`
  return table(rows, [
    ['SETTING', 'setting'],
    ['VALUE', 'value'],
    ['FROM', 'from'],
  ])
}

function sourceOf(command: Command, { option }: CommandSetting): string {
  const source = command.getOptionValueSource(option.attributeName())
  if (source === 'cli') return 'flag'
  return source === 'default' ? 'default' : 'not set'
}

/** The values of flags as they were typed: what a reader of an option makes of one is not what a person wrote. */
function typedTexts(command: Command, words: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, unknown[]>()
  for (const option of command.options) {
    const values: unknown[] = []
    given.set(option.attributeName(), values)
    command.on(`option:${option.name()}`, (value: unknown) => values.push(value))
  }
  command.parseOptions([...words])
  const texts = new Map<string, string>()
  for (const setting of settingsOf(command)) {
    const values = given.get(setting.option.attributeName()) ?? []
    const isText = typeof values.at(-1) === 'string'
    if (isText) texts.set(setting.key, writtenText(setting.kind === 'list' ? values : values.at(-1), setting))
  }
  return texts
}

/**
 * @param written the value as it was written; undefined for a default and for an option without a value.
 * @returns a number or true where that is what was written; null for what is not set.
 */
function shownValue(
  command: Command,
  { option, key }: CommandSetting,
  written: string | undefined,
): string | number | boolean | null {
  const value: unknown = command.getOptionValue(option.attributeName())
  if (value === undefined) return null
  if (SECRET.test(key)) return '[secret]'
  const isDefault = command.getOptionValueSource(option.attributeName()) === 'default'
  const text =
    written ??
    (isDefault ? option.defaultValueDescription : undefined) ??
    (typeof value === 'string' ? value : JSON.stringify(value))
  if (typeof value === 'number' || typeof value === 'boolean') return String(value) === text ? value : text
  return text
}
