import { isForMerchants } from '../../../contract/endpoints.ts'
import { ApiError } from '../../../contract/errors.ts'
import { refuseUnlinked } from '../../kernel/credentials.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'

/**
 * The credential may use the endpoint: it holds one of its scopes, is linked to an affiliate account where the
 * endpoint asks for that, and belongs to a merchant of record where a sale is recorded (SCOPE-01..10).
 */
export function checkScope(call: AuthenticatedCall): void {
  if (call.endpoint === null) return
  const { credential } = call
  const { rules, gaps } = call.world
  const scopes = rules.scopes[call.endpoint]
  if (scopes.length > 0 && !scopes.some((scope) => credential.scopes.has(scope))) {
    const held = [...credential.scopes].join(', ') || 'none'
    throw new ApiError('forbidden', `the credential lacks the scope ${scopes.join(' or ')}`, {
      grounds: { compared: [{ name: 'scopes', sent: held, expected: scopes.join(' or ') }] },
    })
  }
  if (rules.affiliate[call.endpoint]) refuseUnlinked(credential)
  if (!credential.merchantOfRecord && isForMerchants(call.endpoint, gaps)) {
    throw new ApiError(
      gaps['not-merchant-refusal'],
      'the partner is not merchant of record; sell through hosted checkout (POST /checkout-session) instead',
    )
  }
}
