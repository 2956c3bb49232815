import { randomBytes } from 'node:crypto'
import { type QueryPair, splitTarget } from '../../contract/canonical-string.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Grounds } from '../../contract/grounds.ts'
import { headerValuesOf } from '../../contract/headers.ts'
import { base32 } from '../kernel/chance.ts'
import type { WorldSettings } from '../kernel/settings.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { CallEffect } from './fault.ts'

/** How the answer of a call goes out: at once, after a while of wall time, or not at all because the connection is closed. */
export type Departure = { kind: 'prompt' } | { kind: 'late'; delayMs: number } | { kind: 'lost' }

/** The checks that a call goes through, by name (AUTH-18). */
export const CHECK_NAMES = [
  'headers',
  'request',
  'key',
  'timestamp',
  'query',
  'signature',
  'nonce',
  'rate-limit',
  'scope',
] as const

export type CheckName = (typeof CHECK_NAMES)[number]

/** Whether a check refused the call that asks who calls, and not what may be called or how often. */
export function failedAuthentication({ refusedBy }: Pick<Call, 'refusedBy'>): boolean {
  return refusedBy !== null && refusedBy !== 'rate-limit' && refusedBy !== 'scope'
}

export const PROMPT: Departure = { kind: 'prompt' }

/**
 * One call on its way through the checks. What each step finds out is added here, so that the request log can show
 * the whole of it afterwards.
 */
export interface Call<KnownWorld extends World = World> {
  readonly id: string
  /** Wall time of arrival in milliseconds. */
  readonly receivedAtMs: number
  readonly method: string
  /** Request target as sent, byte for byte. */
  readonly target: string
  readonly path: string
  readonly rawQuery: string
  /** Names and values in turn, as Node read them off the wire. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** Null for a path or verb the document does not have. */
  readonly endpoint: EndpointId | null
  readonly params: Readonly<Record<string, string>>

  /** The four authentication headers, from `checkHeaders` on. */
  keyId: string
  timestamp: string
  nonce: string
  signature: string
  /** From `checkKey` on. */
  world: KnownWorld | null
  credential: Credential | null
  /** Decoded pairs, from `checkQuery` on: what was signed is what handlers read. */
  query: readonly QueryPair[]
  refusedBy: CheckName | null
  /** What the refusal was decided by, and the settings of that moment; null for a call that was not refused. */
  grounds: Grounds | null
  judgedUnder: Readonly<WorldSettings> | null
  /** For the operator's eyes: more than the answer may say. */
  detail: string | null
  departure: Departure
  /** Id of the fault that acted on it. */
  fault: string | null
  /** What went wrong with it on purpose, by a fault or by a magic name. */
  faultKind: CallEffect['kind'] | null
}

/** A call whose key has been checked: its world and its credential are known. */
export interface AuthenticatedCall<KnownWorld extends World = World> extends Call<KnownWorld> {
  world: KnownWorld
  credential: Credential
}

export type FindCredential<KnownWorld extends World = World> = (
  keyId: string,
) => { world: KnownWorld; credential: Credential } | null

/** What a call is before any check: the request as it arrived. */
type IncomingRequest = Pick<
  Call,
  'id' | 'receivedAtMs' | 'method' | 'target' | 'rawHeaders' | 'body' | 'endpoint' | 'params'
>

/** A call at the start of its way, with all that the checks will find out still empty. */
export function newCall<KnownWorld extends World = World>(request: IncomingRequest): Call<KnownWorld> {
  const { path, query } = splitTarget(request.target)
  // Member by member: a spread with so many members after it would make each call an eighth dearer.
  return {
    id: request.id,
    receivedAtMs: request.receivedAtMs,
    method: request.method,
    target: request.target,
    rawHeaders: request.rawHeaders,
    body: request.body,
    endpoint: request.endpoint,
    params: request.params,
    path,
    rawQuery: query,
    keyId: '',
    timestamp: '',
    nonce: '',
    signature: '',
    world: null,
    credential: null,
    query: [],
    refusedBy: null,
    grounds: null,
    judgedUnder: null,
    detail: null,
    departure: PROMPT,
    fault: null,
    faultKind: null,
  }
}

/** Makes ids of calls: unique over restarts by a random part, and cheap by a counter. */
export function requestIds(prefix: string): () => string {
  const start = base32(randomBytes(5))
  let count = 0
  return () => `${prefix}${start}${(++count).toString(36).padStart(6, '0')}`
}

/** Keeps what a refusal was decided by: references only, because most of them are never asked for. */
export function noteRefusal(call: Call, error: unknown): void {
  if (!(error instanceof ApiError)) return
  call.grounds = error.grounds ?? null
  call.judgedUnder = call.world?.settings ?? null
}

/** A header's values, each occurrence one by one; names are compared without regard to case. */
export function headerValues(call: Pick<Call, 'rawHeaders'>, name: string): string[] {
  return headerValuesOf(call.rawHeaders, name)
}

/** Whether a body comes with it, read or not. */
export function announcesBody(call: Pick<Call, 'rawHeaders'>): boolean {
  const lengths = headerValues(call, 'content-length')
  return lengths.some((value) => value !== '0') || headerValues(call, 'transfer-encoding').length > 0
}
