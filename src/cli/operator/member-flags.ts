import { type Command, Option } from 'commander'
import type { CommandRow } from '../../operator-api/command-row.ts'
import type { Operation } from '../../operator-api/operation.ts'
import type { BodyOf, OperationId } from '../../operator-api/operations.ts'
import { choiceOption, collect, instantText, integerBetween } from '../option-parsers.ts'
import { commandError, type ErrorId } from './command-errors.ts'
import type { MemberOption, OperatorCommand, OperatorContext } from './operator-command.ts'

type Reader = (text: string, earlier: string[] | undefined) => unknown

/**
 * A flag that sets a member of what is sent: the member (`buyer.email` for one of a member that is an object), the flag, what
 * the help says of it, and how its value is read if not as it stands: one of a few words, or by a reader.
 */
export type MemberFlag<Member extends string = string> = readonly [
  member: Member,
  flags: string,
  says: string,
  read?: readonly string[] | Reader | undefined,
]

/** The flags of a command for members of the body of an operation. */
type FlagsOf<Body> = readonly MemberFlag<keyof NonNullable<CommandRow<Body>['flags']> & string>[]
export type BodyFlags<Id extends OperationId> = FlagsOf<BodyOf<Id>>

/**
 * The same; how a value is read follows from the schema of the operation, unless it is said here.
 *
 * @example flagsFor(domainRows['domains.set'], [['price_cents', '--price-cents <n>', 'price in cents']])
 */
export function flagsFor<Query, Body, Answer>(
  row: Operation<string, Query, Body, Answer>,
  flags: FlagsOf<NoInfer<Body>>,
): FlagsOf<Body> {
  return flags.map(([member, flag, says, read]) => [member, flag, says, read ?? readerFor(row, member, flag)] as const)
}

/** What of JSON Schema decides how a flag is read. */
interface MemberSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, MemberSchema>>
  readonly anyOf?: readonly MemberSchema[]
}

/** More digits than these are not exact. */
const LARGEST = 999_999_999_999_999

type QueryOrBody = Pick<Operation, 'query' | 'body'>

/** How the value of a flag is read by the schema of its member; undefined for a text, and for a flag without a value. */
export function readerFor(row: QueryOrBody, member: string, flag: string): MemberFlag[3] {
  if (!/[<[]/.test(flag)) return undefined
  const schema = memberSchema(row, member)
  if (schema.enum) return schema.enum
  if (schema.type === 'array') return collect
  if (schema.format === 'instant') return instantText
  if (schema.type !== 'integer') return undefined
  return integerBetween(schema.minimum ?? 0, Math.min(schema.maximum ?? LARGEST, LARGEST))
}

/** Of a member that may be null, the schema of its other values. */
function memberSchema({ query, body }: QueryOrBody, member: string): MemberSchema {
  const whole: MemberSchema = { ...(query ?? body)?.json }
  return member.split('.').reduce((schema, name) => {
    const inner = schema.properties?.[name] ?? {}
    return inner.anyOf?.[0] ?? inner
  }, whole)
}

export function withMemberFlags(command: Command, flags: readonly MemberFlag[]): Command {
  for (const flag of flags) {
    const option: MemberOption = Object.assign(optionOf(flag), { member: flag[0] })
    command.addOption(option)
  }
  return command
}

function optionOf([, flags, says, read]: MemberFlag): Option {
  if (typeof read === 'object') return choiceOption(flags, says, read)
  const option = new Option(flags, says)
  if (!read) return option
  // Only a reader that collects values takes the earlier ones: the configuration goes by that.
  if (read.length < 2) return option.argParser((text) => read(text, undefined))
  return option.argParser((text, earlier: unknown) => read(text, Array.isArray(earlier) ? earlier : undefined))
}

/** The members that options set; null if none of them is given. */
export function bodyFrom<Id extends OperationId>(flags: BodyFlags<Id>, options: object): BodyOf<Id> | null {
  const members = membersFrom(flags, options)
  return Object.keys(members).length === 0 ? null : (members as BodyOf<Id>)
}

export function membersFrom(flags: readonly MemberFlag[], options: object): Record<string, unknown> {
  const given = new Map<string, unknown>(Object.entries(options))
  const members: Record<string, unknown> = {}
  for (const [member, flag] of flags) {
    const value = given.get(new Option(flag).attributeName())
    if (value !== undefined) setMember(members, member.split('.'), value)
  }
  return members
}

function setMember(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[name] = value
  else {
    const inner = { ...(into[name] as object | undefined) }
    setMember(inner, rest, value)
    into[name] = inner
  }
}

/** What a world has one of: it is shown, and set as a whole. */
type SettingName = 'progress' | 'rules' | 'hints' | 'deliveryProfile'

interface Setting<Name extends SettingName> extends Pick<OperatorCommand, 'usage' | 'summary'> {
  of: Name
  flags: BodyFlags<`${Name}.set`>
  /** The flag that sets all of it back, what the help says of it, and the error if others are given with it. */
  usual: readonly [flag: string, says: string, alone: Extract<ErrorId, `${string}-alone`>]
  text(answer: unknown): string
}

/** A command that shows a setting of a world, or sets it if a flag is given; what is left out is then as usual. */
export function settingCommand<Name extends SettingName>(setting: Setting<Name>): OperatorCommand<{ world?: string }> {
  const { usage, summary = '', of, flags, text } = setting
  const [usual, says, alone] = setting.usual
  return {
    usage,
    summary,
    options: (command) => withMemberFlags(command, flags).option(usual, says),
    async run(context, [name], options) {
      const w = chosenWorld(context, name, options.world)
      const isUsual = Object.keys(options).includes(new Option(usual).attributeName())
      const given = bodyFrom(flags, options)
      if (isUsual && given) throw commandError(alone)
      const body = isUsual ? {} : given
      // Any of the settings: what fits one of them fits here.
      const [set, show] = [`${of}.set` as 'progress.set', `${of}.show` as 'progress.show']
      context.show(await (body ? context.call(set, { w }, body) : context.call(show, { w })), text)
    },
  }
}

/** The world may be named as the others of the group `world` do it, or as all other groups do it. */
function chosenWorld({ world }: OperatorContext, name: string | undefined, flag: string | undefined): string {
  if (name !== undefined && flag !== undefined && name !== flag) {
    throw commandError('world-twice', { name, flag })
  }
  return name ?? world
}
