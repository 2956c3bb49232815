import { flag, list, number, optional, type TypeOf } from '../../contract/schema.ts'
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
import { anything, count, countsOf, header, nullable, oneOf, record, renamed, text, texts } from './line-schema.ts'

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

interface ScenarioLine extends ScenarioResult {
  /** Its verdict may still change; one of these is never the last line of a scenario in a whole log. */
  provisional: boolean
  /** What it saw of the open points. */
  observations: readonly Pick<Observation, 'gap' | 'value'>[]
  /** What the run has made since the scenario before it. */
  created: readonly CreatedThing[]
}

/** What the first line says of the run's outcome. */
export function openingOf({ tool, target, identity, profile, plan, startedAt }: RunLine) {
  return { tool, target, identity, profile, plan, startedAt }
}

/** A scenario's result without what its line says beside it. */
export function resultOf({ provisional: _, observations: __, created: ___, ...result }: ScenarioLine): ScenarioResult {
  return result
}

export interface EndLine
  extends Pick<RunResult, 'verdict' | 'interrupted' | 'durationMs' | 'summary' | 'observations' | 'created'> {
  requirements: RequirementState[]
  /** Ids of all scenarios, in the order of the reports. */
  scenarios: string[]
}

/** What the lines of a log say, the latest of each scenario and exchange. */
export interface LogContents {
  run: RunLine
  exchanges: Map<string, RedactedExchange>
  scenarios: Map<string, ScenarioLine>
  /** Of all lines, also of those that a later one has replaced. */
  seen: Pick<EndLine, 'observations' | 'created'>
  end: EndLine | null
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
