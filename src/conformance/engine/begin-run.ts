import { setMaxListeners } from 'node:events'
import type { Services } from '../context/scenario-run.ts'
import { outlineOf } from '../format/step-facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { identityOf } from './identity.ts'
import { closeRun, createRun, createServices } from './open-run.ts'
import { planOf } from './plan.ts'
import { observableAt } from './profile.ts'
import type { RunOptions } from './run-options.ts'
import { type Known, openingOf } from './run-report.ts'
import { type LeftOut, sampledFor } from './sample.ts'
import { type Schedule, scheduleOf } from './selection.ts'

/** A run that is planned and has sent nothing. */
export interface BegunRun {
  /** As they were given, with what the target file leaves observable. */
  options: RunOptions
  services: Services
  schedule: Schedule
  /** Rows of files that the budget has no room for. */
  leftOut: readonly LeftOut[]
  known: Known
  /** Those of the run so far, by id. */
  exchanges: ReadonlyMap<string, Exchange>
}

/** Opens a run, announces its plan, and closes it after the work: what a run and its rehearsal have in common. */
export async function withRun<Result>(given: RunOptions, work: (begun: BegunRun) => Promise<Result>): Promise<Result> {
  const options = { ...given, ...observableAt(given) }
  if (options.signal) setMaxListeners(0, options.signal) // Every call under way listens.
  const { scenarios, profile, toolVersion, wall } = options
  const startedAtMs = wall.nowMs()
  const { schedule, leftOut } = sampledFor(options.target.budget.requests, scheduleOf(options.only, scenarios))
  const exchanges = new Map<string, Exchange>()
  const run = createRun(options, exchanges)
  try {
    const services = createServices(run)
    const { runId, target } = run
    const identity = identityOf({ runId, registry: given.registry, scenarios, target })
    const known = { identity, plan: planOf(services, schedule.chosen), profile, startedAtMs, toolVersion }
    options.onProgress?.({
      kind: 'planned',
      ...openingOf(run, known, schedule.chosen.map(outlineOf), schedule.left.map(outlineOf)),
    })
    return await work({ options, services, schedule, leftOut, known, exchanges })
  } finally {
    await closeRun(run)
  }
}
