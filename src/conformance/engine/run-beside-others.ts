import type { Services } from '../context/scenario-run.ts'
import { durationOf } from '../format/duration-of.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { isObject } from '../http/json-body.ts'
import { inParallel } from './in-parallel.ts'
import { dearestFirst, type Schedule } from './selection.ts'
import { openWorldTemplate, type WorldTemplate } from './world-fork.ts'

interface Ways {
  /** Runs a scenario with these services. */
  run(services: Services, loaded: LoadedScenario): Promise<void>
  /** What begins the ids of exchanges, where it runs in a copy of the world. */
  laneOf(loaded: LoadedScenario): string
}

/**
 * Runs all side by side: those that must run alone, each in a copy of the world as the run found it, so that none depends on others.
 * Only for a sandbox that was started for this run.
 */
export async function runBesideOthers(
  services: Services,
  { together, alone }: Pick<Schedule, 'together' | 'alone'>,
  atOnce: number,
  ways: Ways,
): Promise<void> {
  if (services.run.earlyStop.why !== null) return
  const template = await openWorldTemplate(services)
  let first: Promise<void> | undefined
  const here = (loaded: LoadedScenario): Promise<void> => {
    const done = ways.run(services, loaded)
    first ??= done
    return done
  }
  const aside = (loaded: LoadedScenario): Promise<void> => runInCopy(services, template, loaded, ways)
  // A copy takes over what has been found out before it is made.
  const asideLater = (loaded: LoadedScenario): Promise<void> => (first ?? Promise.resolve()).then(() => aside(loaded))
  const tasks = [
    ...byWait(alone.filter(waitsLong)).map((loaded) => () => aside(loaded)),
    ...dearestFirst(together).map((loaded) => () => here(loaded)),
    ...dearestFirst(alone.filter((loaded) => !waitsLong(loaded))).map((loaded) => () => asideLater(loaded)),
  ]
  await inParallel(tasks, atOnce, (task) => task())
  await template.close()
}

async function runInCopy(
  { run: { earlyStop } }: Services,
  template: WorldTemplate,
  loaded: LoadedScenario,
  { run, laneOf }: Ways,
): Promise<void> {
  if (earlyStop.why !== null) return
  const copy = await template.copy(laneOf(loaded))
  await run(copy.services, loaded)
  await copy.close()
}

/** Worth starting with, so that the others run meanwhile. */
const LONG_WAIT_MS = 1_000

function waitsLong(loaded: LoadedScenario): boolean {
  return waitOf(loaded) >= LONG_WAIT_MS
}

function byWait(scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  return [...scenarios].sort((a, b) => waitOf(b) - waitOf(a))
}

function waitOf({ scenario: { steps } }: LoadedScenario): number {
  return steps.reduce((totalMs, step) => totalMs + waitOfStep(step), 0)
}

/** How long a step waits by what it says itself: an answer that its hook holds back, a silence that it watches, a limit that it sets. */
function waitOfStep({ hook, quiet, operator }: Step): number {
  const answer = hook?.answer
  const heldBack = typeof answer === 'object' && 'after' in answer ? answer.after : undefined
  return (durationOf(heldBack) ?? 0) + (durationOf(quiet?.for) ?? 0) + windowOf(operator?.rate_limit)
}

function windowOf(limit: unknown): number {
  return isObject(limit) && typeof limit.per_seconds === 'number' ? limit.per_seconds * 1_000 : 0
}
