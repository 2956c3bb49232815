import type { EndpointId } from '../contract/endpoints.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import { pathOf } from './sales.ts'

/** Which calls go wrong; what is left out matches every call. */
export interface FaultMatch {
  endpoint?: EndpointId
  /** Name or key id. */
  credential?: string
  domain?: string
  publicId?: string
}

/** What goes wrong with them. */
export type FaultEffect =
  /** Refuses, with the status that the code has, or one that it may have. */
  | { code: ErrorCode; status?: number; message?: string /** Seconds, with a 429. */; retryAfter?: number }
  /** Refuses; the status must belong to a single code. */
  | { status: number; message?: string; retryAfter?: number }
  | { delayMs: number }
  /** Hangs up without an answer, before anything is done or after all of it is. */
  | { drop: 'before-commit' | 'after-commit' }
  /** Answers something that is no answer; `true` cuts it in half. */
  | { garbage: true | 'truncated' | 'not-json' | 'empty' | 'html' }

export interface NewFault {
  match?: FaultMatch
  effect: FaultEffect
  /** How often; once unless said otherwise, null for ever. */
  times?: number | null
  /** From 0 to 1: not every call that matches. Drawn from `seed`, so that it can be repeated. */
  probability?: number
  seed?: string
}

/** A fault as the server has it. */
export interface Fault {
  id: string
  /** How often it has acted. */
  hits: number
  /** How often it still will; null for ever. */
  left: number | null
  match: Record<'endpoint' | 'credential' | 'key_id' | 'domain' | 'public_id', string | null>
  effect: Record<string, unknown>
  times: number | null
  probability: number
  seed: string | null
  /** The call on which it acted last. */
  last_request_id: string | null
}

/**
 * Calls that go wrong on purpose.
 *
 * @example
 * await world.faults.add({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' } })
 * await world.faults.add({ effect: { status: 429, retryAfter: 1 }, times: 2 })
 */
export interface FaultsHandle {
  add(fault: NewFault): Promise<Fault>
  list(): Promise<Fault[]>
  remove(id: string): Promise<void>
  /** Removes all of them. */
  clear(): Promise<void>
}

export function faultsHandle(client: OperatorClient, world: string): FaultsHandle {
  const path = `${world}/faults`
  return {
    add: (fault) => client.ask('POST', path, { match: {}, ...fault }),
    list: async () => (await client.ask<{ faults: Fault[] }>('GET', path)).faults,
    remove: (id) => client.ask('DELETE', pathOf(path, id)),
    clear: () => client.ask('DELETE', path),
  }
}
