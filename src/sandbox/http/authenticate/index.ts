import type { Call } from '../call.ts'
import { checkHeaders } from './check-headers.ts'
import { checkKey } from './check-key.ts'
import { checkNonce } from './check-nonce.ts'
import { checkQuery } from './check-query.ts'
import { checkRateLimit } from './check-rate-limit.ts'
import { checkRequest } from './check-request.ts'
import { checkScope } from './check-scope.ts'
import { checkSignature } from './check-signature.ts'
import { checkTimestamp } from './check-timestamp.ts'

/** Lets a call pass, or throws the {@link ApiError} it is refused with. */
export type Check = (call: Call, find: FindCredential) => void

/** How a key id is looked up over all worlds. */
export type FindCredential = (keyId: string) => Pick<Call, 'world' | 'credential'> | null

/**
 * The order in which a call is judged; it decides which code a partner sees (AUTH-18). A call that fails before the
 * nonce step leaves its nonce unused; one that fails after it has used it up.
 */
export const CHECKS = {
  headers: checkHeaders,
  request: checkRequest,
  key: checkKey,
  timestamp: checkTimestamp,
  query: checkQuery,
  signature: checkSignature,
  nonce: checkNonce,
  'rate-limit': checkRateLimit,
  scope: checkScope,
} as const satisfies Record<string, Check>

export type CheckName = keyof typeof CHECKS

export const CHECK_NAMES = Object.keys(CHECKS) as CheckName[]

/** These need nothing but the call and the credential, so garbage is refused before a transaction is opened. */
export const BEFORE_TRANSACTION: readonly CheckName[] = ['headers', 'request', 'key', 'timestamp', 'query', 'signature']

/** These read or change the world and share the transaction of the call itself. */
export const IN_TRANSACTION: readonly CheckName[] = ['nonce', 'rate-limit', 'scope']

/**
 * Runs some of the checks in their order; the first that refuses is noted on the call.
 *
 * @param instead what a defect puts in the place of sound checks.
 */
export function runChecks(
  names: readonly CheckName[],
  call: Call,
  find: FindCredential,
  instead: Partial<Record<CheckName, Check>> = {},
): void {
  for (const name of names) {
    try {
      const check: Check = instead[name] ?? CHECKS[name]
      check(call, find)
    } catch (error) {
      call.refusedBy = name
      throw error
    }
  }
}
