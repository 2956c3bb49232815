import type { ErrorCode } from '../contract/errors.ts'
import type { EFFECT_KINDS, WrittenEffect } from '../operator-api/rows/faults.ts'
import { codesWith, legalStatuses } from '../sandbox/app/faults/legal-statuses.ts'
import type { FaultEffect } from '../sandbox/wire/fault.ts'
import { problem } from './problem.ts'

type Written = keyof WrittenEffect

/** Which members belong to which effect. */
const GROUPS: Record<FaultEffect['kind'], readonly Written[]> = {
  refuse: ['status', 'code', 'message', 'retry_after', 'retry_after_seconds'],
  delay: ['delay_ms'],
  drop: ['drop'],
  garbage: ['garbage'],
}

const NAMED: Record<(typeof EFFECT_KINDS)[number], { group: FaultEffect['kind']; says: WrittenEffect }> = {
  status: { group: 'refuse', says: {} },
  rate_limit: { group: 'refuse', says: { code: 'rate_limited' } },
  delay: { group: 'delay', says: {} },
  drop_before: { group: 'drop', says: { drop: 'before-commit' } },
  drop_after_commit: { group: 'drop', says: { drop: 'after-commit' } },
  garbage: { group: 'garbage', says: { garbage: true } },
}

/**
 * Reads an effect.
 *
 * @throws Problem 400 where it is none, more than one, or a code with a status that it never has.
 * @example readEffect({ drop: 'after-commit' }) // { kind: 'drop', when: 'after-commit' }
 */
export function readEffect({ kind: name, ...said }: WrittenEffect): FaultEffect {
  const group = groupOf(said, name)
  const written = { ...(name && NAMED[name].says), ...said }
  refuseContradiction(written, name)
  if (group === 'refuse') return readRefusal(written)
  if (group === 'delay' && written.delay_ms !== undefined) return { kind: 'delay', delayMs: written.delay_ms }
  if (group === 'drop' && written.drop !== undefined) return { kind: 'drop', when: written.drop }
  if (group === 'garbage' && written.garbage) {
    return { kind: 'garbage', garbage: written.garbage === true ? 'truncated' : written.garbage }
  }
  throw problem(group === 'garbage' ? 'effect-garbage-false' : 'effect-delay-missing')
}

function groupOf(said: WrittenEffect, name: WrittenEffect['kind']): FaultEffect['kind'] {
  const groups = new Set(name ? [NAMED[name].group] : [])
  for (const [group, members] of Object.entries(GROUPS)) {
    if (members.some((member) => member in said)) groups.add(group as FaultEffect['kind'])
  }
  const [group] = groups
  if (group === undefined || groups.size > 1) {
    throw problem('effect-not-one')
  }
  return group
}

function refuseContradiction(written: WrittenEffect, name: WrittenEffect['kind']): void {
  for (const [member, value] of Object.entries(name === 'garbage' || !name ? {} : NAMED[name].says)) {
    if (written[member as Written] !== value) throw problem('effect-contradiction', { member, kind: name as string })
  }
}

function readRefusal({ status, code: saidCode, message, ...rest }: WrittenEffect): FaultEffect {
  const code = saidCode ?? onlyCodeWith(status)
  const legal = legalStatuses(code)
  if (status !== undefined && !legal.includes(status)) {
    throw problem('effect-status-illegal', { legal: legal.join(' or '), code, status })
  }
  if (code === 'internal_error' && message !== undefined) {
    throw problem('effect-message-unsaid')
  }
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
  if (retry_after !== undefined && retry_after_seconds !== undefined) {
    throw problem('effect-retry-after-twice')
  }
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
