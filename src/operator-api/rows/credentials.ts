import { flag, list, object, oneOf, optional, text } from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { del, get, patch, post, returns } from '../operation.ts'

/** A credential as an answer has it; with its secret only where it is made. */
export interface WrittenCredential {
  name: string
  key_id: string
  secret?: string
  scopes: string[]
  partner_id: string
  affiliate: boolean
  merchant_of_record: boolean
  revoked?: boolean
}

const scopes = list(oneOf(SCOPES), { maxItems: SCOPES.length })

export const credentialRows = {
  'credentials.list': get('/v1/worlds/{w}/credentials', {
    summary: 'Who may call this world, without secrets: `credentials`.',
    returns: returns<{ credentials: WrittenCredential[] }>(),
    command: {
      usage: 'credential list',
      summary: 'list the credentials of a world, without secrets',
      shows: {
        list: 'credentials',
        columns: [
          ['CREDENTIAL', 'name'],
          ['KEY ID', 'key_id'],
          ['PARTNER', 'partner_id'],
          ['SCOPES', 'scopes'],
          ['AFFILIATE', 'affiliate'],
          ['MERCHANT', 'merchant_of_record'],
          ['REVOKED', 'revoked'],
        ],
      },
      helpAfter: 'No list has a secret: "credential rotate NAME" makes a new one and prints it.',
    },
  }),
  'credentials.create': post('/v1/worlds/{w}/credentials', {
    summary:
      'Makes a credential: 201 with it and its `secret`, which no other answer shows. `partner` is `main` unless said otherwise, `other` or `new`; `partner_id` names any partner. By default it is linked to an affiliate account and is merchant of record.',
    body: object({
      name: text({ format: 'plain', minLength: 1, maxLength: 64 }),
      scopes,
      partner: optional(oneOf(['main', 'other', 'new'])),
      partner_id: optional(text({ maxLength: 64 })),
      affiliate: optional(flag()),
      merchant_of_record: optional(flag()),
    }),
    returns: returns<WrittenCredential>(),
  }),
  'credentials.set': patch('/v1/worlds/{w}/credentials/{key_id}', {
    summary: 'Changes what is given, from the next call on. The credential as it is then.',
    body: object({
      scopes: optional(scopes),
      affiliate: optional(flag()),
      merchant_of_record: optional(flag()),
      revoked: optional(flag()),
    }),
    returns: returns<WrittenCredential>(),
  }),
  'credentials.rotate': post('/v1/worlds/{w}/credentials/{key_id}/rotate', {
    summary: 'Gives it another secret: 201 with it, the only time. The old one signs nothing any more.',
    returns: returns<WrittenCredential>(),
  }),
  'credentials.delete': del('/v1/worlds/{w}/credentials/{key_id}', {
    summary: 'Deletes it: 204. What was sold with it stays its partner’s.',
  }),
}

/** Room for the longest path, query and nonce that a call may have. */
const LONGEST_CANONICAL_STRING = 64 * 1024

export const signatureRows = {
  'signatures.create': post('/v1/worlds/{w}/credentials/{key_id}/signatures', {
    summary: 'Signs a canonical string with the secret of a credential: 201 with `key_id`, `signature`.',
    changesNothing: true,
    body: object({ canonical_string: text({ minLength: 1, maxLength: LONGEST_CANONICAL_STRING }) }),
    returns: returns<{ key_id: string; signature: string }>(),
  }),
}
