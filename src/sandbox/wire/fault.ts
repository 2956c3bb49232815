import type { EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'

/** How a body is corrupted: cut in half, some words, an empty body, or the page of a proxy. */
export const GARBAGE_KINDS = ['truncated', 'not-json', 'empty', 'html'] as const

export type GarbageKind = (typeof GARBAGE_KINDS)[number]

/** What a fault does to a call; see {@link stageOf} for when. */
export type CallEffect =
  | {
      readonly kind: 'refuse'
      readonly code: ErrorCode
      /** Null for the status that the code has in this world. */
      readonly status: number | null
      readonly message: string | null
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The connection is closed without an answer. */
  | { readonly kind: 'drop'; readonly when: 'before-commit' | 'after-commit' }
  | { readonly kind: 'garbage'; readonly garbage: GarbageKind }

/** Which calls a rule is about: all that is given must fit, and null fits anything. */
export interface CallMatch {
  readonly endpoint: EndpointId | null
  /** Row number of the credential: it outlives a new key. */
  readonly credential: number | null
  /** A normalized name that the call names. */
  readonly domain: string | null
  readonly publicId: string | null
}

/** A rule by which calls go wrong on purpose. */
export interface FaultRule {
  readonly match: CallMatch
  readonly effect: CallEffect
  /** How many calls it acts on; null for all. */
  readonly times: number | null
  /** Of each fitting call; 1 for always. */
  readonly probability: number
  readonly seed: string
}

/** An active rule, and what it has done so far. */
export interface Fault extends FaultRule {
  readonly id: string
  readonly hits: number
  readonly lastRequestId: string | null
}

/** When a rule is asked: before the call is served, or once it has succeeded. */
export type FaultStage = 'before' | 'after'

/** The answer to a refused call is not lost or corrupted. */
export function stageOf(effect: CallEffect): FaultStage {
  return effect.kind === 'garbage' || (effect.kind === 'drop' && effect.when === 'after-commit') ? 'after' : 'before'
}
