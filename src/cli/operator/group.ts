import type { Command } from 'commander'
import { OPERATION_IDS, operationOf } from '../../operator-api/operations.ts'
import type { Session } from '../session.ts'
import { addOperatorCommand, type OperatorCommand } from './operator-command.ts'
import { rowCommand } from './row-command.ts'

/** Commands that are more than one call and its answer, by the verb that they stand behind; those under `''` come first. */
export type Extras = Readonly<Record<string, readonly OperatorCommand[]>>

/** A group of operator commands: those of the rows, in their order, and its own. */
export function configureGroup(group: Command, session: Session, extras: Extras = {}): void {
  const add = (commands: readonly OperatorCommand[] = []) => {
    for (const command of commands) addOperatorCommand(group, session, command)
  }
  add(extras[''])
  const rows = OPERATION_IDS.flatMap((id) => (operationOf(id).commands ?? []).map((row) => ({ id, row })))
  const own = rows.filter(({ row }) => row.usage.split(' ')[0] === group.name())
  for (const { id, row } of own.sort((one, other) => Number(other.row.first ?? 0) - Number(one.row.first ?? 0))) {
    add([rowCommand(id, row)])
    add(extras[row.usage.split(' ')[1] ?? ''])
  }
}
