import { ApiError } from '../../contract/errors.ts'
import { environmentOf, keyIdStart, type Shard } from '../../contract/ids.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Db } from '../../storage/db.ts'
import { forgetNonces } from '../app/checks.ts'
import type { Environment } from '../app/environment.ts'
import { removeFaultsOf } from '../app/faults.ts'
import { randomOpaque } from '../kernel/chance.ts'
import { type CredentialRow, fromRow, insertCredential, newKeyId, randomKeys } from '../kernel/credentials.ts'
import type { Credential } from '../kernel/world.ts'

/** What an operator says about a new credential. */
interface CredentialInput {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** An existing partner's id, or `new` for one that did not exist. */
  readonly partnerId: string
  readonly affiliate: boolean
  readonly merchantOfRecord: boolean
}

/** What an operator may change about one. */
type CredentialUpdate = Partial<Pick<CredentialInput, 'scopes' | 'affiliate' | 'merchantOfRecord'>> & {
  readonly revoked?: boolean
}

export const NEW_PARTNER = 'new'

/**
 * Makes a credential with keys of its own.
 *
 * @throws ApiError conflict if the name is taken, validation_error if there is no such partner.
 */
export function createCredential(world: Environment, wanted: CredentialInput): Credential {
  if ([...world.credentials.values()].some(({ name }) => name === wanted.name)) {
    throw new ApiError('conflict', `there is a credential called ${wanted.name} already`)
  }
  const partners = partnersOf(world)
  const isNew = wanted.partnerId === NEW_PARTNER
  if (!isNew && !partners.includes(wanted.partnerId)) {
    throw new ApiError('validation_error', `partner_id: no such partner in this world: ${wanted.partnerId}`)
  }
  const partnerId = isNew ? world.chance.id('partner', partners.length + 1) : wanted.partnerId
  return changed(world, () =>
    insertCredential(world.db, {
      ...wanted,
      partnerId,
      revoked: false,
      keyId: newKeyId(world.shard, wanted.name),
      secret: newSecret(world, wanted.name),
      createdAtMs: world.clock.nowMs(),
    }),
  )
}

/** Every partner that ever had a credential here, in the order they came. */
export function partnersOf({ db }: Environment): string[] {
  const rows = db.statement('SELECT partner_id FROM credentials GROUP BY partner_id ORDER BY min(id)').pluck().all()
  return rows as string[]
}

/** Changes what is given; calls that are let in from now on are judged by it. */
export function changeCredential(world: Environment, credential: Credential, changes: CredentialUpdate): Credential {
  return changed(world, () => {
    const { scopes = [...credential.scopes], affiliate, merchantOfRecord, revoked } = { ...credential, ...changes }
    world.db
      .statement('UPDATE credentials SET scopes = ?, affiliate = ?, merchant_of_record = ?, revoked = ? WHERE id = ?')
      .run([...scopes].join(' '), Number(affiliate), Number(merchantOfRecord), Number(revoked), credential.id)
    return credential.id
  })
}

/** Gives it another secret; the old one signs nothing any more. */
export function rotateSecret(world: Environment, credential: Credential): Credential {
  return changed(world, () => {
    world.db
      .statement('UPDATE credentials SET secret = ? WHERE id = ?')
      .run(newSecret(world, credential.name), credential.id)
    return credential.id
  })
}

/**
 * Deletes it: its key id is unknown from now on. What was sold with it is its partner's and stays, and so does the
 * partner, whose statements and payouts go on.
 */
export function deleteCredential(world: Environment, { id, keyId }: Credential): void {
  world.commits.commitNow(() => {
    removeFaultsOf(world, id)
    world.db.statement("UPDATE credentials SET deleted = 1, revoked = 1, secret = 'sk_deleted' WHERE id = ?").run(id)
  })
  held(world).delete(keyId)
}

/** Does the change in the database, and then in memory, where calls look. */
function changed(world: Environment, change: () => number): Credential {
  const row = world.commits.commitNow(() => {
    const id = change()
    return world.db.statement('SELECT * FROM credentials WHERE id = ?').get(id) as CredentialRow
  })
  const before = world.credentials.get(row.key_id)
  // A change of scopes does not reset the rate limit.
  const after = { ...fromRow(row), ...(before && { rateWindow: before.rateWindow }) }
  held(world).set(after.keyId, after)
  return after
}

/** The only writer of what the world holds in memory. */
function held(world: Environment): Map<string, Credential> {
  return world.credentials as Map<string, Credential>
}

function newSecret(world: Environment, name: string): string {
  return `sk_${world.rules.credentials.secretWord}_${randomKeys('secret', name)}`
}

interface KeyRow {
  readonly id: number
  readonly keyId: string
  readonly secret: string
  readonly name: string
  /** 1 for one that was deleted and opens nothing. */
  readonly deleted: number
}

/** All credentials of a world, those that were deleted included, in the order they were made. */
export function keyRows(db: Db): KeyRow[] {
  return db.statement<KeyRow>('SELECT id, key_id AS keyId, secret, name, deleted FROM credentials ORDER BY id').all()
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
  db.statement("UPDATE credentials SET key_id = 'pk_' || id").run()
  const update = db.statement('UPDATE credentials SET key_id = ?, secret = ? WHERE id = ?')
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
