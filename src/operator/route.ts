import type { Readable } from 'node:stream'
import type { WallClock } from '../clock/wall-clock.ts'
import type { GapChoices } from '../contract/gaps.ts'
import type { Schema } from '../contract/schema.ts'
import { didYouMean } from '../contract/words.ts'
import type { WorldSettings } from '../sandbox/kernel/settings.ts'
import type { Environment } from '../sandbox/worlds/environment.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { LiveSource } from './live.ts'
import { Problem } from './problem.ts'

/** What the operator API works on; the same for all its routes. */
export interface Operator {
  readonly worlds: Worlds
  readonly wall: WallClock
  /** Address of the partner API. */
  readonly apiUrl: () => string
  readonly version: string
  /** What a new world gets where its maker says nothing. */
  readonly newWorldDefaults: {
    seed: string
    inventory: number
    rateLimit: WorldSettings['rateLimit']
    gaps: Partial<GapChoices>
  }
  /** Every operation that is served, as `GET /v1/worlds/{w}`. */
  readonly operations: () => readonly string[]
}

export type OperatorReply = JsonReply | RawReply | LiveReply

interface JsonReply {
  readonly status: 200 | 201 | 204
  /** Written as JSON; left out for 204. */
  readonly body?: unknown
}

/** Something other than JSON: a file, a page. */
export interface RawReply {
  readonly status: 200
  readonly raw: Uint8Array | string | Readable
  /** Its content type. */
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Server-sent events, for as long as the client listens. */
export interface LiveReply {
  readonly status: 200
  readonly live: LiveSource
}

export interface OperatorInput<Query = Record<string, never>, Body = Record<string, never>> {
  readonly operator: Operator
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The body as it was sent, where the route takes another type than JSON and that was sent; null otherwise. */
  readonly bytes: Uint8Array | null
  /** Aborted when the client goes away before it has its answer. */
  readonly hungUp: AbortSignal
}

export interface WorldInput<Query, Body> extends OperatorInput<Query, Body> {
  readonly world: Environment
}

/** One operation of the operator API: where it is, what it takes and what it does. */
export interface OperatorRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A segment in braces is a parameter; `{w}` is a world. */
  readonly path: `/v1${string}`
  /** What it does and answers, in a line of Markdown (docs/operator-api.md). */
  readonly summary: string
  readonly query?: Schema<unknown>
  readonly body?: Schema<unknown>
  readonly takes?: RawBody
  handle(input: OperatorInput<never, never>): OperatorReply | Promise<OperatorReply>
}

/** A body that is no JSON. Guarded types only: see `guard.ts`. */
export interface RawBody {
  readonly type: 'application/vnd.sqlite3' | 'text/csv'
  readonly limitBytes: number
}

interface Definition<Query, Body, Input> {
  summary: string
  query?: Schema<Query>
  body?: Schema<Body>
  /** A type of body that it takes instead of, or beside, JSON. */
  takes?: RawBody
  /** For a POST that only works something out: it is no act of an operator's. */
  changesNothing?: true
  /**
   * Of a world as it is: for what removes or only names it. Nothing that has fallen due is run first, and one that cannot be
   * used is no obstacle.
   */
  asItIs?: true
  handle(input: Input): OperatorReply | Promise<OperatorReply>
}

/** Ties a handler to its path and schemas, so that it sees their types. */
export function route<Query = Record<string, never>, Body = Record<string, never>>(
  method: OperatorRoute['method'],
  path: OperatorRoute['path'],
  definition: Definition<Query, Body, OperatorInput<Query, Body>>,
): OperatorRoute {
  return { method, path, ...definition } as OperatorRoute
}

/**
 * An operation on one world. It finds done whatever has fallen due there, as a partner's call does.
 *
 * @param path what follows `/v1/worlds/{w}`.
 * @example worldRoute('GET', '/clock', { summary: 'The clock.', handle: ({ world }) => ok(presentClock(world)) })
 */
export function worldRoute<Query = Record<string, never>, Body = Record<string, never>>(
  method: OperatorRoute['method'],
  path: `/${string}` | '',
  { handle, changesNothing, asItIs, ...schemas }: Definition<Query, Body, WorldInput<Query, Body>>,
): OperatorRoute {
  return route<Query, Body>(method, `/v1/worlds/{w}${path}`, {
    ...schemas,
    async handle(input) {
      if (!asItIs) await usable(worldOf(input)).scheduler.catchUp()
      const world = worldOf(input)
      const fromMs = world.clock.nowMs()
      const reply = await handle({ ...input, world })
      if (method !== 'GET' && !changesNothing) noteAct({ ...input, world }, `${method} ${path}`, fromMs)
      return reply
    },
  })
}

function usable(world: Environment): Environment {
  if (world.problem === null) return world
  throw new Problem(
    409,
    `the world ${world.name} cannot be used: ${world.problem}; restore a sound snapshot of it, reset it or delete it`,
  )
}

/** Only what was done is noted; a refusal has been thrown. */
function noteAct(
  { operator, world, params, body }: WorldInput<unknown, unknown>,
  operation: string,
  fromMs: number,
): void {
  const { w: _world, ...rest } = params
  const afterCall = world.log.position
  world.acts.add({
    atMs: operator.wall.nowMs(),
    fromMs,
    toMs: world.clock.nowMs(),
    afterCall,
    operation,
    params: rest,
    body,
  })
}

/** More names than these say nothing to a person. */
const MOST_NAMES = 8

/** The world that was meant, or those there are. */
function whichThereAre({ worlds }: Operator, wanted: string): string {
  const names = worlds.list().map(({ name }) => name)
  const meant = didYouMean(wanted, names)
  if (meant !== '') return meant
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return `; there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, MOST_NAMES).join(', ')}${rest}`
}

function worldOf({ operator, params }: Pick<OperatorInput, 'operator' | 'params'>): Environment {
  const name = params['w'] ?? ''
  const world = operator.worlds.find(name)
  if (!world) throw new Problem(404, `there is no world ${JSON.stringify(name)}${whichThereAre(operator, name)}`)
  return world
}

export function ok(body: unknown): OperatorReply {
  return { status: 200, body }
}

export function created(body: unknown): OperatorReply {
  return { status: 201, body }
}

export const DONE: OperatorReply = { status: 204 }
