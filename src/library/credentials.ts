import type { Scope } from '../contract/scopes.ts'
import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { BodyOf } from '../operator-api/operations.ts'
import type { WrittenCredential } from '../operator-api/rows/credentials.ts'
import { methodsOf } from './methods.ts'

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

function credentialOf(written: WrittenCredential, secret: string | undefined): Credential {
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

export interface CredentialChanges {
  scopes?: readonly Scope[]
  affiliate?: boolean
  merchantOfRecord?: boolean
  /** A revoked one is refused from the next call on. */
  revoked?: boolean
}

export interface NewCredential {
  name: string
  scopes: readonly Scope[]
  /** Its partner; `main` by default. */
  partner?: 'main' | 'other' | 'new'
  affiliate?: boolean
  merchantOfRecord?: boolean
}

/**
 * The operator's actions on the credentials of a world, by name.
 *
 * @example
 * const { keyId, secret } = await world.access.create({ name: 'reader', scopes: ['search'] })
 * await world.access.change('reader', { revoked: true })
 */
export interface AccessHandle {
  create(credential: NewCredential): Promise<Credential>
  change(name: string, changes: CredentialChanges): Promise<Credential>
  /** Gives it a new secret; the old one is no longer valid. */
  rotate(name: string): Promise<Credential>
  delete(name: string): Promise<void>
}

/** @param credentials updated with every change. */
export function accessHandle(
  client: OperatorClient,
  w: string,
  credentials: Credentials,
  secrets: Map<string, string>,
): AccessHandle {
  const known = credentials as Record<string, Credential>
  const methods = methodsOf(client, w, 'credentials')
  const keyIdOf = (name: string) => {
    const credential = known[name]
    if (!credential) throw new TypeError(`no such credential: ${name}; there are ${Object.keys(known).join(', ')}`)
    return credential.keyId
  }
  const keep = (written: WrittenCredential) => {
    if (written.secret !== undefined) secrets.set(written.key_id, written.secret)
    const credential = credentialOf(written, secrets.get(written.key_id))
    known[written.name] = credential
    return credential
  }
  return {
    create: async ({ scopes, ...credential }) => keep(await methods.create({ ...credential, scopes: [...scopes] })),
    change: async (name, changes) =>
      keep(await methods.set(keyIdOf(name), changes as CamelCased<BodyOf<'credentials.set'>>)),
    rotate: async (name) => keep(await methods.rotate(keyIdOf(name))),
    async delete(name) {
      await methods.delete(keyIdOf(name))
      delete known[name]
    },
  }
}
