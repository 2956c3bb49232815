import { LIMITS } from '../contract/limits.ts'
import { integer, optional, type Schema, text } from '../contract/schema.ts'
import type { CommandRow } from './command-row.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * One operation of the operator API: where it is, what it takes, what it answers, and the commands that ask for it. The route
 * (src/operator/routes has the handler), its documentation, the command, the client and the library's method follow from it.
 */
export interface Operation<Path extends string = string, Query = unknown, Body = unknown, Answer = unknown> {
  readonly method: Method
  /** A segment in braces is a parameter; `{w}` is a world. */
  readonly path: Path
  /** What it does and answers, in a line of Markdown (docs/operator-api.md). */
  readonly summary: string
  readonly query?: Schema<Query>
  readonly body?: Schema<Body>
  /** A type of body that it takes instead of, or beside, JSON. */
  readonly takes?: RawBody
  /** For a POST that only works something out: it is not an act of an operator's. */
  readonly changesNothing?: true
  /** Of a world as it is: for what removes or only names it. Nothing that has fallen due is run first. */
  readonly asItIs?: true
  readonly returns?: Returns<Answer>
  /** The type of an answer that is not JSON, instead of JSON or beside it. */
  readonly gives?: 'application/vnd.sqlite3' | 'text/event-stream' | 'text/html'
  readonly commands: readonly CommandRow<NoInfer<Query & Body>, NoInfer<Answer>>[]
}

/** A body that is not JSON. The guard (src/operator/guard.ts) lets only these types in. */
export interface RawBody {
  readonly type: 'application/vnd.sqlite3' | 'text/csv'
  readonly limitBytes: number
}

/** The type of a JSON answer; nothing at run time. */
export interface Returns<Answer> {
  /** Never set; carries the type. */
  readonly type?: Answer
}

export function returns<Answer>(): Returns<Answer> {
  return {}
}

/** What a row says beside its verb and path: of commands the only one, or a list. */
interface Said<Query, Body, Answer>
  extends Omit<Operation<string, Query, Body, Answer>, 'method' | 'path' | 'commands'> {
  readonly command?: OneOrMore<CommandRow<NoInfer<Query & Body>, NoInfer<Answer>>>
}

type OneOrMore<Item> = Item | readonly Item[]

function rowsOf(method: Method) {
  return <const Path extends `/v1${string}`, Query = Record<never, never>, Body = Record<never, never>, Answer = void>(
    path: Path,
    { command = [], ...row }: Said<Query, Body, Answer>,
  ): Operation<Path, Query, Body, Answer> => ({ method, path, ...row, commands: [command].flat() })
}

/** A row of this verb. @example get('/v1/magic', { summary: '…', returns: returns<MagicList>() }) */
export const get = rowsOf('GET')
export const post = rowsOf('POST')
export const put = rowsOf('PUT')
export const patch = rowsOf('PATCH')
export const del = rowsOf('DELETE')

/** A page of a list: its rows under their name, and where to read on; null at the end. */
export type Page<Name extends string, Row> = { [Key in Name]: Row[] } & { next_cursor: string | null }

/** The parameters of a list that is read page by page. */
export const paging = {
  cursor: optional(text({ maxLength: 64 })),
  limit: optional(integer({ minimum: LIMITS.listPage.min, maximum: LIMITS.listPage.max })),
}

export const pageFlags = {
  limit: ['--limit <n>', 'number of rows'],
  cursor: ['--cursor <id>', 'continue after this row (from the page before)'],
} as const

/** The usual filter of a list over all partners. */
export const partnerFilter = { partner_id: optional(text({ maxLength: 64 })) }
export const domainFilter = { domain: optional(text({ format: 'domain', maxLength: 255 })) }

export const instant = optional(text({ format: 'instant', maxLength: 40 }))

/** Why a step was taken; it goes into the timeline. */
export const reason = optional(text({ format: 'plain', minLength: 1, maxLength: 500 }))
