import type { Scope } from '../contract/scopes.ts'
import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { BodyOf } from '../operator-api/operations.ts'
import type { WrittenCredential } from '../operator-api/rows/credentials.ts'
import { type Credential, type Credentials, credentialOf } from './credentials.ts'
import { methodsOf } from './methods.ts'

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
