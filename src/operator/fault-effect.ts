import type { ErrorCode } from '../contract/errors.ts'
import type { EFFECT_KINDS, WrittenEffect } from '../operator-api/rows/faults.ts'
import { codesWith, legalStatuses } from '../sandbox/app/faults/legal-statuses.ts'
import type { FaultEffect } from '../sandbox/wire/fault.ts'
import { problem } from './problems.ts'

type Kind = FaultEffect['kind']
type Member = Exclude<keyof WrittenEffect, 'kind'>

/** Which effect a member belongs to. */
const EFFECT_OF: Record<Member, Kind> = {
  status: 'refuse',
  code: 'refuse',
  message: 'refuse',
  retry_after: 'refuse',
  retry_after_seconds: 'refuse',
  delay_ms: 'delay',
  drop: 'drop',
  garbage: 'garbage',
}

/** The effect that a name stands for, and what goes without saying then. */
const NAMED: Record<(typeof EFFECT_KINDS)[number], readonly [Kind, WrittenEffect]> = {
  status: ['refuse', {}],
  rate_limit: ['refuse', { code: 'rate_limited' }],
  delay: ['delay', {}],
  drop_before: ['drop', { drop: 'before-commit' }],
  drop_after_commit: ['drop', { drop: 'after-commit' }],
  garbage: ['garbage', { garbage: true }],
}

/**
 * Reads an effect.
 *
 * @throws Problem 400 where it is none, more than one, or a code with a status that it never has.
 * @example readEffect({ drop: 'after-commit' }) // { kind: 'drop', when: 'after-commit' }
 */
export function readEffect({ kind: name, ...said }: WrittenEffect): FaultEffect {
  const [named, implied] = name ? NAMED[name] : [undefined, {}]
  const kind = onlyKindOf(said, named)
  const written = { ...implied, ...said }
  if (name && kind !== 'garbage') refuseContradiction(written, implied, name)
  if (kind === 'refuse') return readRefusal(written)
  if (kind === 'delay' && written.delay_ms !== undefined) return { kind, delayMs: written.delay_ms }
  if (kind === 'drop' && written.drop !== undefined) return { kind, when: written.drop }
  if (kind === 'garbage' && written.garbage) {
    return { kind, garbage: written.garbage === true ? 'truncated' : written.garbage }
  }
  throw problem(kind === 'garbage' ? 'effect-garbage-false' : 'effect-delay-missing')
}

function onlyKindOf(said: WrittenEffect, named: Kind | undefined): Kind {
  const members = Object.keys(said) as Member[]
  const kinds = new Set([...(named ? [named] : []), ...members.map((member) => EFFECT_OF[member])])
  const [kind] = kinds
  if (kind === undefined || kinds.size > 1) throw problem('effect-not-one')
  return kind
}

function refuseContradiction(written: WrittenEffect, implied: WrittenEffect, kind: string): void {
  for (const [member, value] of Object.entries(implied)) {
    if (written[member as Member] !== value) throw problem('effect-contradiction', { member, kind })
  }
}

function readRefusal({ status, code: saidCode, message, ...rest }: WrittenEffect): FaultEffect {
  const code = saidCode ?? onlyCodeWith(status)
  const legal = legalStatuses(code)
  if (status !== undefined && !legal.includes(status)) {
    throw problem('effect-status-illegal', { legal: legal.join(' or '), code, status })
  }
  if (code === 'internal_error' && message !== undefined) throw problem('effect-message-unsaid')
  return {
    kind: 'refuse',
    code,
    status: status ?? null,
    message: message ?? null,
    retryAfterSeconds: retryAfterOf(code, rest),
  }
}

function onlyCodeWith(status: number | undefined): ErrorCode {
  if (status === undefined) throw problem('effect-code-missing')
  const codes = codesWith(status)
  if (codes.length === 1) return codes[0] as ErrorCode
  const hint =
    codes.length === 0
      ? 'no code of the API has it; say effect.code'
      : `say which as effect.code: ${codes.join(' or ')}`
  throw problem('effect-code-open', { status, hint })
}

/** A 429 always says how long to wait (ERR-03). */
function retryAfterOf(code: ErrorCode, { retry_after, retry_after_seconds }: WrittenEffect): number | null {
  if (retry_after !== undefined && retry_after_seconds !== undefined) throw problem('effect-retry-after-twice')
  const said = retry_after ?? retry_after_seconds
  if (code === 'rate_limited') return said ?? 1
  if (said !== undefined) throw problem('effect-retry-after-alone', { code })
  return null
}

/** An effect as it is shown; it can be sent back like that. */
export function presentEffect(effect: FaultEffect): WrittenEffect {
  if (effect.kind === 'delay') return { kind: 'delay', delay_ms: effect.delayMs }
  if (effect.kind === 'garbage') return { kind: 'garbage', garbage: effect.garbage }
  if (effect.kind === 'drop') {
    return { kind: effect.when === 'after-commit' ? 'drop_after_commit' : 'drop_before', drop: effect.when }
  }
  return {
    kind: effect.code === 'rate_limited' ? 'rate_limit' : 'status',
    code: effect.code,
    ...(effect.status !== null && { status: effect.status }),
    ...(effect.message !== null && { message: effect.message }),
    ...(effect.retryAfterSeconds !== null && { retry_after_seconds: effect.retryAfterSeconds }),
  }
}
