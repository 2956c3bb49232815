import { environmentOf, keyIdStart } from '../../contract/ids.ts'
import type { Shard } from '../../contract/shard.ts'
import { type Db, statement } from '../../storage/database.ts'
import { forgetNonces } from '../app/authenticate/nonces.ts'
import { randomOpaque } from '../kernel/chance.ts'

/** A credential's row, as far as its keys are concerned. */
export interface KeyRow {
  readonly id: number
  readonly keyId: string
  readonly secret: string
  readonly name: string
  /** 1 for one that was deleted and opens nothing. */
  readonly deleted: number
}

/** All credentials of a world, those that were deleted included, in the order they were made. */
export function keyRows(db: Db): KeyRow[] {
  return statement<KeyRow>(db, 'SELECT id, key_id AS keyId, secret, name, deleted FROM credentials ORDER BY id').all()
}

/** Gives all credentials fresh keys and forgets the nonces that were used under the old ones; call it in a transaction. */
export function renewKeys(db: Db, shard: Shard): void {
  setKeys(db, (row) => freshKeys(row, shard))
  forgetNonces(db)
}

/**
 * Gives credentials other keys; call it in a transaction. Everything else about them stays, their partner above all.
 *
 * @param keyOf the keys of a row.
 */
export function setKeys(db: Db, keyOf: (row: KeyRow) => Pick<KeyRow, 'keyId' | 'secret'>): void {
  const next = keyRows(db).map((row) => ({ id: row.id, ...keyOf(row) }))
  // Two may swap theirs, and no two may have the same even for a moment.
  statement(db, "UPDATE credentials SET key_id = 'pk_' || id").run()
  const update = statement(db, 'UPDATE credentials SET key_id = ?, secret = ? WHERE id = ?')
  for (const { id, keyId, secret } of next) update.run(keyId, secret, id)
}

/** Fresh random keys of the same kind: the environment words in front of the opaque parts stay. */
export function freshKeys({ keyId, secret }: KeyRow, shard: Shard): Pick<KeyRow, 'keyId' | 'secret'> {
  const word = environmentOf(keyId)
  const start = word === null && shard === null ? wordsOf(keyId) : keyIdStart(word ?? 'sandbox', shard)
  return { keyId: start + randomOpaque(), secret: wordsOf(secret) + randomOpaque() }
}

function wordsOf(key: string): string {
  return key.slice(0, key.lastIndexOf('_') + 1)
}

/**
 * Whose keys each row of a restored database gets: those of the credential that the world has now under the same key id, or
 * else under the same name, so that its clients keep their key. Others keep their own where they can.
 *
 * @param isTaken whether this world cannot have a key id: another one has it, or it leads to another shard.
 */
export function keysToKeep(
  restored: readonly KeyRow[],
  current: readonly KeyRow[],
  isTaken: (keyId: string) => boolean,
): Map<number, KeyRow | 'own' | 'fresh'> {
  const live = new Map(current.filter(isLive).map((row) => [row.keyId, row]))
  const unclaimed = new Map(live)
  for (const { keyId } of restored) unclaimed.delete(keyId)
  const namesake = (row: KeyRow) => [...unclaimed.values()].find(({ name }) => name === row.name)
  return new Map(
    restored.map((row) => {
      const same = live.get(row.keyId) ?? (isLive(row) ? namesake(row) : undefined)
      if (same) unclaimed.delete(same.keyId)
      return [row.id, same ?? (isTaken(row.keyId) ? 'fresh' : 'own')]
    }),
  )
}

function isLive({ deleted }: KeyRow): boolean {
  return deleted === 0
}
