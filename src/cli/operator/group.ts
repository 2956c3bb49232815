import type { Command } from 'commander'
import type { CommandRow, Flag } from '../../operator-api/command-row.ts'
import type { Operation } from '../../operator-api/operation.ts'
import type { OperationId, SomeOperations } from '../../operator-api/operations.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { nonEmpty } from '../option-parsers.ts'
import type { Session } from '../session.ts'
import { commandError } from './command-errors.ts'
import { askById, idKindOf, idWords } from './find-id.ts'
import { type MemberFlag, membersFrom, readerFor, withMemberFlags } from './member-flags.ts'
import { addOperatorCommand, type OperatorCommand } from './operator-command.ts'
import { isTable, render } from './renderers.ts'

/** What a group of operator commands is made of. */
export interface Group {
  /** The operations whose commands are in it; what these say about other groups is left to them. */
  readonly rows: SomeOperations
  /** Commands that are more than one call and its answer, by the verb that they follow; those under `''` come first. */
  readonly extras?: Readonly<Record<string, readonly OperatorCommand[]>>
}

/** Adds the commands of the rows, in their order, and its own. */
export function configureGroup(group: Command, session: Session, { rows, extras = {} }: Group): void {
  const add = (commands: readonly OperatorCommand[] = []) => {
    for (const command of commands) addOperatorCommand(group, session, command, rows)
  }
  add(extras[''])
  const own = (Object.entries(rows) as [OperationId, Operation][])
    .flatMap(([id, operation]) => operation.commands.map((row) => ({ id, operation, row })))
    .filter(({ row }) => row.usage.split(' ')[0] === group.name())
    .sort((one, other) => Number(other.row.first ?? 0) - Number(one.row.first ?? 0))
  for (const { id, operation, row } of own) {
    add([rowCommand(id, operation, row)])
    add(extras[row.usage.split(' ')[1] ?? ''])
  }
}

/** The command that asks for an operation as its row says. */
function rowCommand(id: OperationId, operation: Operation, row: CommandRow): OperatorCommand {
  const flags = Object.entries<Flag>(row.flags ?? {}).map(([member, [flag, says, read]]): MemberFlag => {
    return [member, flag, says, read === 'filled' ? nonEmpty : (read ?? readerFor(operation, member, flag))]
  })
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const idName = inPath.find((name) => name !== 'w')
  const kind = idName === undefined ? null : idKindOf(id)
  const words = row.args ?? inPath.filter((name) => name !== 'w')
  return {
    ...(kind && { idWords: idWords(kind) }),
    usage: row.usage,
    summary: row.summary,
    ofOneWorld: inPath.includes('w') && row.args?.includes('w') !== true,
    options(command) {
      withMemberFlags(command, flags)
      if (isTable(row.shows)) command.option('--wide', 'do not cut cells to the width of the terminal')
      return row.helpAfter ? command.addHelpText('after', `\n${row.helpAfter}`) : command
    },
    async run(context, args, options) {
      const given = words.flatMap((name, n) => (args[n] === undefined ? [] : [[name, args[n]] as const]))
      const params = Object.fromEntries(given.filter(([name]) => inPath.includes(name)))
      const members = Object.fromEntries(given.filter(([name]) => !inPath.includes(name)))
      const input = { ...row.sends, ...members, ...membersFrom(flags, options) }
      const ask = (found: string) => {
        const inside = idName === undefined ? params : { ...params, [idName]: found }
        return context.call(id, inside as never, input as never).catch((error: unknown) => {
          throw refusedStep(row, found, error)
        })
      }
      const word = params[idName ?? ''] ?? ''
      const answer = await (kind === null ? ask(word) : askById(context, kind, word, ask))
      const around = { session: context.session, options: { ...options }, args, world: context.world }
      context.show(answer, (shown) => render(row.shows, shown, around))
    },
  }
}

/** A refused step in one line: the state of the thing, and what that allows. A refusal that says neither stays as it is, and so does any other error. */
function refusedStep({ usage, stepOf }: CommandRow, subjectId: string, error: unknown): unknown {
  if (stepOf === undefined || !(error instanceof SandboxRefusal) || error.status !== 409) return error
  const [, name = ''] = usage.split(' ')
  const subject = `${stepOf} ${subjectId}`
  const { state, steps, actions } = error.members
  const allowed = steps ?? actions
  if (typeof state !== 'string' || !Array.isArray(allowed)) return error
  // The state allows the step. The obstacle is another one, e.g. the domain was sold to another partner.
  if (allowed.includes(name)) return commandError('step-in-the-way', { name, detail: error.detail, subject, state })
  const advice = allowed.length > 0 ? allowed.join(', ') : 'no step at all'
  return commandError('step-not-allowed', { name, subject, state, allowed: advice })
}
