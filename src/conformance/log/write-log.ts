import type { Progress } from '../engine/run-options.ts'
import type { RedactedExchange, RunOpening, RunResult, ScenarioOutline, ScenarioResult } from '../result/result.ts'
import { LOG_FORMAT, type LogSurroundings, lineOf } from './lines.ts'

/** Writes a log while its run goes. */
export interface LogWriter {
  show(progress: Progress): void
  /** Adds what only the end of the run has settled. */
  end(result: RunResult): void
}

/** The log of a run that is over. `readLog` makes the same run of it again. */
export function logOf(result: RunResult, surroundings: LogSurroundings): string {
  let text = ''
  const append = (more: string): void => {
    text += more
  }
  followRun(append, surroundings).end(result)
  return text
}

/**
 * Writes each line as soon as it is known, so that the log of a run that was killed can be read as far as it goes.
 *
 * @example const log = followRun((text) => appendFileSync('run.ndjson', text), { invocation, keepsNothing: false })
 */
export function followRun(write: (text: string) => void, surroundings: LogSurroundings): LogWriter {
  const written: Written = { opened: false, exchanges: new Map(), scenarios: new Map(), created: 0 }
  return {
    show: (progress) => write(linesOf(progress, written, surroundings)),
    end: (result) => write(lastLines(result, written, surroundings)),
  }
}

/** What is in the log so far. */
interface Written {
  opened: boolean
  /** The latest line of each, by id. */
  exchanges: Map<string, string>
  /** What its latest line says of a scenario, by id. */
  scenarios: Map<string, string>
  created: number
}

function linesOf(progress: Progress, written: Written, surroundings: LogSurroundings): string {
  if (progress.kind === 'planned') return openingLine(progress, written, surroundings)
  if (progress.kind === 'exchange') return exchangeLine(progress.exchange, written)
  if (progress.kind !== 'scenario-finished') return ''
  const { result, provisional, observations } = progress
  const created = progress.created.slice(written.created)
  written.created = progress.created.length
  if (!provisional) written.scenarios.set(result.id, JSON.stringify(result))
  return lineOf('scenario', { ...result, provisional, observations: observations.map(withoutScenario), created })
}

function withoutScenario({ gap, value }: { gap: string; value: unknown }): { gap: string; value: unknown } {
  return { gap, value }
}

function openingLine(opening: RunOpening, written: Written, surroundings: LogSurroundings): string {
  written.opened = true
  const { tool, target, identity, profile, startedAt, plan, scenarios } = opening
  const requirements = opening.requirements.map(({ status: _, checks: __, ...row }) => row)
  return lineOf('run', {
    ...{ format: LOG_FORMAT, tool, target, identity, profile, startedAt, plan },
    ...surroundings,
    ...{ requirements, scenarios },
  })
}

/** Nothing where the log has this very line already. */
function exchangeLine(exchange: RedactedExchange, written: Written): string {
  const line = lineOf('exchange', exchange)
  if (written.exchanges.get(exchange.id) === line) return ''
  written.exchanges.set(exchange.id, line)
  return line
}

function lastLines(result: RunResult, written: Written, surroundings: LogSurroundings): string {
  return [
    written.opened ? '' : openingLine(openingOf(result), written, surroundings),
    ...result.exchanges.map((exchange) => exchangeLine(exchange, written)),
    ...result.scenarios.filter((scenario) => isNew(scenario, written)).map(settledLine),
    endLine(result),
  ].join('')
}

function isNew(scenario: ScenarioResult, written: Written): boolean {
  return written.scenarios.get(scenario.id) !== JSON.stringify(scenario)
}

/** What it saw and made is on its earlier line, and on the last of the log. */
function settledLine(scenario: ScenarioResult): string {
  return lineOf('scenario', { ...scenario, provisional: false, observations: [], created: [] })
}

function endLine(result: RunResult): string {
  const { verdict, interrupted, durationMs, summary, observations, created } = result
  return lineOf('end', {
    ...{ verdict, interrupted, durationMs, summary },
    requirements: result.requirements.map(({ id, status, checks }) => ({ id, status, checks })),
    scenarios: result.scenarios.map(({ id }) => id),
    ...{ observations, created },
  })
}

/** The first line of a run that is told from its end. */
function openingOf(result: RunResult): RunOpening {
  return { ...result, scenarios: result.scenarios.map(outlineOf) }
}

function outlineOf({ id, title, file, checks }: ScenarioResult): ScenarioOutline {
  return {
    ...{ id, title, file },
    selected: checks.some(({ reason }) => reason !== 'filtered'),
    checks: checks.map(({ step, requirement }) => ({ step, requirement })),
  }
}
