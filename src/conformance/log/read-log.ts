import { summaryOf } from '../engine/run-report.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import { requirementResults, runVerdictOf } from '../judge/verdict.ts'
import { byId, type RunResult, type ScenarioOutline, type ScenarioResult } from '../result/result.ts'
import {
  type EndLine,
  type LogContents,
  type LogSurroundings,
  openingOf,
  type RunLine,
  resultOf,
  surroundingsOf,
} from './lines.ts'
import { type Line, readLines, UnusableLogError } from './read-lines.ts'

/** A run as its log records it. */
export interface RunLog {
  result: RunResult
  /** The run ended and said so. */
  complete: boolean
  surroundings: LogSurroundings
}

/**
 * The run that a log records. If the run was killed, what had not been reached counts as not run, and the verdict is worked
 * out from what there is; it is never conforming.
 *
 * @throws UnusableLogError if the text is not a log of a run.
 * @example const { result, complete } = readLog(readFileSync('run.ndjson', 'utf8'))
 */
export function readLog(text: string): RunLog {
  const contents = contentsOf(readLines(text))
  return { result: runOf(contents), complete: contents.end !== null, surroundings: surroundingsOf(contents.run) }
}

function contentsOf([first, ...rest]: readonly Line[]): LogContents {
  if (first?.type !== 'run') throw new UnusableLogError(1, 'a log of a run begins with a line of type run')
  const contents: LogContents = {
    run: first.value,
    exchanges: new Map(),
    scenarios: new Map(),
    seen: { observations: [], created: [] },
    end: null,
  }
  const known = new Map(first.value.scenarios.map((outline) => [outline.id, outline]))
  for (const line of rest) {
    if (contents.end !== null) throw new UnusableLogError(line.at, 'the log goes on after its line of type end')
    take(contents, line, known)
  }
  return contents
}

function take(contents: LogContents, line: Line, known: ReadonlyMap<string, ScenarioOutline>): void {
  if (line.type === 'run') throw new UnusableLogError(line.at, 'another run begins here; a file holds one log')
  if (line.type === 'exchange') contents.exchanges.set(line.value.id, line.value)
  else if (line.type === 'scenario') takeScenario(contents, line, known)
  else contents.end = line.value
}

function takeScenario(
  { scenarios, seen }: LogContents,
  { at, value }: Line & { type: 'scenario' },
  known: ReadonlyMap<string, ScenarioOutline>,
): void {
  const outline = known.get(value.id)
  if (!outline) throw new UnusableLogError(at, `the scenario "${value.id}" is not listed in the first line`)
  if (!value.provisional && value.checks.length !== outline.checks.length)
    throw new UnusableLogError(at, `"${value.id}" does not have the checks that the first line lists`)
  seen.observations.push(...value.observations.map((observation) => ({ ...observation, scenario: value.id })))
  seen.created.push(...value.created)
  scenarios.set(value.id, value)
}

/**
 * What the lines of scenarios bear out: a log is a file from outside, so its last line is not asked for counts and verdicts. A run
 * without a last line was killed, and is never conforming.
 */
function runOf(contents: LogContents): RunResult {
  const { run, exchanges, end, seen } = contents
  const scenarios = run.scenarios.map((outline) => asFarAsItGot(outline, contents)).sort(inOrderOf(end))
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registryOf(run.requirements), scenarios)
  const verdict = runVerdictOf(requirements, checks, run.profile)
  const { interrupted, durationMs, observations, created } = end ?? {
    ...{ interrupted: true, durationMs: spanMs(contents), ...seen },
  }
  return {
    ...openingOf(run),
    ...{ interrupted, durationMs, observations, created, requirements, scenarios },
    verdict: end === null && verdict === 'conforming' ? 'not_fully_verified' : verdict,
    summary: summaryOf(requirements, checks, run.profile, end?.summary.requests ?? exchanges.size),
    exchanges: [...exchanges.values()],
  }
}

/** The order of the last line; without one, that of every list. */
function inOrderOf(end: EndLine | null): (a: ScenarioResult, b: ScenarioResult) => number {
  if (end === null) return byId
  const places = new Map(end.scenarios.map((id, at) => [id, at]))
  return (a, b) => (places.get(a.id) ?? places.size) - (places.get(b.id) ?? places.size)
}

/** A scenario without a line was left out or not reached. */
function asFarAsItGot(
  { id, title, file, selected, checks }: ScenarioOutline,
  { scenarios }: LogContents,
): ScenarioResult {
  const line = scenarios.get(id)
  if (line) return resultOf(line)
  const reason = selected ? 'interrupted' : 'filtered'
  const undone = { verdict: 'not_run', expected: title, actual: 'not carried out', exchange: null, reason } as const
  return {
    ...{ id, title, file, verdict: 'not_run', durationMs: 0 },
    checks: checks.map((check) => ({ ...check, ...undone })),
  }
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
function spanMs({ run, exchanges }: LogContents): number {
  const startedAtMs = Date.parse(run.startedAt)
  const ends = [...exchanges.values()].map(({ sentAt, tookMs }) => Date.parse(sentAt) + tookMs - startedAtMs)
  return ends.filter((ms) => ms >= 0).reduce((longest, ms) => Math.max(longest, ms), 0)
}
