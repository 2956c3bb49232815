import type { Scope } from '../contract/scopes.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import { type Credential, type Credentials, credentialOf, type WrittenCredential } from './credentials.ts'
import { pathOf } from './sales.ts'

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
  /** Whose it is: `main` unless said otherwise. */
  partner?: 'main' | 'other' | 'new'
  affiliate?: boolean
  merchantOfRecord?: boolean
}

/**
 * The credentials of a world, by name, under the hands of an operator.
 *
 * @example
 * const { keyId, secret } = await world.access.create({ name: 'reader', scopes: ['search'] })
 * await world.access.change('reader', { revoked: true })
 */
export interface AccessHandle {
  create(credential: NewCredential): Promise<Credential>
  change(name: string, changes: CredentialChanges): Promise<Credential>
  /** Gives it another secret; the old one signs nothing any more. */
  rotate(name: string): Promise<Credential>
  delete(name: string): Promise<void>
}

/** @param credentials kept as they are changed. */
export function accessHandle(
  client: OperatorClient,
  world: string,
  credentials: Credentials,
  secrets: Map<string, string>,
): AccessHandle {
  const known = credentials as Record<string, Credential>
  const path = `${world}/credentials`
  const pathTo = (name: string) => {
    const credential = known[name]
    if (!credential) throw new TypeError(`there is no credential ${name}; there are ${Object.keys(known).join(', ')}`)
    return pathOf(path, credential.keyId)
  }
  const keep = (written: WrittenCredential) => {
    if (written.secret !== undefined) secrets.set(written.key_id, written.secret)
    const credential = credentialOf(written, secrets.get(written.key_id))
    known[written.name] = credential
    return credential
  }
  return {
    create: async (credential) => keep(await client.ask<WrittenCredential>('POST', path, credential)),
    change: async (name, changes) => keep(await client.ask<WrittenCredential>('PATCH', pathTo(name), changes)),
    rotate: async (name) => keep(await client.ask<WrittenCredential>('POST', `${pathTo(name)}/rotate`)),
    async delete(name) {
      await client.ask('DELETE', pathTo(name))
      delete known[name]
    },
  }
}
