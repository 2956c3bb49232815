import type { Command } from 'commander'
import { OPERATION_IDS, operationOf } from '../../operator-api/operations.ts'
import type { Session } from '../session.ts'
import { addRowCommand } from './row-command.ts'

/** Commands that are more than one call and its answer, by the verb that they stand behind; those under `''` come first. */
export type Extras = Readonly<Record<string, (group: Command, session: Session) => void>>

/** A group of operator commands: those of the rows, in their order, and its own. */
export function configureGroup(group: Command, session: Session, extras: Extras = {}): void {
  extras['']?.(group, session)
  const rows = OPERATION_IDS.flatMap((id) => (operationOf(id).commands ?? []).map((row) => ({ id, row })))
  const own = rows.filter(({ row }) => row.usage.split(' ')[0] === group.name())
  for (const { id, row } of own.sort((one, other) => Number(other.row.first ?? 0) - Number(one.row.first ?? 0))) {
    addRowCommand(group, session, id, row)
    extras[row.usage.split(' ')[1] ?? '']?.(group, session)
  }
}
