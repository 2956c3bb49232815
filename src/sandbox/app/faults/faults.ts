import { ApiError } from '../../../contract/errors.ts'
import { FAULT_LIMITS } from '../../../contract/limits.ts'
import { type Db, statement } from '../../../storage/db.ts'
import type { World } from '../../kernel/world.ts'
import type { CallEffect, CallMatch, Fault, FaultRule } from '../../wire/fault.ts'

const armed = new WeakMap<Db, boolean>()

/**
 * Whether there may be a rule at all: this spares the calls of most worlds a query. Remembered of a database, because a
 * world that is restored or reset moves to another one.
 */
export function isArmed({ db }: Pick<World, 'db'>): boolean {
  let known = armed.get(db)
  if (known === undefined) {
    known = statement(db, 'SELECT 1 FROM faults LIMIT 1').get() !== undefined
    armed.set(db, known)
  }
  return known
}

/** What a query of {@link toFault} selects. */
export const FAULT_COLUMNS = `fault_id AS id, endpoint, credential, domain, public_id AS publicId, effect, times, probability,
  seed, hits, last_request_id AS lastRequestId`

export type FaultRow = CallMatch & Omit<Fault, 'match' | 'effect'> & { readonly effect: string }

export function toFault({ endpoint, credential, domain, publicId, effect, ...rest }: FaultRow): Fault {
  return { ...rest, match: { endpoint, credential, domain, publicId }, effect: JSON.parse(effect) as CallEffect }
}

/** In the order they were made, which is the order they are asked in. */
export function listFaults({ db }: World): Fault[] {
  return statement<FaultRow>(db, `SELECT ${FAULT_COLUMNS} FROM faults ORDER BY seq`).all().map(toFault)
}

/**
 * Adds a rule after the others; it acts from the next call on.
 *
 * @throws ApiError conflict where there are too many.
 */
export function addFault(world: World, fault: FaultRule): Fault {
  const id = world.commits.commitNow(() => {
    const { db } = world
    if ((statement(db, 'SELECT count(*) FROM faults').pluck().get() as number) >= FAULT_LIMITS.rules)
      throw new ApiError('conflict', `there are ${FAULT_LIMITS.rules} faults already; remove some first`)
    const seq = nextNumber(db)
    const made = world.chance.id('fault', seq)
    insert(db, seq, made, fault)
    return made
  })
  armed.set(world.db, true)
  return { ...fault, id, hits: 0, lastRequestId: null }
}

/** Numbers are never given twice, so an old id never means a new rule. */
function nextNumber(db: Db): number {
  const last = statement(db, "SELECT seq FROM sqlite_sequence WHERE name = 'faults'").pluck().get()
  return ((last as number | undefined) ?? 0) + 1
}

function insert(db: Db, seq: number, id: string, { match, effect, ...rest }: FaultRule): void {
  statement(
    db,
    `INSERT INTO faults (seq, fault_id, endpoint, credential, domain, public_id, effect, times, probability, seed)
     VALUES (@seq, @id, @endpoint, @credential, @domain, @publicId, @effect, @times, @probability, @seed)`,
  ).run({ seq, id, ...match, ...rest, effect: JSON.stringify(effect) })
}

/** @throws ApiError not_found where no rule has that id. */
export function removeFault(world: World, id: string): void {
  world.commits.commitNow(() => {
    const { changes } = statement(world.db, 'DELETE FROM faults WHERE fault_id = ?').run(id)
    if (changes === 0) throw new ApiError('not_found', 'no fault has that id')
  })
  armed.delete(world.db)
}

/** From the next call on nothing goes wrong on purpose any more. */
export function clearFaults(world: World): void {
  world.commits.commitNow(() => statement(world.db, 'DELETE FROM faults').run())
  armed.delete(world.db)
}

/** Removes the rules about a credential that goes; call it in the transaction in which it does. */
export function removeFaultsOf({ db }: World, credential: number): void {
  statement(db, 'DELETE FROM faults WHERE credential = ?').run(credential)
}
