import { ENDPOINTS } from '../../../contract/endpoints.ts'
import { HEADERS } from '../../../contract/headers.ts'
import { actOnce, type MagicKind, magicKind } from '../../inventory/magic.ts'
import { normalizeDomain } from '../../kernel/domain-name.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'
import { domainNamedBy } from '../../wire/call-subject.ts'
import type { CallEffect } from '../../wire/fault.ts'
import type { Answer } from '../../wire/route.ts'

/** What a magic name does to a call, and the words for it in the request log. */
interface MagicFault {
  readonly effect: CallEffect
  readonly detail: string
}

const SLOW_MS = 6_000

/** The kinds of magic names that act on calls before they are served, for any endpoint. */
const EFFECTS: Partial<Record<MagicKind, CallEffect>> = {
  slow: { kind: 'delay', delayMs: SLOW_MS },
  error: { kind: 'refuse', code: 'internal_error', status: null, message: null, retryAfterSeconds: null },
  'rate-limited': { kind: 'refuse', code: 'rate_limited', status: null, message: null, retryAfterSeconds: 1 },
}

/** The kinds that act on calls at all: before they are served, or on the answer ({@link magicAfter}). */
const ACTING: readonly MagicKind[] = [...(Object.keys(EFFECTS) as MagicKind[]), 'lost-reply']

/**
 * Beside plain spellings, everything that may be a disguised one: an escape of JSON, a letter that is mapped to another. Without the
 * flag u, under which the range would take in s and k, being case variants of letters in it.
 */
const MAY_ACT = new RegExp([...ACTING.map((kind) => `${kind}-`), '[\\\\\\u0080-\\uffff]'].join('|'), 'i')

/**
 * Whether a text may name a domain that acts on calls: a quick look that spares all other calls the careful one. It may
 * say yes for nothing, and never no to such a name.
 *
 * @param text a name in any spelling, or a whole body.
 */
export function mayAct(text: string): boolean {
  return MAY_ACT.test(text)
}

/**
 * What the magic name that a call is about does to it before it is served, once. That cannot be an id: an
 * order, session, case or link of a name can only be there after a call that named it, and on that call it has acted.
 */
export function magicBefore(call: AuthenticatedCall): MagicFault | null {
  const named = domainNamedBy(call, mayAct)
  const domain = named === null ? null : normalizeDomain(named)
  const kind = domain === null ? null : magicKind(domain)
  const effect = kind === null ? undefined : EFFECTS[kind]
  if (domain === null || kind === null || effect === undefined || !actOnce(call.world, domain, kind)) return null
  return { effect, detail: `${named} does this to the first call about it` }
}

/** What it does once the call has succeeded: the answer to the first order for a `lost-reply-N.test` is lost. */
export function magicAfter(call: AuthenticatedCall, answer: Answer): MagicFault | null {
  const isOrder = call.endpoint !== null && ENDPOINTS[call.endpoint].creates?.kind === 'order'
  if (!isOrder || HEADERS.idempotentReplayed in answer.headers) return null
  const named = domainNamedBy(call, mayAct)
  const domain = named === null ? null : normalizeDomain(named)
  if (domain === null || !actOnce(call.world, domain, 'lost-reply')) return null
  const detail = `${named} loses the answer to its first order: it is recorded, and the connection was closed instead`
  return { effect: { kind: 'drop', when: 'after-commit' }, detail }
}
