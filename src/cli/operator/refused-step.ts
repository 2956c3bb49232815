import type { SandboxRefusal } from '../../operator-api/refusals.ts'
import { commandError } from './command-errors.ts'

/**
 * A refused step in one line: where the thing stands, and what that allows.
 *
 * @param subject what a person calls the thing: `order ord_1`.
 * @returns the refusal itself if it says neither.
 */
export function refusedStep(name: string, subject: string, refusal: SandboxRefusal): Error {
  const { state, steps, actions } = refusal.members
  const allowed = steps ?? actions
  if (typeof state !== 'string' || !Array.isArray(allowed)) return refusal
  // The state is no obstacle, something else is, e.g. a domain that was sold to another partner.
  if (allowed.includes(name)) {
    return commandError('step-in-the-way', { name, detail: refusal.detail, subject, state })
  }
  const advice = allowed.length > 0 ? allowed.join(', ') : 'no step at all'
  return commandError('step-not-allowed', { name, subject, state, allowed: advice })
}
