import type { EndpointId } from '../../../contract/endpoints.ts'
import type { Schema } from '../../../contract/schema.ts'
import type { Answer } from '../../http/exchange.ts'
import type { DocumentPath } from '../../yaml/read-yaml.ts'
import type { Found, RoleName } from '../roles.ts'
import type { Matcher, Template } from '../values.ts'
import type { Check } from './check.ts'

/**
 * One kind of expectation, whole: how it is written, which roles it names, how it is judged, and what reports say of it. The
 * schema, the linter, the judge and the reports read this row, and a row that lacks a part does not compile.
 */
export interface ExpectationKind<Wanted> {
  readonly schema: Schema<Wanted>
  /** The roles that it names, and where in it. */
  readonly roles: (wanted: Wanted) => readonly (readonly [path: DocumentPath, role: string])[]
  readonly judge: Judges<Wanted>
  /**
   * What is expected, in words for a report.
   *
   * @param about.counted what is counted, in the plural: `orders.items`, `deliveries`.
   * @param about.of the same with the article that a plain word takes: `orders.items`, `the deliveries`.
   */
  readonly words: (
    wanted: Wanted,
    about: Beside & { readonly counted: string; readonly of: string },
  ) => readonly string[]
  /** Whether one that holds shows that the values it names are where the runner looked for them; or the matchers that show it. */
  readonly compares: boolean | ((wanted: Wanted) => Readonly<Record<string, Matcher>>)
}

/** How each subject is judged; what is left out of these cannot be expected of it. */
type Judges<Wanted> = OfOutcomes<Wanted> | OfContents<Wanted>

/** Whether a call or a page came to what it should: judged first, and by one of these only. */
interface OfOutcomes<Wanted> {
  readonly outcome: {
    readonly answer: (seen: AnswerSeen, wanted: Wanted, beside: Beside) => Check
    readonly page?: (seen: PageSeen, wanted: Wanted) => Check
  }
}

interface JudgesOfContents<Wanted> {
  readonly run: (seen: RunSeen, wanted: Wanted) => Check | null
  readonly answer: (seen: AnswerSeen, wanted: Wanted) => Check | null
  readonly page: (seen: PageSeen, wanted: Wanted, beside: Beside) => Check | null
  readonly things: (seen: ThingsSeen, wanted: Wanted, beside: Beside) => Check | null
}

type OfContents<Wanted> = Partial<JudgesOfContents<Wanted>> &
  (
    | Pick<JudgesOfContents<Wanted>, 'answer'>
    | Pick<JudgesOfContents<Wanted>, 'things'>
    | Pick<JudgesOfContents<Wanted>, 'run'>
  )

/** What else an expectation says, where that changes the meaning of a key of it. */
export interface Beside {
  readonly status?: number | readonly number[]
  readonly tolerate?: readonly string[]
  readonly shows?: string | readonly string[]
  readonly count?: Matcher
  readonly distinct?: string
}

/** An answer, or an item of one, with the operation it came from: what roles are looked up in. */
export type Item = Pick<Answer, 'json' | 'op'> & Partial<Answer>

/** What a judge may ask of the scenario: judges are pure functions of what was seen. */
export interface Seen {
  /** Fills in `${...}`. @throws Open if a value cannot be had. */
  fill(template: Template, item?: Item): unknown
  /** Fills in what an answer must not contain. */
  fillForbidden(template: Template): unknown
  /** A role of an answer or an item. */
  find(role: string, item: Item): Found
}

/** One exchange of a call. */
export interface AnswerSeen extends Seen {
  readonly answer: Answer
  /** The answer in one line: status, code and message. */
  readonly words: string
  /** What the path of the call ended in. */
  readonly asked: string
  readonly credential: { readonly keyId: string; readonly secret: string }
  /** The target's rate limit, which nothing here asks about, took the answer away. */
  readonly isKeptFrom: boolean
  /** It was refused for its content: a target that checks signatures first has accepted its signature. */
  isPlainRefusal(): boolean
  /** Why another sentence of the document allows a code where one of these is shown. */
  conflict(requirements: readonly string[], code: string): string | undefined
  /** Refusals of the run so far, with the ids of their exchanges. */
  refusalsOfRun(): readonly Recorded[]
  /** Accepted calls of the run so far that make something. */
  writesOfRun(): readonly Recorded[]
  /** Ids of the exchanges of the run so far in which the target has shown a secret. */
  readonly leaksOfRun: readonly string[]
  /** The exchange of an earlier step. @throws Open if it got no answer. */
  earlier(step: string): AnswerSeen
}

/** All calls of the run so far. */
export interface RunSeen extends Seen {
  readonly facts: RunFacts
}

/** The calls of a run, and what rules ask of them. */
export interface RunFacts {
  /** In the order in which they were answered. */
  readonly calls: readonly RunCall[]
  /** Looks a role up; the verdict does not rest on where it was found. */
  find(role: RoleName, item: Item): Found
  /** Accepted calls of these operations, as far as their answers were kept. */
  accepted(ops: readonly string[]): readonly { readonly call: RunCall; readonly answer: Answer }[]
  /** Those whose answers there was no memory for. */
  leftOut(ops: readonly string[]): readonly RunCall[]
  /** What the run has made, by its key: as the first accepted answer to its making says. */
  readonly made: ReadonlyMap<string, MadeThing>
  /** When the run began, by the clock of the target, in Unix milliseconds; not a number where that is not known. */
  readonly beganAtMs: number
  /** The entries of a list in all answers of an operation; the answers themselves where it has none. */
  rows(op: EndpointId, list: RoleName | null): readonly { readonly call: RunCall; readonly item: Item }[]
  /** What a call has sent as JSON. */
  bodyOf(call: RunCall): unknown
  /** A field of the body, a parameter (`?domain`), or the end of the path (`/`). */
  sent(call: RunCall, from: string): unknown
}

/** A thing that the run has made. */
export interface MadeThing {
  readonly op: EndpointId
  readonly id: string
  readonly call: RunCall
  readonly answer: Answer
}

/** What a call of the run came to. */
interface Recorded {
  readonly answer: Answer
  readonly exchange: string
}

/** A call of the run, and what it came to. */
export interface RunCall {
  readonly op: EndpointId | null
  readonly method: string
  readonly exchange: string
  /** The world in which it was made: a word for each copy. */
  readonly world: string
  /** Partner and environment of the caller. */
  readonly realm: string
  /** Nothing was wrong with it on purpose. */
  readonly isValid: boolean
  /** Path and query, as they were sent. */
  readonly target: string
  readonly body: string
  readonly answer: Answer | null
  readonly sentAtMs: number
  readonly answeredAtMs: number
  readonly recordsAtMs: number
}

/** A page that was opened. */
export interface PageSeen extends Seen {
  readonly answer: Answer
  readonly words: string
  /** It opens, or sends the reader on to somewhere else. */
  readonly isOpen: boolean
  /** Whether it is refused: a 4xx, or a page with nothing on it to buy with. */
  refusal(): Check
  facts(wanted: Record<string, Matcher>, isPremise: boolean): Check | null
}

/** A list of things: items of an answer, events, deliveries, answers of calls that were made at once. */
export interface ThingsSeen extends Seen {
  readonly name: string
  readonly size: number
  /** How many more there were before this scenario, which are left out. */
  readonly earlier?: number
  /** The value of a role or path of one; a complaint where it cannot be had. */
  value(index: number, name: string): { value: unknown } | { complaint: Check }
  /** The value of a role that only says how to read the others; the verdict does not rest on where it was found. */
  hint?(index: number, name: string): unknown
  judge(index: number, matchers: Record<string, Matcher>): Check | null
  /** All that is seen of one, headers included. */
  text(index: number): string
  /**
   * The orders that the run has recorded with the credential of this call; for events, with main.
   *
   * @param step only those in the list that this earlier step has read. @throws Open if it has read none.
   */
  ordersOfRun?(step: string | undefined): readonly RecordedOrder[]
  /** Those of other partners. */
  ordersOfOthers?(): readonly RecordedOrder[]
  /** What the run has made by an operation, with the credential of this call. */
  madeInRun?(by: EndpointId): readonly Recorded[]
}

interface RecordedOrder {
  /** The answer to its recording. */
  readonly answer: Item
  /** The id of that exchange. */
  readonly exchange: string
  /** The order as a list shows it now; where none was asked for, the answer. */
  readonly row: Item
}

/** The value of a role or path of each of them; the first complaint where one cannot be had. */
export function valuesOf(
  things: Pick<ThingsSeen, 'size' | 'value'>,
  name: string,
): { values: unknown[] } | { complaint: Check } {
  const values: unknown[] = []
  for (let index = 0; index < things.size; index++) {
    const found = things.value(index, name)
    if ('complaint' in found) return found
    values.push(found.value)
  }
  return { values }
}

/** What goes with each of them, by the currency that it says it is in. */
export function byCurrency<Value>(
  things: Pick<ThingsSeen, 'hint'>,
  currency: RoleName,
  values: readonly Value[],
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const [index, value] of values.entries()) {
    const key = String(things.hint?.(index, currency) ?? '')
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/** For kinds that name no role. */
export const noRoles = (): readonly [] => []

/** For kinds whose keys are roles. */
export function keysAsRoles(wanted: Record<string, Matcher>): [path: DocumentPath, role: string][] {
  return Object.keys(wanted).map((role) => [[role], role])
}
