import { flag, list as listOf, object, oneOf, optional, text } from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import type { HandedCredential } from '../../sandbox/kernel/credentials.ts'
import type { Credential } from '../../sandbox/kernel/world.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import {
  changeCredential,
  createCredential,
  deleteCredential,
  NEW_PARTNER,
  partnersOf,
  rotateSecret,
} from '../../sandbox/worlds/manage-credentials.ts'
import { Problem } from '../problem.ts'
import { created, DONE, ok, worldRoute } from '../route.ts'

const PARTNERS = ['main', 'other', NEW_PARTNER] as const

const scopes = listOf(oneOf(SCOPES), { maxItems: SCOPES.length })

const list = worldRoute('GET', '/credentials', {
  summary: 'Who may call this world, without secrets: `credentials`.',
  handle: ({ world }) => ok({ credentials: [...world.credentials.values()].map(presentCredential) }),
})

const add = worldRoute('POST', '/credentials', {
  summary:
    'Makes a credential: 201 with it and its `secret`, which no other answer shows. `partner` is `main` unless said otherwise, `other` or `new`; `partner_id` names any partner. It is linked to an affiliate account and merchant of record unless told not to be.',
  body: object({
    name: text({ format: 'plain', minLength: 1, maxLength: 64 }),
    scopes,
    partner: optional(oneOf(PARTNERS)),
    partner_id: optional(text({ maxLength: 64 })),
    affiliate: optional(flag()),
    merchant_of_record: optional(flag()),
  }),
  handle({ operator, world, body }) {
    const made = createCredential(world, {
      name: body.name,
      scopes: withoutRepeats(body.scopes),
      partnerId: partnerOf(world, body),
      affiliate: body.affiliate ?? true,
      merchantOfRecord: body.merchant_of_record ?? true,
    })
    operator.worlds.recognise(world)
    return created(withSecret(made))
  },
})

const change = worldRoute('PATCH', '/credentials/{key_id}', {
  summary: 'Changes what is given, from the next call on. The credential as it is then.',
  body: object({
    scopes: optional(scopes),
    affiliate: optional(flag()),
    merchant_of_record: optional(flag()),
    revoked: optional(flag()),
  }),
  handle({ world, params, body }) {
    const changed = changeCredential(world, credentialOf(world, params), {
      ...(body.scopes !== undefined && { scopes: withoutRepeats(body.scopes) }),
      ...(body.affiliate !== undefined && { affiliate: body.affiliate }),
      ...(body.merchant_of_record !== undefined && { merchantOfRecord: body.merchant_of_record }),
      ...(body.revoked !== undefined && { revoked: body.revoked }),
    })
    return ok(presentCredential(changed))
  },
})

const rotate = worldRoute('POST', '/credentials/{key_id}/rotate', {
  summary: 'Gives it another secret: 201 with it, the only time. The old one signs nothing any more.',
  handle: ({ world, params }) => created(withSecret(rotateSecret(world, credentialOf(world, params)))),
})

const remove = worldRoute('DELETE', '/credentials/{key_id}', {
  summary: 'Deletes it: 204. What was sold with it stays its partner’s.',
  handle({ world, params }) {
    deleteCredential(world, credentialOf(world, params))
    return DONE
  },
})

function partnerOf(world: Environment, said: { partner?: (typeof PARTNERS)[number]; partner_id?: string }): string {
  if (said.partner !== undefined && said.partner_id !== undefined) {
    throw new Problem(400, 'partner and partner_id say the same; give one')
  }
  if (said.partner_id !== undefined) return said.partner_id
  if (said.partner === NEW_PARTNER) return NEW_PARTNER
  const [main, other] = partnersOf(world)
  return (said.partner === 'other' ? other : main) as string
}

function credentialOf(world: Environment, params: Readonly<Record<string, string>>): Credential {
  const found = world.credentials.get(params['key_id'] ?? '')
  if (!found) throw new Problem(404, 'this world has no such key id')
  return found
}

function withoutRepeats<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}

function presentCredential(credential: Credential): Omit<HandedCredential, 'secret'> & { revoked: boolean } {
  return {
    name: credential.name,
    key_id: credential.keyId,
    scopes: [...credential.scopes],
    partner_id: credential.partnerId,
    affiliate: credential.affiliate,
    merchant_of_record: credential.merchantOfRecord,
    revoked: credential.revoked,
  }
}

function withSecret(credential: Credential): HandedCredential {
  const { name, key_id, revoked: _revoked, ...rest } = presentCredential(credential)
  return { name, key_id, secret: credential.secret, ...rest }
}

export const credentialRoutes = [list, add, change, rotate, remove]
