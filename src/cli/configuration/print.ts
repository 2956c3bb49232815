import type { Command } from 'commander'
import { table } from '../output/table.ts'
import type { Origins } from './configure.ts'
import { type CommandSetting, settingsOf } from './settings.ts'

const SECRET = /token$/

/** Each setting of a command, its value and where that came from: flag, environment, file or default. */
export function configurationText(
  command: Command,
  words: readonly string[],
  origins: Origins,
  isJson: boolean,
): string {
  command.parseOptions([...words])
  const rows = settingsOf(command).map((setting) => ({
    setting: setting.key,
    value: valueText(command, setting),
    from: origins.get(setting.key) ?? sourceOf(command, setting),
  }))
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

function valueText(command: Command, { option, key }: CommandSetting): string {
  const value: unknown = command.getOptionValue(option.attributeName())
  if (value === undefined) return '-'
  if (SECRET.test(key)) return '[secret]'
  const isDefault = command.getOptionValueSource(option.attributeName()) === 'default'
  if (isDefault && option.defaultValueDescription !== undefined) return option.defaultValueDescription
  return typeof value === 'string' ? value : JSON.stringify(value)
}
