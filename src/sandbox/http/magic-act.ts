import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { actOnCall, losesReply, mayAct } from '../magic-call.ts'
import type { World } from '../world.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { BLAND } from './error-handler.ts'
import { jsonObjectOf } from './json-body.ts'

const SLOW_MS = 6_000
const RETRY_AFTER_SECONDS = 1

/**
 * Serves a call, and lets the magic name that it is about act on it (product.md 4). Call it where the call is allowed
 * already, and outside of its savepoint: that a name has acted outlives the refusal by which it acted.
 *
 * @throws ApiError rate_limited and internal_error by the first call about `rate-limited-N.test` and `error-N.test`.
 */
export function withMagic(call: Call, serve: () => Answer): Answer {
  const named = domainNamedBy(call)
  if (named === null) return serve()
  const world = call.world as World
  befall(call, actOnCall(world, named), named)
  const answer = serve()
  const isFresh = answer.status < 300 && !(HEADERS.idempotentReplayed in answer.headers)
  if (isFresh && losesReply(world, call.endpoint as EndpointId, named)) {
    call.departure = { kind: 'lost' }
    call.detail = `${named} loses the answer to its first order: it is recorded, and the connection was closed instead`
  }
  return answer
}

function befall(call: Call, act: ReturnType<typeof actOnCall>, named: string): void {
  if (act === null) return
  call.detail = `${named} does this to the first call about it`
  if (act === 'slow') call.departure = { kind: 'late', delayMs: SLOW_MS }
  if (act === 'error') throw new ApiError('internal_error', BLAND)
  if (act === 'rate-limited') {
    const message = `too many calls at the moment; wait ${RETRY_AFTER_SECONDS} second and sign anew`
    throw new ApiError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
}

/**
 * The domain that a call names in its path, query or body; null where that cannot act, which is told quickly. Ids are
 * not looked up: an order, session, case or link of a name can only be there after a call that named it, and on that
 * call the name has acted.
 */
function domainNamedBy(call: Call): string | null {
  if (call.endpoint === null) return null
  if (call.method !== 'GET') return domainInBody(call)
  const named = call.endpoint === 'domains.detail' ? call.params['name'] : domainInQuery(call)
  return named !== undefined && mayAct(named) ? named : null
}

/** Search lets any parameter through unread, this one too. */
function domainInQuery(call: Call): string | undefined {
  return call.endpoint === 'domains.search' ? undefined : call.query.find(([name]) => name === 'domain')?.[1]
}

function domainInBody(call: Call): string | null {
  if (!mayAct(Buffer.from(call.body.buffer, call.body.byteOffset, call.body.length).toString('latin1'))) return null
  try {
    const named = (jsonObjectOf(call) as { domain?: unknown }).domain
    return typeof named === 'string' ? named : null
  } catch {
    // The endpoint will say what is wrong with it.
    return null
  }
}
