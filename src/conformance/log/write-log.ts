import type { Progress } from '../engine/run-options.ts'
import type { RedactedExchange, RunOpening, RunResult, ScenarioResult } from '../result/result.ts'
import { LOG_FORMAT, type LogSurroundings, lineOf } from './lines.ts'

/** The log of a run that is over. `readLog` makes the same run of it again. */
export function logOf(result: RunResult, surroundings: LogSurroundings): string {
  return new WrittenLog(surroundings).lastLines(result)
}

/**
 * Writes each line as soon as it is known, so that the log of a run that was killed can be read as far as it goes. It has to hear of
 * the progress of the run and of its end.
 *
 * @example const log = followRun((text) => appendFileSync('run.ndjson', text), { invocation, keepsNothing: false })
 */
export function followRun(write: (text: string) => void, surroundings: LogSurroundings) {
  const log = new WrittenLog(surroundings)
  return {
    show: (progress: Progress) => write(log.linesOf(progress)),
    end: (result: RunResult) => write(log.lastLines(result)),
  }
}

/** Knows the lines of the log so far, so that nothing is written twice. */
class WrittenLog {
  readonly #surroundings: LogSurroundings
  #isOpened = false
  /** The latest line of each, by id. */
  readonly #exchanges = new Map<string, string>()
  /** What its latest line says of a scenario, by id. */
  readonly #scenarios = new Map<string, string>()
  #createdCount = 0

  constructor(surroundings: LogSurroundings) {
    this.#surroundings = surroundings
  }

  linesOf(progress: Progress): string {
    if (progress.kind === 'planned') return this.#openingLine(progress)
    if (progress.kind === 'exchange') return this.#exchangeLine(progress.exchange)
    if (progress.kind !== 'scenario-finished') return ''
    const { result, provisional, observations } = progress
    const created = progress.created.slice(this.#createdCount)
    this.#createdCount = progress.created.length
    if (!provisional) this.#scenarios.set(result.id, JSON.stringify(result))
    return lineOf('scenario', { ...result, provisional, observations, created })
  }

  /** Results that only the end of the run settles. What a scenario saw and made is on its earlier line, and on the last. */
  lastLines(result: RunResult): string {
    const changed = result.scenarios.filter((own) => this.#scenarios.get(own.id) !== JSON.stringify(own))
    return [
      this.#isOpened ? '' : this.#openingLine({ ...result, scenarios: result.scenarios.map(outlineOf) }),
      ...result.exchanges.map((exchange) => this.#exchangeLine(exchange)),
      ...changed.map((scenario) =>
        lineOf('scenario', { ...scenario, provisional: false, observations: [], created: [] }),
      ),
      lineOf('end', { ...result, scenarios: result.scenarios.map(({ id }) => id) }),
    ].join('')
  }

  #openingLine(opening: RunOpening): string {
    this.#isOpened = true
    return lineOf('run', { ...opening, ...this.#surroundings, format: LOG_FORMAT })
  }

  /** Empty if the log has this very line already. */
  #exchangeLine(exchange: RedactedExchange): string {
    const line = lineOf('exchange', exchange)
    if (this.#exchanges.get(exchange.id) === line) return ''
    this.#exchanges.set(exchange.id, line)
    return line
  }
}

function outlineOf({ id, title, file, checks }: ScenarioResult): RunOpening['scenarios'][number] {
  return { id, title, file, selected: checks.some(({ reason }) => reason !== 'filtered'), checks }
}
