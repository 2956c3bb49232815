import type { EndpointId } from '../../../contract/endpoints.ts'
import { ApiError, type ErrorCode } from '../../../contract/errors.ts'
import type { Grounds, Remedy } from '../../../contract/grounds.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'
import { subjectOf } from '../../wire/call-subject.ts'
import { BLAND } from '../../wire/error-answer.ts'
import type { CallEffect, FaultStage, GarbageKind } from '../../wire/fault.ts'
import type { Answer } from '../../wire/route.ts'
import { isArmed } from './faults.ts'
import { magicAfter, magicBefore } from './magic-faults.ts'
import { matchFault } from './match-fault.ts'

/** Something that goes wrong with a call on purpose, by a fault of the operator or by a magic name. */
interface InjectedFault {
  readonly effect: CallEffect
  /** For the request log. */
  readonly detail: string
  /** Id of the operator's fault. */
  readonly id?: string
}

/**
 * Applies what is to go wrong with a call before it is served: one thing at most, and a fault of the operator before a
 * magic name. Call it where the call is allowed already, so that no check of authentication, nonce, rate limit or scope is
 * weakened, and outside of its savepoint: that something has acted outlives the refusal by which it did.
 *
 * @throws ApiError where the fault is a refusal.
 */
export function faultBefore(call: AuthenticatedCall): void {
  if (call.endpoint === null) return
  const fault = operatorFault(call, call.endpoint, 'before') ?? magicBefore(call)
  if (fault) apply(call, fault)
}

/**
 * Applies what is to go wrong with the answer of a call that succeeded, unless something has gone wrong already. Call it
 * inside of the call's savepoint: where it breaks, the call is undone.
 */
export function faultAfter(call: AuthenticatedCall, answer: Answer): Answer {
  if (call.endpoint === null || answer.status >= 300 || call.departure.kind !== 'prompt') return answer
  const fault = operatorFault(call, call.endpoint, 'after') ?? magicAfter(call, answer)
  if (!fault) return answer
  apply(call, fault)
  return fault.effect.kind === 'garbage' ? corruptBody(answer, fault.effect.garbage) : answer
}

function operatorFault(call: AuthenticatedCall, endpoint: EndpointId, stage: FaultStage): InjectedFault | null {
  const { world, credential, id: requestId } = call
  if (!isArmed(world)) return null
  const { text: subject, domain, publicId } = subjectOf(call)
  const fault = matchFault(world, stage, { requestId, endpoint, credential, domain, publicId, subject })
  return fault && { effect: fault.effect, detail: `the fault ${fault.id} ${wordsOf(fault.effect)}`, id: fault.id }
}

function wordsOf(effect: CallEffect): string {
  if (effect.kind === 'refuse') return 'refused the call, which did nothing else'
  if (effect.kind === 'delay')
    return `held the answer back for ${effect.delayMs} ms; the call itself was served at once`
  if (effect.kind === 'garbage') return `spoilt the body of the answer (${effect.garbage}); the call itself succeeded`
  return effect.when === 'after-commit'
    ? 'closed the connection instead of answering; what the call did is committed'
    : 'closed the connection before the call did anything'
}

function apply(call: AuthenticatedCall, { effect, detail, id }: InjectedFault): void {
  call.detail = detail
  call.fault = id ?? null
  call.faultKind = effect.kind
  if (effect.kind === 'delay') call.departure = { kind: 'late', delayMs: effect.delayMs }
  if (effect.kind === 'drop') call.departure = { kind: 'lost' }
  if (effect.kind === 'drop' && effect.when === 'before-commit') throw new ApiError('internal_error', BLAND)
  if (effect.kind === 'refuse')
    throw refusal(effect, { says: detail, ...(id === undefined && { remedies: [SEND_AGAIN] }) })
}

/** What helps against a fault of the operator is found when that is asked: it may be used up or removed by then. */
const SEND_AGAIN: Remedy = { says: 'Send the call again: the name acts once.' }

type Refusing = Extract<CallEffect, { kind: 'refuse' }>

function refusal({ code, status, message, retryAfterSeconds }: Refusing, grounds: Grounds): ApiError {
  return new ApiError(code, message ?? usualMessage(code, retryAfterSeconds), {
    ...(status !== null && { status }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    grounds,
  })
}

function usualMessage(code: ErrorCode, seconds: number | null): string {
  if (code === 'internal_error') return BLAND
  if (code !== 'rate_limited') return 'a fault of this sandbox refuses the call'
  return `too many calls at the moment; wait ${seconds} second${seconds === 1 ? '' : 's'} and sign again`
}

const PROXY_PAGE = '<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n'

/**
 * An answer whose status says success and whose body cannot be read. What is kept for its Idempotency-Key is the
 * correct one.
 */
function corruptBody(answer: Answer, kind: GarbageKind): Answer {
  if (kind === 'html') {
    return { ...answer, headers: { ...answer.headers, 'content-type': 'text/html; charset=utf-8' }, body: PROXY_PAGE }
  }
  return { ...answer, body: CORRUPTED[kind](answer.body) }
}

const CORRUPTED: Record<Exclude<GarbageKind, 'html'>, (body: string) => string> = {
  truncated: (body) => body.slice(0, Math.floor(body.length / 2)),
  'not-json': () => 'OK',
  empty: () => '',
}
