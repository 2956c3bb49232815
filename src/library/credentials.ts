import type { Scope } from '../contract/scopes.ts'
import type { WrittenCredential } from '../operator-api/rows/credentials.ts'

/** The default credentials of every world: one with all rights, and others that each lack something. */
export type CastName =
  | 'main'
  | 'other-partner'
  | `only-${Scope}`
  | 'no-scope'
  | 'no-affiliate'
  | 'not-merchant'
  | 'revoked'

/** A credential of a world. */
export interface Credential {
  readonly name: string
  readonly keyId: string
  /**
   * The secret that signs calls. Reading it throws if this handle does not have it: the server sends it once, to the client that
   * creates the world.
   */
  readonly secret: string
  readonly scopes: readonly Scope[]
  readonly partnerId: string
  readonly affiliate: boolean
  readonly merchantOfRecord: boolean
}

/** The credentials of a world by name: the default ones, and those that were added. */
export type Credentials = Readonly<Record<CastName, Credential>> & { readonly [name: string]: Credential | undefined }

/**
 * @param secrets the known ones by key id; new ones are added.
 * @example credentialsOf(answer.credentials, new Map()).main.keyId
 */
export function credentialsOf(written: readonly WrittenCredential[], secrets: Map<string, string>): Credentials {
  for (const { key_id, secret } of written) if (secret !== undefined) secrets.set(key_id, secret)
  return Object.fromEntries(written.map((one) => [one.name, credentialOf(one, secrets.get(one.key_id))])) as Credentials
}

/** Whether this handle has the secret. */
export function hasSecret(credential: Credential): boolean {
  return Object.keys(credential).includes('secret')
}

export function credentialOf(written: WrittenCredential, secret: string | undefined): Credential {
  const facts = {
    name: written.name,
    keyId: written.key_id,
    scopes: written.scopes as Scope[],
    partnerId: written.partner_id,
    affiliate: written.affiliate,
    merchantOfRecord: written.merchant_of_record,
  }
  return secret === undefined ? withoutSecret(facts) : { ...facts, secret }
}

/** Not enumerable, so that a copy or a print of the credential does not throw. */
function withoutSecret(facts: Omit<Credential, 'secret'>): Credential {
  return Object.defineProperty(facts, 'secret', {
    get() {
      throw new Error(`the secret of ${facts.name} was shown once, to the client that created this world`)
    },
  }) as Credential
}
