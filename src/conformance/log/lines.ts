import {
  either,
  flag,
  list,
  number,
  type OptionalSchema,
  object,
  optional,
  type Schema,
  type TypeOf,
} from '../../contract/schema.ts'
import {
  CHECK_VERDICTS,
  type CheckResult,
  CREATED_KINDS,
  type CreatedThing,
  NOT_RUN_REASONS,
  type Observation,
  REQUIREMENT_STATUSES,
  type RedactedExchange,
  type RequirementResult,
  RUN_VERDICTS,
  type RunOpening,
  type RunResult,
  type ScenarioOutline,
  type ScenarioResult,
} from '../result/result.ts'

export const text: Schema<string> = { json: { type: 'string' } }
export const count: Schema<number> = { json: { type: 'integer', minimum: 0 } }
/** Any JSON value, as a target gave it. */
export const anything: Schema<unknown> = { json: {} }
/** A map from names to texts. */
const texts: Schema<Readonly<Record<string, string>>> = {
  json: { type: 'object', additionalProperties: text.json },
}
const header: Schema<readonly [string, string]> = {
  json: { type: 'array', minItems: 2, maxItems: 2, items: text.json },
}

export function oneOf<Word extends string | number>(...words: readonly Word[]): Schema<Word> {
  return { json: { enum: words } }
}

/** Null comes first, because the message about a wrong value names the first alternative. */
export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  return either<Value | null>({ json: { type: 'null' } }, schema)
}

/** A number for each of some words. */
export function countsOf<Word extends string>(words: readonly Word[]): Schema<Record<Word, number>> {
  return { json: object(Object.fromEntries(words.map((word) => [word, count]))).json }
}

type Members<Row> = {
  readonly [Key in keyof Required<Row>]: Pick<Row, Key> extends Required<Pick<Row, Key>>
    ? Schema<Row[Key]>
    : OptionalSchema<Required<Row>[Key]>
}

/** An object with every member of a type and no others; their names are camelCase inside and snake_case on the line. */
export function record<Row extends object>(members: Members<Row>): Schema<Row> {
  const rows = Object.entries<Schema<unknown>>(members)
  const { json } = object(Object.fromEntries(rows.map(([name, schema]) => [onTheLine(name), schema])))
  return { json: { ...json, names: rows.map(([name]) => name) } }
}

interface LineSchema {
  items?: LineSchema
  properties?: Readonly<Record<string, LineSchema>>
  /** Of the members of a record, as they are inside. */
  names?: readonly string[]
}

/** A value as it stands on the line, or back from there. What no record names is left out. */
export function renamed(value: unknown, schema: LineSchema, way: 'in' | 'out'): unknown {
  const { items, properties = {}, names } = schema
  if (items && Array.isArray(value)) return value.map((item) => renamed(item, items, way))
  if (names === undefined) return value
  const from = new Map(Object.entries(value ?? {}))
  const to: Record<string, unknown> = {}
  for (const name of names) {
    const wireName = onTheLine(name)
    const found = from.get(way === 'out' ? name : wireName)
    if (found !== undefined) to[way === 'out' ? wireName : name] = renamed(found, properties[wireName] ?? {}, way)
  }
  return to
}

function onTheLine(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * The lines of a run's log. The first is a `run` and the last an `end`; between them an `exchange` for each call and a
 * `scenario` for each that is over, as it happens. A later line about the same scenario or exchange replaces the earlier.
 */

/** Raised each time a line changes its form: a reader takes its own number and no other. */
export const LOG_FORMAT = 3

/** How the reader's machine signs a call. */
export interface Signing {
  /** How this program is called, e.g. `npx partner-sandbox`. */
  program: string
  /** Names of environment variables that hold secrets, by key id; that of a receiver has no key id. */
  secretEnv: Readonly<Record<string, string>>
}

/** What the log knows beside the run itself, so that every report can be made again as it was. */
export interface LogSurroundings {
  /** The command line that made the run, without `--only`, e.g. `partner-sandbox conform --target staging.yaml`. */
  invocation: string
  /** The target is gone after the run, and what was created there with it. */
  keepsNothing: boolean
  /** How a single call is signed on the reader's machine. */
  signing?: Signing
}

export function surroundingsOf({ invocation, keepsNothing, signing }: LogSurroundings): LogSurroundings {
  return { invocation, keepsNothing, ...(signing && { signing }) }
}

type RequirementRow = Pick<RequirementResult, 'id' | 'level' | 'text' | 'section' | 'unobservable'>
type RequirementState = Pick<RequirementResult, 'id' | 'status' | 'checks'>

export interface RunLine extends Omit<RunOpening, 'requirements'>, LogSurroundings {
  format: typeof LOG_FORMAT
  requirements: RequirementRow[]
}

export interface ScenarioLine extends ScenarioResult {
  /** Its verdict may still change; one of these is never the last line of a scenario in a whole log. */
  provisional: boolean
  /** What it saw of the open points. */
  observations: readonly Pick<Observation, 'gap' | 'value'>[]
  /** What the run has made since the scenario before it. */
  created: readonly CreatedThing[]
}

export interface EndLine
  extends Pick<RunResult, 'verdict' | 'interrupted' | 'durationMs' | 'summary' | 'observations' | 'created'> {
  requirements: RequirementState[]
  /** Ids of all scenarios, in the order of the reports. */
  scenarios: string[]
}

const check = record<CheckResult>({
  step: text,
  requirement: text,
  verdict: oneOf(...CHECK_VERDICTS),
  expected: text,
  actual: text,
  exchange: nullable(text),
  reason: optional(oneOf(...NOT_RUN_REASONS)),
  note: optional(text),
  todo: optional(text),
  twin: optional(text),
  known: optional(record<NonNullable<CheckResult['known']>>({ reason: text, until: text })),
})

const created = list(record<CreatedThing>({ kind: oneOf(...CREATED_KINDS), id: text }))

const run = record<RunLine>({
  format: oneOf(LOG_FORMAT),
  tool: record<RunResult['tool']>({ name: text, version: text }),
  target: record<RunResult['target']>({ url: text, environment: text }),
  identity: record<RunResult['identity']>({ runId: text, edition: text, scenarios: text, target: text }),
  profile: record<RunResult['profile']>({ name: text, requirements: list(text) }),
  startedAt: text,
  plan: record<RunResult['plan']>({
    scenarios: count,
    orders: count,
    quotes: count,
    webhooks: count,
    budget: record<RunResult['plan']['budget']>({
      requests: nullable(count),
      orders: nullable(count),
      quotes: nullable(count),
    }),
    longestWaitMs: number(),
    questions: count,
  }),
  invocation: text,
  keepsNothing: flag(),
  signing: optional(record<Signing>({ program: text, secretEnv: texts })),
  requirements: list(
    record<RequirementRow>({
      id: text,
      level: oneOf('must', 'open'),
      text,
      section: text,
      unobservable: optional(text),
    }),
  ),
  scenarios: list(
    record<ScenarioOutline>({
      id: text,
      title: text,
      file: text,
      selected: flag(),
      checks: list(record<ScenarioOutline['checks'][number]>({ step: text, requirement: text })),
    }),
  ),
})

const exchange = record<RedactedExchange>({
  id: text,
  scenario: text,
  sentAt: text,
  method: text,
  target: text,
  requestHeaders: list(header),
  requestBody: text,
  canonicalString: nullable(text),
  status: nullable(number()),
  responseHeaders: list(header),
  responseBody: text,
  broken: nullable(text),
  tookMs: number(),
  origin: optional(text),
  speaker: optional(oneOf('target')),
  oddity: optional(text),
})

const scenario = record<ScenarioLine>({
  id: text,
  title: text,
  file: text,
  verdict: oneOf(...CHECK_VERDICTS),
  durationMs: number(),
  checks: list(check),
  provisional: flag(),
  observations: list(record<ScenarioLine['observations'][number]>({ gap: text, value: optional(anything) })),
  created,
})

const end = record<EndLine>({
  verdict: oneOf(...RUN_VERDICTS),
  interrupted: flag(),
  durationMs: number(),
  summary: record<RunResult['summary']>({
    checks: countsOf(CHECK_VERDICTS),
    requirements: countsOf(REQUIREMENT_STATUSES),
    requests: count,
  }),
  requirements: list(record<RequirementState>({ id: text, status: oneOf(...REQUIREMENT_STATUSES), checks: count })),
  scenarios: list(text),
  observations: list(record<Observation>({ gap: text, value: optional(anything), scenario: text })),
  created,
})

/** Every type of line there is. */
export const LINES = { run, exchange, scenario, end } as const

export type LineType = keyof typeof LINES
export type LineOf<Type extends LineType> = TypeOf<(typeof LINES)[Type]>

/** One line, ending in a newline. Plain ASCII, so that no terminal, editor or cut in the middle makes more of it. */
export function lineOf<Type extends LineType>(type: Type, value: LineOf<Type>): string {
  const json = JSON.stringify(Object.assign({ type }, renamed(value, LINES[type].json, 'out')))
  return `${json.replaceAll(/[\u007f-\uffff]/g, asEscape)}\n`
}

function asEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
