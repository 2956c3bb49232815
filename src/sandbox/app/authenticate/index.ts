import type { GapChoices } from '../../../contract/choices.ts'
import type { World } from '../../kernel/world.ts'
import type { AuthenticatedCall, Call, CheckName, FindCredential } from '../../wire/call.ts'
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
export type Check = (call: AuthenticatedCall) => void

/** A check that is made while the world of the call is not known. */
type FirstCheck = (call: Call, find: FindCredential) => void

/** These come first in every world; `key` finds out whose call it is. */
const FIRST_CHECKS = { headers: checkHeaders, request: checkRequest, key: checkKey } satisfies Record<
  string,
  FirstCheck
>

/**
 * The other checks, in the order in which they are made unless a world has chosen another one; the order decides which
 * code a partner sees (AUTH-18). A call that fails before the nonce step leaves its nonce unused; one that fails after it
 * has used it up.
 */
const CHECKS = {
  timestamp: checkTimestamp,
  query: checkQuery,
  signature: checkSignature,
  nonce: checkNonce,
  'rate-limit': checkRateLimit,
  scope: checkScope,
} satisfies Record<string, Check>

type FirstCheckName = keyof typeof FIRST_CHECKS
type OwnCheckName = keyof typeof CHECKS

/** What a defect puts in the place of sound checks. */
export type OtherChecks = { readonly [Name in FirstCheckName]?: FirstCheck } & {
  readonly [Name in OwnCheckName]?: Check
}

const UNTIL_WORLD_IS_KNOWN: readonly FirstCheckName[] = ['headers', 'request', 'key']

/** The rest of the checks, as a world wants them (AUTH-18). */
export interface CheckOrder {
  /** These need nothing but the call and the credential, so garbage is refused before a transaction is opened. */
  readonly beforeTransaction: readonly OwnCheckName[]
  /** These read or change the world and share the transaction of the call itself. */
  readonly inTransaction: readonly OwnCheckName[]
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
 * Finds out whose call it is; the first check that refuses is noted on the call.
 *
 * @param names all that come before the world is known, or `key` alone for a call that has waited.
 */
export function identify<KnownWorld extends World>(
  call: Call<KnownWorld>,
  find: FindCredential<KnownWorld>,
  instead: OtherChecks = {},
  names = UNTIL_WORLD_IS_KNOWN,
): AuthenticatedCall<KnownWorld> {
  for (const name of names) {
    try {
      const check: FirstCheck = instead[name] ?? FIRST_CHECKS[name]
      check(call, find)
    } catch (error) {
      call.refusedBy = name
      throw error
    }
  }
  if (!isAuthenticated(call)) throw new Error('a call has passed the check of its key without a world')
  return call
}

function isAuthenticated<KnownWorld extends World>(call: Call<KnownWorld>): call is AuthenticatedCall<KnownWorld> {
  return call.world !== null && call.credential !== null
}

/** Runs some of the other checks in their order; the first that refuses is noted on the call. */
export function runChecks(names: readonly OwnCheckName[], call: AuthenticatedCall, instead: OtherChecks = {}): void {
  for (const name of names) {
    try {
      const check: Check = instead[name] ?? CHECKS[name]
      check(call)
    } catch (error) {
      call.refusedBy = name
      throw error
    }
  }
}
