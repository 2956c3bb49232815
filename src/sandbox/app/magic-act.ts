import { ENDPOINTS } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { World } from '../kernel/world.ts'
import type { Answer } from '../wire/answer.ts'
import type { Call } from '../wire/call.ts'
import { domainNamedBy } from '../wire/call-subject.ts'
import type { Mishap } from './inject-fault.ts'
import { actOnCall, type CallAct, losesReply, mayAct } from './magic-call.ts'

const SLOW_MS = 6_000

const EFFECTS: Record<Exclude<CallAct, 'lost-reply'>, Mishap['effect']> = {
  slow: { kind: 'delay', delayMs: SLOW_MS },
  error: { kind: 'refuse', code: 'internal_error', status: null, message: null, retryAfterSeconds: null },
  'rate-limited': { kind: 'refuse', code: 'rate_limited', status: null, message: null, retryAfterSeconds: 1 },
}

/**
 * What the magic name that a call is about does to it before it is served (product.md 4). That cannot be an id: an
 * order, session, case or link of a name can only be there after a call that named it, and on that call it has acted.
 */
export function magicBefore(call: Call): Mishap | null {
  const named = domainNamedBy(call, mayAct)
  const act = named === null ? null : actOnCall(call.world as World, named)
  return act && { effect: EFFECTS[act], detail: `${named} does this to the first call about it`, fault: null }
}

/** What it does once the call has succeeded. */
export function magicAfter(call: Call, answer: Answer): Mishap | null {
  const isOrder = call.endpoint !== null && ENDPOINTS[call.endpoint].creates?.kind === 'order'
  if (!isOrder || HEADERS.idempotentReplayed in answer.headers) return null
  const named = domainNamedBy(call, mayAct)
  if (named === null || !losesReply(call.world as World, named)) return null
  const detail = `${named} loses the answer to its first order: it is recorded, and the connection was closed instead`
  return { effect: { kind: 'drop', when: 'after-commit' }, detail, fault: null }
}
