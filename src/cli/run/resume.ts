import { identityOf } from '../../conformance/engine/identity.ts'
import type { RunOptions } from '../../conformance/engine/run-options.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import type { Spent } from '../../conformance/target/budget.ts'
import { mergedRun, readLogFile } from '../report/logs.ts'
import { CliError } from '../session.ts'

/** What an earlier part of a run has done. */
export interface EarlierPart {
  result: RunResult
  /** Scenarios that need not be run again. */
  done: ReadonlySet<string>
  spent: Spent
}

/** The run of `--resume`, from its log, or from the logs of all its parts; null if none was named. */
export function readEarlierPart(files: readonly string[] | undefined): EarlierPart | null {
  if (files === undefined) return null
  const logs = files.map((file) => readLogFile(file, '--resume'))
  const result = mergedRun(
    logs.map((log) => log.result),
    '--resume',
  )
  return {
    result,
    done: new Set(logs.flatMap(({ settled }) => [...settled])),
    spent: { ...madeBy(result), requests: result.summary.requests },
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

/** Refuses to go on with another run than the one that was interrupted. */
export function checkContinues(
  { result }: EarlierPart,
  now: Required<Pick<RunOptions, 'registry' | 'scenarios' | 'target' | 'profile'>>,
): void {
  const identity = identityOf({ runId: '', ...now })
  const differs = [
    ...(result.target.url === now.target.url ? [] : [`the address of the target (${result.target.url} then)`]),
    ...(result.identity.target === identity.target ? [] : ['the description of the target']),
    ...(result.identity.scenarios === identity.scenarios ? [] : ['the set of scenarios']),
    ...(result.identity.edition === identity.edition ? [] : ['the edition of the requirements']),
    ...(result.profile.name === now.profile.name ? [] : [`the profile (${result.profile.name} then)`]),
  ]
  if (differs.length > 0)
    throw new CliError(`--resume: the log is from another run; different: ${differs.join(', and ')}`)
}
