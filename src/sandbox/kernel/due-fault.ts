import { formatInstant } from '../../clock/instant.ts'
import type { DueItem } from './scheduler.ts'
import type { World } from './world.ts'

/** Errors of SQLite that tell of a mistake of ours; all others tell of the machine, and the next try may go well. */
const OWN_MISTAKES = /^SQLITE_(?:CONSTRAINT|MISMATCH|MISUSE|RANGE|TOOBIG)/

/**
 * Whether a due thing that broke would break the next time as well, and with it every transaction of its world. A disk
 * that is full or a database that was closed is no such case: the transaction must fail, and the thing is still due.
 */
export function breaksForGood({ db }: World, error: unknown): boolean {
  if (!db.open || !db.inTransaction) return false
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code !== 'string' || !code.startsWith('SQLITE_') || OWN_MISTAKES.test(code)
}

/** Tells whoever runs the process of a due thing that is left alone from now on. */
export function tellFault(world: World, item: DueItem, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const what = `in the world ${world.name} the due thing ${item.id} of ${formatInstant(item.atMs)} broke (${name}: ${message})`
  process.emitWarning(`${what}; all of its kind waits until the next start`, {
    type: 'DueThingWarning',
    ...(stack !== undefined && { detail: stack }),
  })
}
