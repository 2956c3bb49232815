import { object, type Schema } from '../../contract/schema.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { AuthenticatedCall, Call } from './call.ts'

/** An answer of the partner API, complete: bytes that can be stored and repeated. */
export interface Answer {
  readonly status: number
  /** Beside Content-Type and X-Request-Id. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A call and what it came to; what coverage, hints and explanations need to know of it. */
export interface Exchange {
  readonly call: Call
  /** What was sent, or would have been where the connection was closed instead. */
  readonly answer: Answer
  /** World time when it was answered, in milliseconds. */
  readonly worldTimeMs: number
  /** From the last byte received to the answer, in milliseconds. */
  readonly tookMs: number
}

/** What a handler decides: a body to be written as JSON, and whether something was created. */
export interface Reply {
  readonly created: boolean
  readonly body: unknown
}

export function ok(body: unknown): Reply {
  return { created: false, body }
}

/** Answered with 201 by default; the document leaves the status open (ORD-16). */
export function created(body: unknown): Reply {
  return { created: true, body }
}

/** What a handler gets: everything already authenticated, parsed and validated. */
export interface Input<Query = Record<string, never>, Body = undefined> {
  readonly world: World
  readonly caller: Credential
  readonly call: AuthenticatedCall
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
}

/**
 * An endpoint's schemas and handler. Handlers are synchronous: they run inside the turn's transaction. What they get has
 * been validated by the schemas beside them, so a handler may name its types ({@link route}).
 */
export interface Route {
  readonly query?: Schema<unknown>
  readonly body?: Schema<unknown>
  /** The shape of its accepted answer: written down in the OpenAPI document, and held against what tests see. */
  readonly answer: Schema<unknown>
  /**
   * What takes real time and has to be known before the call is handled. It is asked within a transaction; the work it gives
   * is done outside of any, and `handle` runs in a second one. Null if there is nothing to wait for.
   */
  prepare?(input: Input<unknown, unknown>): (() => Promise<void>) | null
  handle(input: Input<unknown, unknown>): Reply
}

/** Of a route that takes none: an unknown parameter is a mistake in the call, and is reported by its name. */
export const NO_QUERY = object({})

/** Ties a handler to its schemas, so that it sees their types. */
export function route<Query = Record<string, never>, Body = undefined>(definition: {
  query?: Schema<Query>
  body?: Schema<Body>
  answer: Schema<unknown>
  prepare?(input: Input<Query, Body>): (() => Promise<void>) | null
  handle(input: Input<Query, Body>): Reply
}): Route {
  return definition
}
