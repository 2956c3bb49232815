import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { Grounds } from '../../contract/grounds.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { atomically } from '../commit-queue.ts'

/**
 * A refusal of which something stays, although the refused call itself changes nothing: the race that it lost was won by
 * another partner at that moment.
 */
export class RefusalWithEffect extends ApiError {
  override name = 'RefusalWithEffect'
  readonly leaves: () => void

  constructor(code: ErrorCode, message: string, leaves: () => void, grounds: Grounds = {}) {
    super(code, message, { grounds })
    this.leaves = leaves
  }
}

/** For {@link atomically}: what stays of a refused call that was undone. */
export function effectOf(error: unknown): (() => void) | null {
  return error instanceof RefusalWithEffect ? error.leaves : null
}

/**
 * The refusal of a step that a state does not allow, with those that it does (STATE-07, BRK-06).
 *
 * @param ended of a state that allows none: how it came about, and where more is to be seen.
 */
export function refusedStep(name: string, state: string, allowed: readonly string[], ended?: string): ApiError {
  const advice = allowed.length > 0 ? `it allows ${allowed.join(', ')}` : (ended ?? 'it allows no step any more')
  return new ApiError('conflict', `${name} is not possible in state ${state}; ${advice}`)
}

/**
 * Why a partner is refused what it may not see, for the operator: to the partner both reasons look the same.
 *
 * @example unseen('order', 'ord_1', 'ptr_2').says // 'the order ord_1 belongs to another partner, ptr_2'
 */
export function unseen(
  noun: 'order' | 'case' | 'quote',
  id: string,
  ownerId: string | undefined,
): Grounds & Required<Pick<Grounds, 'says' | 'compared'>> {
  const sent = id.slice(0, LIMITS.quotedCharacters)
  const says =
    ownerId === undefined
      ? `no ${noun} of this world has the id ${sent}`
      : `the ${noun} ${sent} belongs to another partner, ${ownerId}`
  return { says, compared: [{ name: `id of the ${noun}`, sent, expected: `that of one of this partner’s ${noun}s` }] }
}
