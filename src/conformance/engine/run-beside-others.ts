import type { Services } from '../context/scenario-run.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { durationOf } from '../format/step-facts.ts'
import { isObject } from '../http/json-body.ts'
import { heldBackMs } from '../target/longest-wait.ts'
import type { Target } from '../target/target.ts'
import { dearestFirst, type Schedule } from './selection.ts'
import { copiedWorld, deleteWorld, openWorldFork } from './world-fork.ts'

interface Ways {
  /** Runs a scenario with these services. */
  run(services: Services, loaded: LoadedScenario): Promise<void>
  /** What begins the ids of exchanges, where it runs in a copy of the world. */
  laneOf(loaded: LoadedScenario): string
}

/**
 * Runs all side by side: those that must run alone, each in a copy of the world. Only for a sandbox that was started for this run.
 * Copies are of a world in which a few scenarios have run: one without any history would hide what needs some, and a full one takes
 * longer to copy and to read.
 */
export async function runBesideOthers(
  services: Services,
  { together, alone }: Pick<Schedule, 'together' | 'alone'>,
  atOnce: number,
  ways: Ways,
): Promise<void> {
  const { target } = services.run
  const livedIn = countdown(Math.min(together.length, atOnce))
  const { waiting, brief } = byWait(target, alone)
  const isNeeded = (): boolean => brief.length > 0 && services.run.earlyStop.why === null
  const template = livedIn.over.then(() => (isNeeded() ? copiedWorld(services) : null))
  template.catch(() => undefined) // Who waits for it hears of it.
  const here = (loaded: LoadedScenario): Promise<void> => ways.run(services, loaded).finally(livedIn.count)
  const later = async (loaded: LoadedScenario): Promise<void> =>
    runInCopy(services, (await template) ?? target, loaded, ways)
  const tasks = [
    ...waiting.map((loaded) => () => runInCopy(services, target, loaded, ways)),
    ...dearestFirst(together).map((loaded) => () => here(loaded)),
    ...dearestFirst(brief).map((loaded) => () => later(loaded)),
  ]
  await inParallel(tasks, atOnce, (task) => task())
  const left = await template
  if (left) await deleteWorld(services, left)
}

/** Over after so many counts. */
function countdown(from: number): { count(): void; over: Promise<void> } {
  let left = from
  let finish: () => void = () => undefined
  const over = new Promise<void>((resolve) => {
    finish = resolve
  })
  const check = (): void => {
    if (left <= 0) finish()
  }
  check()
  return {
    over,
    count() {
      left--
      check()
    },
  }
}

async function runInCopy(
  services: Services,
  from: Target,
  loaded: LoadedScenario,
  { run, laneOf }: Ways,
): Promise<void> {
  if (services.run.earlyStop.why !== null) return
  const copy = await openWorldFork(services, from, laneOf(loaded))
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

/** Works through all of them in their order, so many at once. */
export async function inParallel<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  const queue = [...items]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker))
}
