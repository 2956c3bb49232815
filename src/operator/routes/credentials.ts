import { hmacSha256Hex } from '../../contract/signature.ts'
import { fromWire } from '../../operator-api/camel-case.ts'
import type { BodyOf, ParamsOf } from '../../operator-api/operations.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import { type HandedCredential, withSecret } from '../../sandbox/kernel/credentials.ts'
import type { Credential } from '../../sandbox/kernel/world.ts'
import {
  changeCredential,
  createCredential,
  deleteCredential,
  NEW_PARTNER,
  partnersOf,
  rotateSecret,
} from '../../sandbox/worlds/manage-credentials.ts'
import { problem, required } from '../problems.ts'
import { created, DONE, type HandlersOf, ok } from '../route.ts'

export const credentialHandlers: HandlersOf<'credentials' | 'signatures'> = {
  'credentials.list': ({ world }) => ok({ credentials: [...world.credentials.values()].map(presentCredential) }),
  'credentials.create'({ world, body }) {
    const made = createCredential(world, {
      name: body.name,
      scopes: withoutRepeats(body.scopes),
      partnerId: partnerOf(world, body),
      affiliate: body.affiliate ?? true,
      merchantOfRecord: body.merchant_of_record ?? true,
    })
    return created(withSecret(made))
  },
  'credentials.set'({ world, params, body }) {
    const changes = { ...fromWire(body), ...(body.scopes && { scopes: withoutRepeats(body.scopes) }) }
    return ok(presentCredential(changeCredential(world, credentialOf(world, params), changes)))
  },
  'credentials.rotate': ({ world, params }) => created(withSecret(rotateSecret(world, credentialOf(world, params)))),
  'credentials.delete'({ world, params }) {
    deleteCredential(world, credentialOf(world, params))
    return DONE
  },
  // So that `partner-sandbox sign` works on a running sandbox and the secret stays where it is.
  'signatures.create'({ world, params, body }) {
    const { keyId, hmacKey } = credentialOf(world, params)
    return created({ key_id: keyId, signature: hmacSha256Hex(hmacKey, body.canonical_string) })
  },
}

function partnerOf(world: Environment, said: BodyOf<'credentials.create'>): string {
  if (said.partner !== undefined && said.partner_id !== undefined) throw problem('partner-twice')
  if (said.partner_id !== undefined) return said.partner_id
  if (said.partner === NEW_PARTNER) return NEW_PARTNER
  const [main, other] = partnersOf(world)
  return (said.partner === 'other' ? other : main) as string
}

function credentialOf(world: Environment, { key_id }: ParamsOf<'credentials.set'>): Credential {
  return required(world.credentials.get(key_id), 'no-credential')
}

function withoutRepeats<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}

export function presentCredential(credential: Credential): Omit<HandedCredential, 'secret'> & { revoked: boolean } {
  const { secret: _secret, ...shown } = withSecret(credential)
  return { ...shown, revoked: credential.revoked }
}
