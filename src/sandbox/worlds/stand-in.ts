import { atOnce } from '../../contract/steps.ts'
import { copyRows, type Db, openDatabase, statement } from '../../storage/database.ts'
import { refuseOtherTables } from '../../storage/validate-snapshot.ts'
import type { KeySource } from '../kernel/credentials.ts'
import type { Surroundings } from './environment.ts'
import { judgingTable } from './validate-values.ts'
import { judgedFacts, saveFacts, type WorldFacts } from './world-facts.ts'
import { firstFacts, type WorldOptions, writeCast } from './world-options.ts'

/** What is taken for the facts and keys of a world that cannot be read. */
export interface UsualWorld {
  options: WorldOptions
  keys: KeySource
}

/**
 * A database in memory that stands in for one that cannot be used: empty but for its facts and its credentials, as far as
 * they can be read and believed. So the world can still be named, refused, reset, restored and deleted.
 *
 * @param unsound null where it could not even be opened.
 */
export function standInFor(
  unsound: Db | null,
  name: string,
  usual: UsualWorld,
  { wall, rules, shard = null }: Pick<Surroundings, 'wall' | 'rules' | 'shard'>,
): { db: Db; facts: WorldFacts } {
  const db = openDatabase(null)
  const known = unsound && readable(() => refuseOtherTables(unsound)) ? unsound : null
  let facts = firstFacts(name, usual.options, wall, shard)
  if (known) readable(() => (facts = { ...judgedFacts(known, wall), name }))
  const copied = known && readable(() => copyCredentials(known, db))
  if (!copied) writeCast(db, facts, usual.keys, rules)
  saveFacts(db, facts)
  return { db, facts }
}

function copyCredentials(from: Db, to: Db): void {
  atOnce(judgingTable(from, 'credentials'))
  if (!statement(from, 'SELECT 1 FROM credentials LIMIT 1').get()) throw new Error('there are none')
  copyRows(from, to, (table) => table === 'credentials')
}

/** Any error while it is read means that it cannot be read. */
function readable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
