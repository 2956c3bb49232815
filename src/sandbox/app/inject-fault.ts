import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { Answer } from '../wire/answer.ts'
import type { Call } from '../wire/call.ts'
import { subjectOf } from '../wire/call-subject.ts'
import { BLAND } from '../wire/error-answer.ts'
import type { FaultEffect, FaultStage } from '../wire/fault.ts'
import { garbled } from './corrupt-body.ts'
import { isArmed } from './faults/faults.ts'
import { strike } from './faults/match-fault.ts'
import { magicAfter, magicBefore } from './magic-act.ts'

/** Something that goes wrong with a call on purpose, by a fault of the operator or by a magic name. */
export interface Mishap {
  readonly effect: FaultEffect
  /** For the request log. */
  readonly detail: string
  /** Id of the fault; null for a magic name. */
  readonly fault: string | null
}

/**
 * Lets go wrong with a call what is to go wrong before it is served: one thing at most, and a fault before a magic name. Call
 * it where the call is allowed already, so that no check of authentication, nonce, rate limit or scope is weakened, and outside
 * of its savepoint: that something has acted outlives the refusal by which it did.
 *
 * @throws ApiError where the mishap is a refusal.
 */
export function befallEarly(call: Call): void {
  if (call.endpoint === null) return
  const mishap = faultOn(call, 'before') ?? magicBefore(call)
  if (mishap) befall(call, mishap)
}

/**
 * Lets go wrong with the answer of a call that succeeded what is to go wrong, unless something has already. Call it inside of the
 * call's savepoint: where it breaks, the call is undone.
 */
export function withLateMishaps(call: Call, answer: Answer): Answer {
  if (answer.status >= 300 || call.departure.kind !== 'prompt') return answer
  const mishap = faultOn(call, 'after') ?? magicAfter(call, answer)
  if (!mishap) return answer
  befall(call, mishap)
  return mishap.effect.kind === 'garbage' ? garbled(answer, mishap.effect.garbage) : answer
}

function faultOn(call: Call, stage: FaultStage): Mishap | null {
  const world = call.world as World
  if (!isArmed(world)) return null
  const { text: subject, domain, publicId } = subjectOf(call)
  const credential = call.credential as Credential
  const endpoint = call.endpoint as EndpointId
  const fault = strike(world, stage, { requestId: call.id, endpoint, credential, domain, publicId, subject })
  return fault && { effect: fault.effect, detail: `the fault ${fault.id} ${deedOf(fault.effect)}`, fault: fault.id }
}

function deedOf(effect: FaultEffect): string {
  if (effect.kind === 'refuse') return 'refused the call, which did nothing else'
  if (effect.kind === 'delay')
    return `held the answer back for ${effect.delayMs} ms; the call itself was served at once`
  if (effect.kind === 'garbage') return `spoilt the body of the answer (${effect.garbage}); the call itself succeeded`
  return effect.when === 'after-commit'
    ? 'closed the connection instead of answering; what the call did is committed'
    : 'closed the connection before the call did anything'
}

function befall(call: Call, { effect, detail, fault }: Mishap): void {
  call.detail = detail
  call.fault = fault
  call.mishap = effect.kind
  if (effect.kind === 'delay') call.departure = { kind: 'late', delayMs: effect.delayMs }
  if (effect.kind === 'drop') call.departure = { kind: 'lost' }
  if (effect.kind === 'drop' && effect.when === 'before-commit') throw new ApiError('internal_error', BLAND)
  if (effect.kind === 'refuse') throw refusal(effect)
}

function refusal({ code, status, message, retryAfterSeconds }: Extract<FaultEffect, { kind: 'refuse' }>): ApiError {
  return new ApiError(code, message ?? usualMessage(code, retryAfterSeconds), {
    ...(status !== null && { status }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  })
}

function usualMessage(code: ErrorCode, seconds: number | null): string {
  if (code === 'internal_error') return BLAND
  if (code !== 'rate_limited') return 'a fault of this sandbox refuses the call'
  return `too many calls at the moment; wait ${seconds} second${seconds === 1 ? '' : 's'} and sign anew`
}
