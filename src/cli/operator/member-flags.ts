import { type Command, Option } from 'commander'
import type { CommandRow } from '../../operator-api/command-row.ts'
import type { BodyOf, OperationId } from '../../operator-api/operations.ts'
import { choiceOption } from '../option-parsers.ts'

/**
 * A flag that sets a member of what is sent: the member (`buyer.email` for one of a member that is an object), the flag, what
 * the help says of it, and how its value is read if not as it stands: one of a few words, or by a reader for commander.
 */
export type MemberFlag<Member extends string = string> = readonly [
  member: Member,
  flags: string,
  says: string,
  read?: readonly string[] | ((text: string, earlier: string[] | undefined) => unknown),
]

/** The flags of a command for members of the body of an operation. */
export type BodyFlags<Id extends OperationId> = readonly MemberFlag<
  keyof NonNullable<CommandRow<BodyOf<Id>>['flags']> & string
>[]

export function withMemberFlags(command: Command, flags: readonly MemberFlag[]): Command {
  for (const flag of flags) command.addOption(optionOf(flag))
  return command
}

function optionOf([, flags, says, read]: MemberFlag): Option {
  if (typeof read === 'object') return choiceOption(flags, says, read)
  const option = new Option(flags, says)
  if (!read) return option
  return option.argParser((text, earlier: unknown) => read(text, Array.isArray(earlier) ? earlier : undefined))
}

/** The members that options set; null if none of them is given. */
export function bodyFrom<Id extends OperationId>(flags: BodyFlags<Id>, options: object): BodyOf<Id> | null {
  const isEmpty = Object.keys(membersFrom(flags, options)).length === 0
  return isEmpty ? null : bodyOf<Id>(flags, options)
}

/** The members that options set, be it none. */
export function bodyOf<Id extends OperationId>(flags: BodyFlags<Id>, options: object): BodyOf<Id> {
  return membersFrom(flags, options) as BodyOf<Id>
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
