import { resolve } from 'node:path'
import type { Spent } from '../../conformance/budget.ts'
import { identityOf } from '../../conformance/identity.ts'
import { mergeRuns, UnmergeableRunsError } from '../../conformance/log/merge-runs.ts'
import { UnusableLogError } from '../../conformance/log/read-lines.ts'
import { readLog } from '../../conformance/log/read-log.ts'
import type { RequirementRegistry } from '../../conformance/requirements.ts'
import type { RunProfile, RunResult } from '../../conformance/result.ts'
import type { LoadedScenario } from '../../conformance/scenario.ts'
import type { Target } from '../../conformance/target.ts'
import { readInput } from '../read-input.ts'
import type { WantedReport } from '../reporter-arguments.ts'
import { CliError } from '../session.ts'

/** What an earlier part of a run has done. */
export interface EarlierPart {
  result: RunResult
  /** Scenarios that need not be run again. */
  done: ReadonlySet<string>
  spent: Spent
}

/**
 * The run of `--resume`, from its log, or from the logs of all its parts; null where none was named.
 *
 * @throws CliError for what is no log, and for logs that do not belong together.
 */
export function readEarlierPart(files: readonly string[] | undefined): EarlierPart | null {
  if (files === undefined) return null
  const logs = files.map(readOne)
  const result = merged(logs.map((log) => log.result))
  return {
    result,
    done: new Set(logs.flatMap(({ settled }) => [...settled])),
    spent: { ...madeBy(result), requests: result.summary.requests },
  }
}

function readOne(file: string) {
  try {
    return readLog(new TextDecoder().decode(readInput(file)))
  } catch (error) {
    if (error instanceof UnusableLogError) throw new CliError(`--resume: ${file}: ${error.message}`)
    throw error
  }
}

/** @throws CliError where the parts do not belong together. */
export function merged(parts: readonly RunResult[]): RunResult {
  try {
    return mergeRuns(parts)
  } catch (error) {
    if (error instanceof UnmergeableRunsError) throw new CliError(`--resume: ${error.message}`)
    throw error
  }
}

/** By what was noted, or by the calls that were accepted: a run that is killed may not have come to noting. */
function madeBy({ created, exchanges }: RunResult): Pick<Spent, 'orders' | 'quotes'> {
  const noted = (kind: string) => created.filter((thing) => thing.kind === kind).length
  const accepted = (path: string) =>
    exchanges.filter(
      ({ method, target, status, speaker }) =>
        method === 'POST' && target.endsWith(path) && speaker === undefined && status !== null && status < 300,
    ).length
  return {
    orders: Math.max(noted('order'), accepted('/orders')),
    quotes: Math.max(noted('quote'), accepted('/quotes')),
  }
}

/** What the rest of the run would be judged by. */
export interface Continuation {
  registry: RequirementRegistry
  scenarios: readonly LoadedScenario[]
  target: Target
  profile: RunProfile
}

/**
 * Whether the rest would go on with the same run.
 *
 * @throws CliError that names everything that differs.
 */
export function checkContinues({ result }: EarlierPart, now: Continuation): void {
  const identity = identityOf({ runId: '', ...now })
  const differs = [
    ...(result.target.url === now.target.url ? [] : [`the address of the target (${result.target.url} then)`]),
    ...(result.identity.target === identity.target ? [] : ['what is said of the target']),
    ...(result.identity.scenarios === identity.scenarios ? [] : ['the set of scenarios']),
    ...(result.identity.edition === identity.edition ? [] : ['the edition of the requirements']),
    ...(result.profile.name === now.profile.name ? [] : [`the profile (${result.profile.name} then)`]),
  ]
  if (differs.length > 0)
    throw new CliError(`--resume: this is not the run that was interrupted; what differs is ${differs.join(', and ')}`)
}

/** The log is read until the run is over, so nothing may be written over it. */
export function keepLogs(files: readonly string[] | undefined, reports: readonly WantedReport[]): void {
  const logs = (files ?? []).map((file) => resolve(file))
  const over = reports.find(({ file }) => file !== null && logs.includes(resolve(file)))
  if (over) throw new CliError(`--reporter: ${over.file} is the log that is resumed; write the new one to another file`)
}
