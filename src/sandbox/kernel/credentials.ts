import { createHmac } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { keyIdStart, type Shard } from '../../contract/ids.ts'
import { isScope, SCOPES, type Scope } from '../../contract/scopes.ts'
import { hmacKeyOf } from '../../contract/signature.ts'
import type { Db } from '../../storage/db.ts'
import { base32, randomOpaque } from './chance.ts'
import { type Credential, RateWindow, type World } from './world.ts'

/** A credential of a world's cast, before it has keys. */
interface CastMember {
  name: string
  scopes: readonly Scope[]
  partner: 'main' | 'other'
  affiliate: boolean
  merchantOfRecord: boolean
  revoked?: true
}

const VALID = { partner: 'main', affiliate: true, merchantOfRecord: true } as const

/** The credentials of a new world, the same for every world. */
export const CAST: readonly CastMember[] = [
  { name: 'main', scopes: SCOPES, ...VALID },
  { name: 'other-partner', scopes: SCOPES, ...VALID, partner: 'other' },
  ...SCOPES.map((scope) => ({ name: `only-${scope}`, scopes: [scope], ...VALID })),
  { name: 'no-scope', scopes: [], ...VALID },
  { name: 'no-affiliate', scopes: SCOPES, ...VALID, affiliate: false },
  { name: 'not-merchant', scopes: SCOPES, ...VALID, merchantOfRecord: false },
  { name: 'revoked', scopes: SCOPES, ...VALID, revoked: true },
]

/**
 * Where a key's opaque parts come from: drawn at random, or always the same, so that the .env file of a developer on
 * a laptop survives a restart. The fixed ones open nothing but a sandbox on loopback.
 */
export type KeySource = (part: 'key' | 'secret', name: string) => string

export const randomKeys: KeySource = () => randomOpaque()

export const fixedLoopbackKeys: KeySource = (part, name) =>
  base32(createHmac('sha256', 'partner-sandbox on loopback').update(`${part} ${name}`).digest().subarray(0, 20))

/** Whether a credential opens a world to everyone who has read of the keys on loopback. */
export function hasFixedSecret({ name, secret, revoked }: Credential): boolean {
  return !revoked && secret.endsWith(`_${fixedLoopbackKeys('secret', name)}`)
}

export function newKeyId(shard: Shard, name: string, keys: KeySource = randomKeys): string {
  return keyIdStart('sandbox', shard) + keys('key', name)
}

/** A credential of another server, for a world that checks what is sent to it. */
export interface GivenCredential {
  readonly name: string
  readonly keyId: string
  readonly secret: string
  /** Null if they are not known: then it counts as having all of them. */
  readonly scopes: readonly Scope[] | null
  /** Credentials with the same word belong to the same partner. */
  readonly partner: string
}

/** A credential on its way into the database. */
type StoredCredential = Omit<CastMember, 'partner' | 'revoked'> &
  Pick<Credential, 'keyId' | 'secret' | 'partnerId' | 'revoked'> & { readonly createdAtMs: number }

/** @returns its row number. */
export function insertCredential(db: Db, credential: StoredCredential): number {
  const sql = `INSERT INTO credentials (key_id, secret, name, partner_id, scopes, affiliate, merchant_of_record, revoked, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const { lastInsertRowid } = db
    .statement(sql)
    .run(
      credential.keyId,
      credential.secret,
      credential.name,
      credential.partnerId,
      credential.scopes.join(' '),
      Number(credential.affiliate),
      Number(credential.merchantOfRecord),
      Number(credential.revoked),
      credential.createdAtMs,
    )
  return Number(lastInsertRowid)
}

export interface CredentialRow {
  id: number
  key_id: string
  secret: string
  name: string
  partner_id: string
  scopes: string
  affiliate: number
  merchant_of_record: number
  revoked: number
}

/** All credentials of a world, by key id, in the order they were made. */
export function loadCredentials(db: Db): Map<string, Credential> {
  const rows = db.statement<CredentialRow>('SELECT * FROM credentials WHERE deleted = 0 ORDER BY id').all()
  return new Map(rows.map((row) => [row.key_id, fromRow(row)]))
}

/** A credential as a world holds it, with a rate window of its own. */
export function fromRow(row: CredentialRow): Credential {
  return {
    id: row.id,
    keyId: row.key_id,
    secret: row.secret,
    hmacKey: hmacKeyOf(row.secret),
    name: row.name,
    partnerId: row.partner_id,
    scopes: new Set(row.scopes.split(' ').filter(isScope)),
    affiliate: row.affiliate === 1,
    merchantOfRecord: row.merchant_of_record === 1,
    revoked: row.revoked === 1,
    rateWindow: new RateWindow(),
  }
}

/** A credential as it is printed when a sandbox starts. */
export interface HandedCredential {
  name: string
  key_id: string
  secret: string
  scopes: string[]
  partner_id: string
  affiliate: boolean
  merchant_of_record: boolean
}

/** A world's credentials with their secrets, for the operator. */
export function handedCredentials(world: World): HandedCredential[] {
  return [...world.credentials.values()].map(withSecret)
}

export function withSecret(credential: Credential): HandedCredential {
  return {
    name: credential.name,
    key_id: credential.keyId,
    secret: credential.secret,
    scopes: [...credential.scopes],
    partner_id: credential.partnerId,
    affiliate: credential.affiliate,
    merchant_of_record: credential.merchantOfRecord,
  }
}

/**
 * Everything about referral takes a credential that is linked to an affiliate account (SCOPE-09).
 *
 * @throws ApiError forbidden for one that is not.
 */
export function refuseUnlinked({ affiliate }: Pick<Credential, 'affiliate'>): void {
  if (!affiliate) throw new ApiError('forbidden', 'the credential is not linked to an affiliate account')
}
