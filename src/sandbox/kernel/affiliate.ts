import { ApiError } from '../../contract/errors.ts'
import type { Credential } from './world.ts'

/**
 * Whatever has to do with referral takes a credential that is linked to an affiliate account (SCOPE-09).
 *
 * @throws ApiError forbidden for one that is not.
 */
export function refuseUnlinked({ affiliate }: Pick<Credential, 'affiliate'>): void {
  if (!affiliate) throw new ApiError('forbidden', 'the credential is not linked to an affiliate account')
}
