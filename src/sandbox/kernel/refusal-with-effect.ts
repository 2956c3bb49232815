import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { Grounds } from '../../contract/grounds.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Db } from '../../storage/database.ts'
import { atomically } from '../commit-queue.ts'

/**
 * A refusal of which something stays, although the refused call itself changes nothing: the race that it lost was won by
 * another partner at that moment.
 */
export class RefusalWithEffect extends ApiError {
  override name = 'RefusalWithEffect'
  /** What the other one did. */
  readonly leaves: () => void

  constructor(code: ErrorCode, message: string, leaves: () => void, grounds: Grounds = {}) {
    super(code, message, { grounds })
    this.leaves = leaves
  }
}

/**
 * Runs a call's work inside the open transaction so that a throw undoes it alone; what a refusal leaves is done
 * afterwards.
 */
export function undoneOnRefusal<Result>(db: Db, work: () => Result): Result {
  try {
    return atomically(db, work)
  } catch (error) {
    if (error instanceof RefusalWithEffect) atomically(db, error.leaves)
    throw error
  }
}

/** The refusal of a step that a state does not allow, with those that it does (STATE-07, BRK-06). */
export function refusedStep(name: string, state: string, allowed: readonly string[]): ApiError {
  const advice = allowed.length > 0 ? `it allows ${allowed.join(', ')}` : 'it allows no step any more'
  return new ApiError('conflict', `${name} is not possible in state ${state}; ${advice}`)
}

/**
 * Why a partner is refused what it may not see, for the operator: to the partner both reasons look the same.
 *
 * @example unseen('order', 'ord_1', 'ptr_2') // 'the order ord_1 belongs to another partner, ptr_2'
 */
export function unseen(noun: 'order' | 'case' | 'quote', id: string, ownerId: string | undefined): string {
  const shown = id.slice(0, LIMITS.quotedCharacters)
  return ownerId === undefined
    ? `no ${noun} of this world has the id ${shown}`
    : `the ${noun} ${shown} belongs to another partner, ${ownerId}`
}
