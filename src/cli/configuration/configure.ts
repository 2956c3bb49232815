import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { FileProblem } from '../../conformance/yaml/read-yaml.ts'
import { isObject } from '../../contract/is-object.ts'
import { didYouMean } from '../../contract/words.ts'
import { refuseProblems } from '../output/problem-lines.ts'
import { CliError, type Session } from '../session.ts'
import type { ConfigFile } from './config-file.ts'
import {
  CONFIG_OPTION,
  CONFIG_VARIABLE,
  type CommandSetting,
  givenBy,
  pathOf,
  readValue,
  SHARED,
  settingsOf,
  VARIABLES,
  variableOf,
  writtenText,
} from './settings.ts'

/**
 * Where values came from (`partner-sandbox.config.yaml:3`, `environment PARTNER_SANDBOX_SERVE_PORT`), and how they are written
 * there, by the keys of the settings.
 */
export type Origins = ReadonlyMap<string, { readonly from: string; readonly text: string }>

const FILE_NAMES = ['yaml', 'json', 'ts'].map((ending) => `partner-sandbox.config.${ending}`)

/**
 * Gives a command its settings from the configuration file and from the environment. A flag of the command line replaces both,
 * the environment replaces the file.
 *
 * @param words what follows the name of the command.
 * @returns where each value came from; those of flags and defaults are not in it.
 * @throws CliError, FilesWithProblems
 */
export async function configure(command: Command, words: readonly string[], { env }: Session): Promise<Origins> {
  const at = words.findIndex((word) => word === `--${CONFIG_OPTION}` || word.startsWith(`--${CONFIG_OPTION}=`))
  const byFlag = /=(.*)$/s.exec(words[at] ?? '')?.[1] ?? words[at + 1] ?? ''
  const byVariable = env[CONFIG_VARIABLE] && { file: env[CONFIG_VARIABLE], by: CONFIG_VARIABLE }
  const named = at === -1 ? byVariable || null : { file: byFlag, by: `--${CONFIG_OPTION}` }
  const here = FILE_NAMES.filter((name) => existsSync(name))
  // Most command lines have neither a file nor variables.
  if (!named && here.length === 0 && !Object.keys(env).some((name) => name.startsWith(VARIABLES))) return new Map()
  const settings = settingsOf(command)
  const file = await (await import('./config-file.ts')).findConfigFile(named, here)
  const open = settings.filter((setting) => !isTyped(setting, words) && !isReplaced(setting, settings, words))
  const origins = new Map(file ? takeFromFile(file, command, open) : [])
  refuseUnknownVariables(command, settings, env)
  for (const setting of open) {
    const { key, variable } = setting
    const text = env[variable]
    if (!text) continue
    const given = givenBy(text, setting)
    set(command, setting, given, 'env', (message) => {
      throw new CliError(`${variable}: ${message}`)
    })
    origins.set(key, { from: `environment ${variable}`, text: writtenText(given, setting) })
  }
  return origins
}

/**
 * The message of an error about options, with the places of those that were not typed: a person looks for them there.
 *
 * @example withOrigins('--target no.yaml: no such file', origins) // '--target no.yaml: no such file (--target: partner-sandbox.config.yaml:2)'
 */
export function withOrigins(message: string, origins: Origins): string {
  const places = [...origins]
    // Their messages are about the variable that they name.
    .filter(([key]) => !key.endsWith('secret_env'))
    .map(([key, { from }]) => ({ flag: `--${key.replaceAll('_', '-')}`, from }))
    .filter(({ flag }) => new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(message))
    .map(({ flag, from }) => `${flag}: ${from}`)
  return places.length === 0 ? message : `${message} (${places.join('; ')})`
}

function isTyped({ option, key }: CommandSetting, words: readonly string[]): boolean {
  const negated = `--no-${key.replaceAll('_', '-')}`
  return words.some(
    (word) => word === option.short || word === option.long || word === negated || word.startsWith(`${option.long}=`),
  )
}

/** A target is named in one way: one that is typed replaces what names another. */
const NAMES_TARGET = ['target', 'self', 'key_id', 'secret_env']

function isReplaced({ key }: CommandSetting, settings: readonly CommandSetting[], words: readonly string[]): boolean {
  if (!settings.some((one) => one.key === 'target') || !NAMES_TARGET.includes(key)) return false
  const isUrl = words.some((word, at) => /^https?:\/\//.test(word) && !isValue(at, settings, words))
  const typed = settings.filter((one) => NAMES_TARGET.includes(one.key) && isTyped(one, words)).map((one) => one.key)
  if (typed.includes('target') || typed.includes('self')) return true
  return isUrl && (key === 'target' || key === 'self')
}

/** Whether a word is the value of an option: some take one, some all until the next option. */
function isValue(at: number, settings: readonly CommandSetting[], words: readonly string[]): boolean {
  const flagAt = words.findLastIndex((word, index) => index < at && word.startsWith('-'))
  const { option, kind } =
    settings.find(({ option: { short, long } }) => [short, long].includes(words[flagAt] ?? '-')) ?? {}
  return kind !== undefined && kind !== 'flag' && (option?.variadic === true || flagAt === at - 1)
}

/** The part of a file that is about a command, or about the groups around it. */
interface FileSection {
  readonly command: Command
  readonly at: readonly string[]
  readonly data: unknown
}

/** The whole file for the program, then the member of the command's group, then that of the command in it. */
function sectionsOf(command: Command, data: unknown): FileSection[] {
  if (!command.parent) return [{ command, at: [], data }]
  const around = sectionsOf(command.parent, data)
  const outer = around.at(-1)?.data
  return [...around, { command, at: pathOf(command), data: isObject(outer) ? outer[command.name()] : undefined }]
}

/** Takes the members of the file that are about this command; those of other commands are read when these run. */
function takeFromFile(file: ConfigFile, command: Command, open: readonly CommandSetting[]): Origins {
  const { data, problems, problemAtKey } = file
  refuseProblems(problems)
  const found: FileProblem[] = []
  const origins = new Map<string, { from: string; text: string }>()
  for (const section of sectionsOf(command, data)) {
    if (section.data === undefined || section.data === null) continue
    if (!isObject(section.data)) {
      found.push(problemAtKey(section.at, 'must be an object of settings'))
      continue
    }
    for (const [key, value] of Object.entries(section.data)) {
      const { line, ...place } = problemAtKey([...section.at, key], '')
      const refuse = (message: string) => found.push({ ...place, line, message })
      const hint = unknownMember(section, key)
      if (hint !== null) refuse(`unknown member "${key}"${hint}`)
      const isOwn = section.command === command || (!section.command.parent && key in SHARED)
      const setting = isOwn ? open.find((one) => one.key === key) : undefined
      if (!setting) continue
      set(command, setting, value, 'config', (message) => refuse(`${key}: ${message}`))
      origins.set(key, { from: `${file.file}:${line}`, text: writtenText(value, setting) })
    }
  }
  refuseProblems(found)
  return origins
}

/** The end of the message about a member that a section does not have; null for one that it has. */
function unknownMember({ command, at }: FileSection, key: string): string | null {
  const isWhole = at.length === 0
  if (isWhole && key === '$schema') return null
  const own = isWhole ? Object.keys(SHARED) : settingsOf(command).map((one) => one.key)
  const known = [...own, ...command.commands.map((one) => one.name())]
  return known.includes(key) ? null : didYouMean(key, known)
}

function set(
  command: Command,
  setting: CommandSetting,
  given: unknown,
  source: 'config' | 'env',
  refuse: (message: string) => void,
): void {
  try {
    command.setOptionValueWithSource(setting.option.attributeName(), readValue(setting, given), source)
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    refuse(error.message)
  }
}

/** A variable that begins as those of this command, but is none of them, is a mistake. */
function refuseUnknownVariables(command: Command, settings: readonly CommandSetting[], env: Session['env']): void {
  const start = `${variableOf(pathOf(command))}_`
  const inner = command.commands.map((one) => `${variableOf([...pathOf(command), one.name()])}_`)
  const known = settings.map(({ variable }) => variable)
  const unknown = Object.keys(env).find(
    (name) => name.startsWith(start) && !known.includes(name) && !inner.some((other) => name.startsWith(other)),
  )
  if (unknown !== undefined)
    throw new CliError(`${unknown}: no setting of ${pathOf(command).join(' ')}${didYouMean(unknown, known)}`)
}
