import { requirementResults, runVerdictOf } from '../judge/verdict.ts'
import type { RequirementResult, RunResult } from '../result/result.ts'
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
import { cutShort, registryOf } from './unfinished-run.ts'

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
 * @throws UnusableLogError if the text is not a log of a run, or contradicts itself.
 * @example const { result, complete } = readLog(readFileSync('run.ndjson', 'utf8'))
 */
export function readLog(text: string): RunLog {
  const contents = contentsOf(readLines(text))
  const { run, end } = contents
  const result = end === null ? cutShort(contents) : wholeRun(contents, end)
  return { result, complete: end !== null, surroundings: surroundingsOf(run) }
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
  const known = new Set(first.value.scenarios.map(({ id }) => id))
  for (const line of rest) {
    if (contents.end !== null) throw new UnusableLogError(line.at, 'the log goes on after its line of type end')
    take(contents, line, known)
  }
  return contents
}

function take(contents: LogContents, line: Line, known: ReadonlySet<string>): void {
  if (line.type === 'run') throw new UnusableLogError(line.at, 'another run begins here; a file holds one log')
  if (line.type === 'exchange') contents.exchanges.set(line.value.id, line.value)
  else if (line.type === 'scenario') takeScenario(contents, line, known)
  else contents.end = valid(contents, line)
}

function takeScenario(
  { scenarios, seen }: LogContents,
  { at, value }: Line & { type: 'scenario' },
  known: ReadonlySet<string>,
): void {
  if (!known.has(value.id)) throw new UnusableLogError(at, `the scenario "${value.id}" is not listed in the first line`)
  seen.observations.push(...value.observations.map((observation) => ({ ...observation, scenario: value.id })))
  seen.created.push(...value.created)
  scenarios.set(value.id, value)
}

/** The last line, where the others bear it out. */
function valid({ run, scenarios }: LogContents, { at, value }: Line & { type: 'end' }): EndLine {
  const rows = run.requirements.map(({ id }) => id)
  const missing = rows.find((id) => !value.requirements.some((row) => row.id === id))
  if (missing !== undefined) throw new UnusableLogError(at, `the requirement "${missing}" has no result`)
  const unknown = value.requirements.find(({ id }) => !rows.includes(id))
  if (unknown) throw new UnusableLogError(at, `the requirement "${unknown.id}" is not listed in the first line`)
  const lost = value.scenarios.find((id) => !scenarios.has(id))
  if (lost !== undefined) throw new UnusableLogError(at, `the scenario "${lost}" has no line`)
  const failed = value.scenarios.find((id) => scenarios.get(id)?.checks.some(({ verdict }) => verdict === 'fail'))
  if (failed !== undefined && value.verdict !== 'non_conforming')
    throw new UnusableLogError(at, `the verdict is ${value.verdict}, and a check of "${failed}" has failed`)
  refuseUnearned(run, scenarios, value, at)
  return value
}

/** A log is a file from outside: no verdict is better than what its checks bear out, and no scenario is left out of it. */
function refuseUnearned(run: RunLine, scenarios: LogContents['scenarios'], end: EndLine, at: number): void {
  const reported = new Set(end.scenarios)
  const silent = run.scenarios.find(({ id }) => !reported.has(id))
  if (silent) throw new UnusableLogError(at, `the scenario "${silent.id}" of the first line has no result`)
  const short = run.scenarios.find(({ id, checks }) => scenarios.get(id)?.checks.length !== checks.length)
  if (short) throw new UnusableLogError(at, `"${short.id}" does not have the checks that the first line lists`)
  const checks = [...scenarios.values()].flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registryOf(run.requirements), checks)
  const better = end.requirements.find(({ id, status }) => status === 'shown' && statusIn(requirements, id) !== status)
  if (better) throw new UnusableLogError(at, `the log says that "${better.id}" is shown, but its checks do not show it`)
  const earned = runVerdictOf(requirements, checks, run.profile)
  if (end.verdict === 'conforming' && earned !== end.verdict)
    throw new UnusableLogError(at, `the verdict is ${end.verdict}, but by its checks it is ${earned}`)
  const counted = checks.filter(({ verdict }) => verdict === 'pass').length
  if (end.summary.checks.pass !== counted)
    throw new UnusableLogError(at, `the summary counts ${end.summary.checks.pass} passed checks, but ${counted} passed`)
}

function statusIn(rows: readonly RequirementResult[], wanted: string): RequirementResult['status'] | undefined {
  return rows.find(({ id }) => id === wanted)?.status
}

function wholeRun({ run, exchanges, scenarios }: LogContents, end: EndLine): RunResult {
  const { requirements, scenarios: ids, ...outcome } = end
  return {
    ...openingOf(run),
    ...outcome,
    requirements: requirements.map((state) => ({ ...rowOf(run, state.id), ...state })),
    scenarios: ids.flatMap((id) => scenarios.get(id) ?? []).map(resultOf),
    exchanges: [...exchanges.values()],
  }
}

function rowOf({ requirements }: RunLine, id: string): Omit<RequirementResult, 'status' | 'checks'> {
  return requirements.find((row) => row.id === id) ?? { id, level: 'must', text: '', section: '' }
}
