import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
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
import { notCarriedOut, summaryOf } from '../engine/run-report.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import { requirementResults, runVerdictOf } from '../judge/verdict.ts'
import {
  byId,
  CHECK_VERDICTS,
  type CheckResult,
  CREATED_KINDS,
  NOT_RUN_REASONS,
  type Observation,
  REQUIREMENT_STATUSES,
  type RedactedExchange,
  type RequirementResult,
  RUN_VERDICTS,
  type RunOpening,
  type RunResult,
  type ScenarioResult,
} from '../result/result.ts'

const text: Schema<string> = { json: { type: 'string' } }
const count: Schema<number> = { json: { type: 'integer', minimum: 0 } }
/** Any JSON value, as a target gave it. */
const anything: Schema<unknown> = { json: {} }
/** A map from names to texts. */
const texts: Schema<Readonly<Record<string, string>>> = {
  json: { type: 'object', additionalProperties: text.json },
}
const header: Schema<readonly [string, string]> = {
  json: { type: 'array', minItems: 2, maxItems: 2, items: text.json },
}

function oneOf<Word extends string | number>(...words: readonly Word[]): Schema<Word> {
  return { json: { enum: words } }
}

/** Null comes first, because the message about a wrong value names the first alternative. */
function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  return either<Value | null>({ json: { type: 'null' } }, schema)
}

/** A number for each of some words. */
function countsOf<Word extends string>(words: readonly Word[]): Schema<Record<Word, number>> {
  return { json: object(Object.fromEntries(words.map((word) => [word, count]))).json }
}

type RowMembers<Row> = {
  readonly [Key in keyof Required<Row>]: Pick<Row, Key> extends Required<Pick<Row, Key>>
    ? Schema<Row[Key]>
    : OptionalSchema<Required<Row>[Key]>
}

/** An object with every member of a type and no others; their names are camelCase inside and snake_case on the line. */
function record<Row extends object>(members: RowMembers<Row>): Schema<Row> {
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
function renamed(value: unknown, schema: LineSchema, way: 'in' | 'out'): unknown {
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

/** What the log knows beside the run itself, so that every report can be made again as it was. */
export interface LogSurroundings {
  /** The command line that made the run, without `--only`, e.g. `partner-sandbox conform --target staging.yaml`. */
  invocation: string
  /** The target is gone after the run, and what was created there with it. */
  keepsNothing: boolean
  /** How a single call is signed on the reader's machine. */
  signing?: {
    /** How this program is called, e.g. `npx partner-sandbox`. */
    program: string
    /** Names of environment variables that hold secrets, by key id; that of a receiver has no key id. */
    secretEnv: Readonly<Record<string, string>>
  }
}

export function surroundingsOf({ invocation, keepsNothing, signing }: LogSurroundings): LogSurroundings {
  return { invocation, keepsNothing, ...(signing && { signing }) }
}

type RequirementRow = Pick<RequirementResult, 'id' | 'level' | 'text' | 'section' | 'unobservable'>
type RequirementState = Pick<RequirementResult, 'id' | 'status' | 'checks'>

interface RunLine extends Omit<RunOpening, 'requirements'>, LogSurroundings {
  format: typeof LOG_FORMAT
  requirements: RequirementRow[]
}

interface ScenarioLine extends ScenarioResult {
  /** Its verdict may still change; one of these is never the last line of a scenario in a whole log. */
  provisional: boolean
  /** What it saw of the open points. */
  observations: readonly Pick<Observation, 'gap' | 'value'>[]
  /** What the run has made since the scenario before it. */
  created: Readonly<RunResult['created']>
}

interface EndLine
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
  optional: optional(flag()),
  note: optional(text),
  todo: optional(text),
  twin: optional(text),
  known: optional(record<NonNullable<CheckResult['known']>>({ reason: text, until: text })),
})

const created = list(record<RunResult['created'][number]>({ kind: oneOf(...CREATED_KINDS), id: text }))

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
  signing: optional(record<NonNullable<LogSurroundings['signing']>>({ program: text, secretEnv: texts })),
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
    record<RunOpening['scenarios'][number]>({
      id: text,
      title: text,
      file: text,
      selected: flag(),
      checks: list(
        record<RunOpening['scenarios'][number]['checks'][number]>({
          step: text,
          requirement: text,
          optional: optional(flag()),
        }),
      ),
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
const LINES = { run, exchange, scenario, end } as const

type LineType = keyof typeof LINES
type LineOf<Type extends LineType> = TypeOf<(typeof LINES)[Type]>

/** One line, ending in a newline. Plain ASCII, so that no terminal, editor or cut in the middle makes more of it. */
export function lineOf<Type extends LineType>(type: Type, value: LineOf<Type>): string {
  const json = JSON.stringify(Object.assign({ type }, renamed(value, LINES[type].json, 'out')))
  return `${json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

/** Longer than any line that a run writes. */
const MAX_LINE_CHARACTERS = 8 * 1024 * 1024

/** Deeper than any answer has a use for, and far from what a stack holds. */
const MAX_DEPTH = 100

/** A message quotes the log, and a log is a file from outside. */
const MAX_MESSAGE_CHARACTERS = 300

/** A log cannot be used; the message says why in one line. */
export class UnusableLogError extends Error {
  override name = 'UnusableLogError'
  /** From 1. */
  readonly line: number

  constructor(line: number, message: string) {
    super(message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`)
    this.line = line
  }
}

type Line = { [Type in LineType]: { type: Type; at: number; value: LineOf<Type> } }[LineType]

/**
 * The lines of a log. A last one that was cut off in the middle is left out: that is what a killed run leaves.
 *
 * @throws UnusableLogError if another line is not one of a log.
 */
function readLines(text: string): Line[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const whole = lines.map((line, index) => readLine(line, index + 1))
  return fromJson(last) !== undefined ? [...whole, readLine(last, lines.length + 1)] : whole
}

function readLine(line: string, at: number): Line {
  if (line.length > MAX_LINE_CHARACTERS)
    throw new UnusableLogError(at, `a line of ${line.length} characters is too long for the log of a run`)
  const data = parsed(line, at)
  const { type, ...members } = data
  if (typeof type !== 'string' || !isLineType(type)) {
    const known = Object.keys(LINES).join(', ')
    throw new UnusableLogError(at, `the line is not part of a run's log: its type is not one of ${known}`)
  }
  const format = members['format']
  if (type === 'run' && format !== LOG_FORMAT)
    throw new UnusableLogError(at, `the log is of format ${JSON.stringify(format)}; this version reads ${LOG_FORMAT}`)
  const validate = validatorOf(type)
  if (!validate(members)) throw new UnusableLogError(at, `not a line of type ${type}: ${inWords(validate.errors?.[0])}`)
  return { type, at, value: renamed(members, LINES[type].json, 'in') } as Line
}

function parsed(line: string, at: number): Record<string, unknown> {
  const data = fromJson(line)
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new UnusableLogError(at, 'the line is not a JSON object, so this is not the log of a run')
  if (isDeeperThan(data, MAX_DEPTH))
    throw new UnusableLogError(at, `the line is nested deeper than ${MAX_DEPTH} levels`)
  return data as Record<string, unknown>
}

/** Undefined for what is not JSON, or too long to be a line. */
function fromJson(line: string): unknown {
  if (line.length > MAX_LINE_CHARACTERS) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}

function isLineType(type: string): type is LineType {
  return Object.hasOwn(LINES, type)
}

/** Made when first needed: it takes a while, and a run that only writes has no use for them. */
const validators = new Map<LineType, ValidateFunction>()

function validatorOf(type: LineType): ValidateFunction {
  const known = validators.get(type)
  if (known) return known
  const made = new Ajv({ strict: false }).compile(LINES[type].json)
  validators.set(type, made)
  return made
}

function inWords(error: ErrorObject | undefined): string {
  const { instancePath = '', message = 'it is wrong', params = {} } = error ?? {}
  const name = (params as { additionalProperty?: unknown }).additionalProperty
  return `${instancePath} ${message}${typeof name === 'string' ? ` (${name})` : ''}`.trim()
}

/**
 * The run that a log records; `complete` is true if it ended and said so. If the run was killed, what had not been reached counts as not run, and the verdict is worked
 * out from what there is; it is never conforming.
 *
 * @throws UnusableLogError if the text is not a log of a run.
 * @example const { result, complete } = readLog(readFileSync('run.ndjson', 'utf8'))
 */
export function readLog(text: string): { result: RunResult; complete: boolean; surroundings: LogSurroundings } {
  const [first, ...rest] = readLines(text)
  if (first?.type !== 'run') throw new UnusableLogError(1, 'a log of a run begins with a line of type run')
  const run = first.value
  refuseMisplaced(rest, run.scenarios)
  const end = rest.flatMap((line) => (line.type === 'end' ? line.value : []))[0] ?? null
  return { result: runOf(run, rest, end), complete: end !== null, surroundings: surroundingsOf(run) }
}

/** @throws UnusableLogError for a line that cannot stand where it does. */
function refuseMisplaced(lines: readonly Line[], outlines: Readonly<RunOpening['scenarios']>): void {
  const known = new Map(outlines.map((outline) => [outline.id, outline]))
  for (const [index, { at, type, value }] of lines.entries()) {
    if (lines[index - 1]?.type === 'end') throw new UnusableLogError(at, 'the log goes on after its line of type end')
    if (type === 'run') throw new UnusableLogError(at, 'another run begins here; a file holds one log')
    if (type !== 'scenario') continue
    const outline = known.get(value.id)
    if (!outline) throw new UnusableLogError(at, `the scenario "${value.id}" is not listed in the first line`)
    if (!value.provisional && value.checks.length !== outline.checks.length)
      throw new UnusableLogError(at, `"${value.id}" does not have the checks that the first line lists`)
  }
}

/**
 * What the lines of scenarios bear out: a log is a file from outside, so its last line is not asked for counts and verdicts. A run
 * without a last line was killed, and is never conforming.
 */
function runOf(run: RunLine, lines: readonly Line[], end: EndLine | null): RunResult {
  const { tool, target, identity, profile, plan, startedAt } = run
  // A later line about the same thing replaces the earlier.
  const exchanges = new Map(lines.flatMap((line) => (line.type === 'exchange' ? [[line.value.id, line.value]] : [])))
  const told = lines.flatMap((line) => (line.type === 'scenario' ? line.value : []))
  const latest = new Map(told.map((line) => [line.id, line]))
  const scenarios = run.scenarios.map((outline) => asFarAsItGot(outline, latest.get(outline.id))).sort(inOrderOf(end))
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registryOf(run.requirements), scenarios)
  const verdict = runVerdictOf(requirements, checks, profile)
  const { interrupted, durationMs, observations, created } = end ?? {
    interrupted: true,
    durationMs: spanMs(startedAt, [...exchanges.values()]),
    observations: told.flatMap(({ id, observations: seen }) => seen.map((one) => ({ ...one, scenario: id }))),
    created: told.flatMap((line) => line.created),
  }
  return {
    tool,
    target,
    identity,
    profile,
    plan,
    startedAt,
    interrupted,
    durationMs,
    observations,
    created,
    requirements,
    scenarios,
    exchanges: [...exchanges.values()],
    verdict: end === null && verdict === 'conforming' ? 'not_fully_verified' : verdict,
    summary: summaryOf(requirements, checks, profile, end?.summary.requests ?? exchanges.size),
  }
}

/** The order of the last line; without one, that of every list. */
function inOrderOf(end: EndLine | null): (a: ScenarioResult, b: ScenarioResult) => number {
  if (end === null) return byId
  const places = new Map(end.scenarios.map((id, at) => [id, at]))
  return (a, b) => (places.get(a.id) ?? places.size) - (places.get(b.id) ?? places.size)
}

/** What the latest line about a scenario says. Without a line it was left out, or not reached. */
function asFarAsItGot(
  { selected, ...outline }: RunOpening['scenarios'][number],
  line: ScenarioLine | undefined,
): ScenarioResult {
  if (line) {
    const { provisional: _, observations: __, created: ___, ...result } = line
    return result
  }
  return notCarriedOut(outline, { reason: selected ? 'interrupted' : 'filtered' })
}

/** The rows of a report, as the registry that they were read from; tolerated codes have been applied by then. */
export function registryOf(rows: RunLine['requirements']): RequirementRegistry {
  return {
    requirements: new Map(rows.map(({ id, level, text, section }) => [id, { id, level, text, section }])),
    conflicts: [],
    unobservable: new Map(
      rows.flatMap(({ id, unobservable }) => (unobservable === undefined ? [] : [[id, unobservable] as const])),
    ),
  }
}

/** From the start to the last that is known of it. */
function spanMs(startedAt: string, exchanges: readonly RedactedExchange[]): number {
  const ends = exchanges.map(({ sentAt, tookMs }) => Date.parse(sentAt) + tookMs - Date.parse(startedAt))
  return ends.filter((ms) => ms >= 0).reduce((longest, ms) => Math.max(longest, ms), 0)
}
