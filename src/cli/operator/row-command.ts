import { type Command, Option } from 'commander'
import type { CommandRow, Flag } from '../../operator-api/command-row.ts'
import { type OperationId, operationOf } from '../../operator-api/operations.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { choiceOption } from '../choice-option.ts'
import { instantText, integerBetween, nonEmpty } from '../option-parsers.ts'
import type { Session } from '../session.ts'
import { addSubcommand, makeOperatorCommand, type OperatorContext } from './operator-command.ts'
import { refusedStep } from './refused-step.ts'
import { render } from './renderers.ts'

/** Adds the command that asks for an operation as its row says. */
export function addRowCommand(group: Command, session: Session, id: OperationId, row: CommandRow): void {
  const [, verb = '', ...args] = row.usage.split(' ')
  const definition = {
    ofOneWorld: operationOf(id).path.includes('{w}') && row.args?.includes('w') !== true,
    options: (command: Command) => withFlags(command, id, row),
    run: (context: OperatorContext, given: string[], options: Options) =>
      runRow(context, session, { id, row, verb }, given, options),
  }
  if (verb === '') makeOperatorCommand(group, session, definition)
  else addSubcommand(group, session, { usage: [verb, ...args].join(' '), summary: row.summary, ...definition })
}

type Options = Readonly<Record<string, unknown>>

function flagsOf({ flags = {} }: CommandRow): [member: string, flag: Flag][] {
  return Object.entries(flags as Record<string, Flag>)
}

function withFlags(command: Command, id: OperationId, row: CommandRow): Command {
  for (const [member, flag] of flagsOf(row)) command.addOption(optionOf(flag, memberSchema(id, member)))
  if (row.helpAfter) command.addHelpText('after', `\n${row.helpAfter}`)
  return command
}

/** What of JSON Schema decides how a flag is read. */
interface MemberSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, MemberSchema>>
}

function memberSchema(id: OperationId, member: string): MemberSchema {
  const { query, body } = operationOf(id)
  const whole: MemberSchema = { ...(query ?? body)?.json }
  return member.split('.').reduce((schema, name) => schema.properties?.[name] ?? {}, whole)
}

/** More digits than these are not exact. */
const LARGEST = 999_999_999_999_999

function optionOf([flags, says, read]: Flag, schema: MemberSchema): Option {
  const option = new Option(flags, says)
  if (!/[<[]/.test(flags)) return option
  const choices = Array.isArray(read) ? read : schema.enum
  if (choices) return choiceOption(flags, says, choices)
  if (read === 'filled') return option.argParser(nonEmpty)
  if (schema.format === 'instant') return option.argParser(instantText)
  if (schema.type !== 'integer') return option
  return option.argParser(integerBetween(schema.minimum ?? 0, Math.min(schema.maximum ?? LARGEST, LARGEST)))
}

interface Asked {
  id: OperationId
  row: CommandRow
  verb: string
}

async function runRow(
  context: OperatorContext,
  session: Session,
  { id, row, verb }: Asked,
  given: string[],
  options: Options,
): Promise<void> {
  const { params, input } = wordsOf(id, row, given, options)
  const answer = await context.call(id, params as never, input as never).catch((error: unknown) => {
    const isRefusedStep = row.stepOf !== undefined && error instanceof SandboxRefusal && error.status === 409
    throw isRefusedStep ? refusedStep(verb, `${row.stepOf} ${given[0]}`, error) : error
  })
  context.show(answer, (shown) => render(row.shows, shown, { session, options, args: given, world: context.world }))
}

/** What the arguments and the flags say, as the client takes it. */
function wordsOf(id: OperationId, row: CommandRow, given: readonly string[], options: Options) {
  const inPath = [...operationOf(id).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const names = row.args ?? inPath.filter((name) => name !== 'w')
  const params: Record<string, string> = {}
  const input: Record<string, unknown> = { ...(row.sends ?? {}) }
  names.forEach((name, n) => {
    const word = given[n]
    if (word === undefined) return
    if (inPath.includes(name)) params[name] = word
    else input[name] = word
  })
  for (const [member, flag] of flagsOf(row)) setMember(input, member.split('.'), options[attributeOf(flag)])
  return { params, input }
}

function attributeOf([flags]: Flag): string {
  return new Option(flags).attributeName()
}

function setMember(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (value === undefined) return
  if (rest.length === 0) into[name] = value
  else {
    const inner = { ...(into[name] as object | undefined) }
    setMember(inner, rest, value)
    into[name] = inner
  }
}
