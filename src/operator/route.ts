import type { Readable } from 'node:stream'
import type { WallClock } from '../clock/wall-clock.ts'
import type { GapChoices } from '../contract/choices.ts'
import { didYouMean } from '../contract/words.ts'
import type { Operation } from '../operator-api/operation.ts'
import type { AnswerOf, BodyOf, OPERATIONS, OperationId, ParamsOf, QueryOf } from '../operator-api/operations.ts'
import type { Environment } from '../sandbox/app/environment.ts'
import type { Page } from '../sandbox/kernel/paging.ts'
import type { WorldSettings } from '../sandbox/kernel/settings.ts'
import { nextCursor } from '../sandbox/wire/list-query.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { LiveSource } from './live.ts'
import { problem } from './problems.ts'
import type { ProxyFacts } from './proxy-operations.ts'

/** What the operator API works on; the same for all its routes. */
export interface Operator {
  readonly worlds: Worlds
  readonly wall: WallClock
  /** Address of the partner API. */
  readonly apiUrl: () => string
  readonly version: string
  /** When this operator API began to serve. */
  readonly startedAtMs: number
  /** Set if this is a proxy in front of another server. */
  readonly proxy?: ProxyFacts
  /** A command of this program, for this sandbox. */
  readonly command: (words: string) => string
  /** What a new world gets where its maker says nothing. */
  readonly newWorldDefaults: {
    seed: string
    inventory: number
    rateLimit: WorldSettings['rateLimit']
    gaps: Partial<GapChoices>
  }
}

export type OperatorReply<Answer = unknown> = JsonReply<Answer> | RawReply | LiveReply

interface JsonReply<Answer> {
  readonly status: 200 | 201 | 204
  /** Written as JSON; left out for 204. */
  readonly body: Answer
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

export interface OperatorInput<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown> {
  readonly operator: Operator
  /** Path parameters, percent-decoded. */
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The body as it was sent, if the operation takes another type than JSON and that was sent; null otherwise. */
  readonly bytes: Uint8Array | null
  /** Aborted when the client goes away before it has its answer. */
  readonly hungUp: AbortSignal
}

type HandlerInput<Id extends OperationId> = OperatorInput<ParamsOf<Id>, QueryOf<Id>, BodyOf<Id>> &
  ((typeof OPERATIONS)[Id]['path'] extends `/v1/worlds/{w}${string}` ? { readonly world: Environment } : unknown)

/** What does the operations of a resource: its row says what comes in and what goes out. */
export type HandlersOf<Resource extends string> = {
  readonly [Id in Extract<OperationId, `${Resource}.${string}`>]: (
    input: HandlerInput<Id>,
  ) => OperatorReply<AnswerOf<Id>> | Promise<OperatorReply<AnswerOf<Id>>>
}

/** A handler as any other. */
export type Handler = (input: OperatorInput & { world?: Environment }) => OperatorReply | Promise<OperatorReply>

const WORLD = '/v1/worlds/{w}'

/** Does an operation. An operation on a world first runs the tasks that are due there, as a partner's call does. */
export async function serve(
  { method, path, asItIs, changesNothing }: Operation,
  handler: Handler,
  input: OperatorInput,
): Promise<OperatorReply> {
  if (!path.startsWith(WORLD)) return handler(input)
  if (!asItIs) await worldOf(input).scheduler.catchUp()
  const world = worldOf(input)
  const fromMs = world.clock.nowMs()
  const reply = await handler({ ...input, world })
  if (method === 'GET' || changesNothing) return reply
  // Only what was done is noted; a refusal has been thrown.
  const { w: _world, ...params } = input.params
  const act = world.acts.add({
    atMs: input.operator.wall.nowMs(),
    fromMs,
    toMs: world.clock.nowMs(),
    afterCall: world.log.position,
    operation: `${method} ${path.slice(WORLD.length)}`,
    params,
    body: input.body,
  })
  world.feed.publish({ kind: 'act', act })
  return reply
}

/** More names than these say nothing to a person. */
const MOST_NAMES = 8

function whichThereAre({ worlds }: Operator, wanted: string): string {
  const names = worlds.list().map(({ name }) => name)
  const meant = didYouMean(wanted, names)
  if (meant !== '') return meant
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return `; there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, MOST_NAMES).join(', ')}${rest}`
}

function worldOf({ operator, params }: OperatorInput): Environment {
  const name = params['w'] ?? ''
  const world = operator.worlds.find(name)
  if (world) return world
  const why = operator.worlds.whyUnusable(name)
  if (why !== null) throw problem('unusable-world', { name, why })
  throw problem('no-world', { name: JSON.stringify(name), hint: whichThereAre(operator, name) })
}

export function ok<Answer>(body: Answer): JsonReply<Answer> {
  return { status: 200, body }
}

/** A page of a list: its rows under their name, and where to read on. */
export function okPage<Name extends string, Row, Shown>(
  name: Name,
  page: Page<Row>,
  present: (row: Row) => Shown,
  idOf: (row: Row) => string,
) {
  const shown = { [name]: page.rows.map((row) => present(row)) } as { [Key in Name]: Shown[] }
  return ok({ ...shown, next_cursor: nextCursor(page, idOf) })
}

export function created<Answer>(body: Answer): JsonReply<Answer> {
  return { status: 201, body }
}

export const DONE: JsonReply<void> = { status: 204, body: undefined }
