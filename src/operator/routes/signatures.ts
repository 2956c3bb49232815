import { object, text } from '../../contract/schema.ts'
import { hmacSha256Hex } from '../../contract/signature.ts'
import { Problem } from '../problem.ts'
import { created, worldRoute } from '../route.ts'

/** Room for the longest path, query and nonce that a call may have. */
const LONGEST_CANONICAL_STRING = 64 * 1024

/**
 * Signs a canonical string with the secret of a credential, so that `partner-sandbox sign` works on a running sandbox
 * and the secret stays where it is.
 */
const sign = worldRoute('POST', '/credentials/{key_id}/signatures', {
  summary: 'Signs a canonical string with the secret of a credential: 201 with `key_id`, `signature`.',
  changesNothing: true,
  body: object({ canonical_string: text({ minLength: 1, maxLength: LONGEST_CANONICAL_STRING }) }),
  handle({ world, params, body }) {
    const credential = world.credentials.get(params['key_id'] ?? '')
    if (!credential) throw new Problem(404, 'this world has no such key id')
    return created({ key_id: credential.keyId, signature: hmacSha256Hex(credential.hmacKey, body.canonical_string) })
  },
})

export const signatureRoutes = [sign]
