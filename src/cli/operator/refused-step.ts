import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import type { OperatorContext } from './operator-command.ts'
import { CliError } from './session.ts'

/** A step of an order, a case or a session, as it is asked for and spoken of. */
interface Step {
  /** What it is taken on, below the world: `/orders/ord_1`. */
  path: string
  name: string
  /** What a person calls the thing: `order ord_1`. */
  subject: string
}

/**
 * Takes a step; a refusal becomes one line that says where the thing stands and what that allows.
 *
 * @throws CliError for a refused step, SandboxRefusal for every other refusal.
 * @example await takeStep(context, { path: '/orders/ord_1', name: 'refund', subject: 'order ord_1' }, {})
 */
export async function takeStep(
  context: OperatorContext,
  step: Step,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  try {
    return await context.askWorld('POST', `${step.path}/${step.name}`, body)
  } catch (error) {
    if (error instanceof SandboxRefusal && error.status === 409) throw refusedStep(step, error)
    throw error
  }
}

function refusedStep({ name, subject }: Step, refusal: SandboxRefusal): Error {
  const { state, steps, actions } = refusal.members
  const allowed = steps ?? actions
  if (typeof state !== 'string' || !Array.isArray(allowed)) return refusal
  // The state is no obstacle, something else is, e.g. a domain that was sold to somebody else.
  if (allowed.includes(name)) {
    return new CliError(`${name} is refused: ${refusal.detail} (${subject} is ${state})`, EXIT_CODES.refused)
  }
  const advice = allowed.length > 0 ? allowed.join(', ') : 'no step at all'
  return new CliError(`${name} is refused: ${subject} is ${state}; it allows ${advice}`, EXIT_CODES.refused)
}
