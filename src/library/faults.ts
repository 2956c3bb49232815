import type { EndpointId } from '../contract/endpoints.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { Fault } from '../operator-api/rows/faults.ts'
import { type Methods, methodsOf } from './methods.ts'

/** Which calls fail; an omitted member matches every call. */
export interface FaultMatch {
  endpoint?: EndpointId
  /** Name or key id. */
  credential?: string
  domain?: string
  publicId?: string
}

/** How they fail. */
export type FaultEffect =
  /** Refuses with this code, and with its default status or another legal one. */
  | { code: ErrorCode; status?: number; message?: string /** Seconds, with a 429. */; retryAfter?: number }
  /** Refuses; the status must belong to a single code. */
  | { status: number; message?: string; retryAfter?: number }
  | { delayMs: number }
  /** Closes the connection without an answer, before or after the work is done. */
  | { drop: 'before-commit' | 'after-commit' }
  /** Answers bytes that are not valid HTTP; `true` cuts the answer in half. */
  | { garbage: true | 'truncated' | 'not-json' | 'empty' | 'html' }

export interface NewFault {
  match?: FaultMatch
  effect: FaultEffect
  /** How often; 1 by default, null for every call. */
  times?: number | null
  /** From 0 to 1: the share of matching calls that fail. Drawn from `seed`, so it is repeatable. */
  probability?: number
  seed?: string
}

/**
 * Makes calls fail on purpose.
 *
 * @example
 * await world.faults.add({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' } })
 * await world.faults.add({ effect: { status: 429, retryAfter: 1 }, times: 2 })
 */
export interface FaultsHandle extends Methods<'faults', 'add' | 'list'> {
  add(fault: NewFault): Promise<Fault>
  list(): Promise<Fault[]>
}

export function faultsHandle(client: OperatorClient, w: string): FaultsHandle {
  const methods = methodsOf(client, w, 'faults')
  return {
    ...methods,
    add: (fault) => methods.add({ match: {}, ...fault }),
    list: async () => (await methods.list()).faults,
  }
}
