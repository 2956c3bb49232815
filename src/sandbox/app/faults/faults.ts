import { ApiError } from '../../../contract/errors.ts'
import { FAULT_LIMITS } from '../../../contract/world-limits.ts'
import type { Db } from '../../../storage/database.ts'
import type { World } from '../../kernel/world.ts'
import type { Fault, NewFault } from '../../wire/fault.ts'
import * as store from './store.ts'

const armed = new WeakMap<Db, boolean>()

/**
 * Whether there may be a rule at all: this spares the calls of most worlds a query. Remembered of a database, because a
 * world that is restored or reset moves to another one.
 */
export function isArmed({ db }: Pick<World, 'db'>): boolean {
  let known = armed.get(db)
  if (known === undefined) {
    known = store.hasFaults(db)
    armed.set(db, known)
  }
  return known
}

/** In the order they were made, which is the order they are asked in. */
export function listFaults(world: World): Fault[] {
  return store.selectFaults(world.db)
}

/**
 * Adds a rule behind those that stand; it acts from the next call on.
 *
 * @throws ApiError conflict where there are too many.
 */
export function addFault(world: World, fault: NewFault): Fault {
  const id = world.commits.commitNow(() => {
    if (store.countFaults(world.db) >= FAULT_LIMITS.rules)
      throw new ApiError('conflict', `there are ${FAULT_LIMITS.rules} faults already; remove some first`)
    const seq = store.nextFaultNumber(world.db)
    const made = world.chance.id('fault', seq)
    store.insertFault(world.db, seq, made, fault)
    return made
  })
  armed.set(world.db, true)
  return { ...fault, id, hits: 0, lastRequestId: null }
}

/** @throws ApiError not_found where no rule has that id. */
export function removeFault(world: World, id: string): void {
  world.commits.commitNow(() => {
    if (!store.deleteFault(world.db, id)) throw new ApiError('not_found', 'no fault has that id')
  })
  armed.delete(world.db)
}

/** From the next call on nothing goes wrong on purpose any more. */
export function clearFaults(world: World): void {
  world.commits.commitNow(() => store.deleteFaults(world.db))
  armed.delete(world.db)
}

/** Takes along the rules about a credential that goes; call it in the transaction in which it does. */
export function removeFaultsOf(world: World, credential: number): void {
  store.deleteFaultsOf(world.db, credential)
}
