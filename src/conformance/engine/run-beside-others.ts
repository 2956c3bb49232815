import type { Services } from '../context/scenario-run.ts'
import { durationOf } from '../format/duration-of.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { isObject } from '../http/json-body.ts'
import { heldBackMs } from '../target/longest-wait.ts'
import type { Target } from '../target/target.ts'
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
  const { waiting, brief } = byWait(services.run.target, alone)
  const tasks = [
    ...waiting.map((loaded) => () => aside(loaded)),
    ...dearestFirst(together).map((loaded) => () => here(loaded)),
    ...dearestFirst(brief).map((loaded) => () => asideLater(loaded)),
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

/** What waits long goes first, the longest before all others. */
function byWait(target: Target, scenarios: readonly LoadedScenario[]) {
  const waits = (loaded: LoadedScenario): number => waitOf(target, loaded)
  const waiting = scenarios.filter((loaded) => waits(loaded) >= LONG_WAIT_MS)
  return {
    waiting: waiting.sort((a, b) => waits(b) - waits(a)),
    brief: scenarios.filter((loaded) => waits(loaded) < LONG_WAIT_MS),
  }
}

function waitOf(target: Target, { scenario: { steps } }: LoadedScenario): number {
  return steps.reduce((totalMs, step) => totalMs + waitOfStep(target, step), 0)
}

/** How long a step waits by what it says itself: an answer that its hook holds back, a silence that it watches, a limit that it sets. */
function waitOfStep(target: Target, { hook, quiet, operator }: Step): number {
  const heldBack = hook ? heldBackMs(target, hook.answer) : 0
  return heldBack + (durationOf(quiet?.for) ?? 0) + windowOf(operator?.rate_limit)
}

function windowOf(limit: unknown): number {
  return isObject(limit) && typeof limit.per_seconds === 'number' ? limit.per_seconds * 1_000 : 0
}
