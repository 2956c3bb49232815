import type { Command } from 'commander'
import { GAPS, type GapValue } from '../../contract/choices.ts'
import { type CommandSetting, SHARED, settingsOf } from './settings.ts'

type SettingSchema = Readonly<Record<string, unknown>>

/**
 * JSON Schema of a configuration file, made from the options of the commands.
 *
 * @param commands with their options and subcommands.
 */
export function configurationSchema(commands: readonly Command[]): SettingSchema {
  const everySetting = commands.flatMap((one) => [one, ...one.commands]).flatMap(settingsOf)
  const shared = Object.keys(SHARED).flatMap((key) => everySetting.find((one) => one.key === key) ?? [])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'partner-sandbox.config',
    description: 'Settings of the commands of partner-sandbox, by the names of their options.',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(shared.map((setting) => [setting.key, valueSchema(setting)])),
      ...Object.fromEntries(commands.map((command) => [command.name(), sectionSchema(command)])),
    },
  }
}

function sectionSchema(command: Command): SettingSchema {
  return {
    description: command.description(),
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(settingsOf(command).map((setting) => [setting.key, valueSchema(setting)])),
      ...Object.fromEntries(command.commands.map((inner) => [inner.name(), sectionSchema(inner)])),
    },
  }
}

function valueSchema({ option, kind, meaning: description }: CommandSetting): SettingSchema {
  const { argChoices } = option
  if (kind === 'flag') return { description, type: 'boolean' }
  const one = { type: ['string', 'number'], ...(argChoices && { enum: argChoices }) }
  if (kind === 'list') return { description, anyOf: [one, { type: 'array', items: one }] }
  return { description, ...one, ...(option.optional && { type: ['string', 'number', 'boolean'] }) }
}

/** JSON Schema of a file of `--gaps`: the open points with their legal values. */
export function gapsSchema(): SettingSchema {
  const chosen = Object.entries<OpenPointRow>(GAPS).filter(([, { values }]) => values.length > 1)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'gaps',
    description: 'Choices for open points of the API document; those that are left out have their default.',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      chosen.map(([id, { question, values }]) => [id, { description: question, enum: values, default: values[0] }]),
    ),
  }
}

interface OpenPointRow {
  readonly question: string
  readonly values: readonly GapValue[]
}
