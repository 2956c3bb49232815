import type { GapChoices } from '../../../contract/gaps.ts'
import type { CheckName } from '../../wire/call.ts'
import type { ServedCall } from '../served-world.ts'
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
export type Check = (call: ServedCall, find: FindCredential) => void

/** How a key id is looked up over all worlds. */
export type FindCredential = (keyId: string) => Pick<ServedCall, 'world' | 'credential'> | null

/**
 * How a call is judged, in the order in which it is unless a world has chosen another one; the order decides which code
 * a partner sees (AUTH-18). A call that fails before the nonce step leaves its nonce unused; one that fails after it has
 * used it up.
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
} as const satisfies Record<CheckName, Check>

/** These come first in every world: until they are through, nobody knows which world it is. */
export const UNTIL_WORLD_IS_KNOWN: readonly CheckName[] = ['headers', 'request', 'key']

/** The rest of the checks, as a world wants them (AUTH-18). */
export interface CheckOrder {
  /** These need nothing but the call and the credential, so garbage is refused before a transaction is opened. */
  readonly beforeTransaction: readonly CheckName[]
  /** These read or change the world and share the transaction of the call itself. */
  readonly inTransaction: readonly CheckName[]
}

/** Each legal order; a signature needs a query that can be read, and a nonce its transaction. */
export const CHECK_ORDERS: Readonly<Record<GapChoices['check-order'], CheckOrder>> = {
  'timestamp, signature, nonce, rate limit, scope': {
    beforeTransaction: ['timestamp', 'query', 'signature'],
    inTransaction: ['nonce', 'rate-limit', 'scope'],
  },
  'signature, timestamp, nonce, rate limit, scope': {
    beforeTransaction: ['query', 'signature', 'timestamp'],
    inTransaction: ['nonce', 'rate-limit', 'scope'],
  },
  'timestamp, signature, scope, nonce, rate limit': {
    beforeTransaction: ['timestamp', 'query', 'signature'],
    inTransaction: ['scope', 'nonce', 'rate-limit'],
  },
  'rate limit, timestamp, signature, nonce, scope': {
    beforeTransaction: ['rate-limit', 'timestamp', 'query', 'signature'],
    inTransaction: ['nonce', 'scope'],
  },
  'timestamp, nonce, signature, rate limit, scope': {
    beforeTransaction: ['timestamp', 'query'],
    inTransaction: ['nonce', 'signature', 'rate-limit', 'scope'],
  },
}

/** All checks in the order in which a world makes them. */
export function checksInOrder(gaps: GapChoices): readonly CheckName[] {
  const { beforeTransaction, inTransaction } = CHECK_ORDERS[gaps['check-order']]
  return [...UNTIL_WORLD_IS_KNOWN, ...beforeTransaction, ...inTransaction]
}

/**
 * Runs some of the checks in their order; the first that refuses is noted on the call.
 *
 * @param instead what a defect puts in the place of sound checks.
 */
export function runChecks(
  names: readonly CheckName[],
  call: ServedCall,
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
