import { hash } from 'node:crypto'
import type { WallClock } from '../../clock/wall-clock.ts'
import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import { ConcurrencyLimit } from '../../conformance/http/throttle.ts'
import { IS_BUNDLED } from '../../package-files.ts'
import { findDefect, findDefects, listDefects } from '../defects/index.ts'
import { BAD_SERVERS, findBadServers } from './bad-server-targets.ts'
import { runDefect } from './defect-detection.ts'
import {
  allGapVariations,
  explainGapVariation,
  findGapVariations,
  type GapVariationOptions,
  gapVariationCalled,
} from './gap-variations.ts'
import {
  badServerProblems,
  defectProblems,
  gapVariationProblems,
  neverRed,
  problemsOf,
  requirementRows,
} from './problems.ts'
import type { SelftestResult } from './result.ts'
import type { Suite } from './suite.ts'
import { isWholeSuite, type RunOf, runCorrect, type TrialKind } from './trial.ts'
import { type Workers, workersHere, workersInThreads } from './worker-pool.ts'

/** The progress of a self-test. */
export interface SelftestProgress {
  done: number
  of: number
  /** The latest trial. */
  name: string
  /** What was wrong with it; null if nothing was. */
  problem: string | null
}

/** What is tried; everything, if nothing is said. */
interface TrialChoice {
  /** Ids of defects, or patterns with `*`: the self-test tries only these. */
  defects?: readonly string[]
  /** Gap variations by name or pattern: as with `defects`, the self-test tries only these. */
  onlyFreedoms?: readonly string[]
  /** Bad servers by name or pattern, likewise. */
  onlyDegenerates?: readonly string[]
  /** Which choices of open points are tried. */
  freedoms?: GapVariationOptions
  /** Some defects, draws and bad servers, which this seed chooses: for work on the suite, not to prove it. */
  quick?: string | undefined
}

export interface SelftestOptions extends TrialChoice {
  scenarios: readonly LoadedScenario[]
  registry: RequirementRegistry
  wall: WallClock
  toolVersion: string
  /** Number of threads; 1, this one alone, if absent. More threads need the compiled program. */
  jobs?: number
  onProgress?: (progress: SelftestProgress) => void
  signal?: AbortSignal | undefined
}

/** The self-test was interrupted. What was not tried is neither killed nor alive, so there is no result. */
export class SelftestInterrupted extends Error {
  override name = 'SelftestInterrupted'
}

/**
 * Proves the runner: the suite against the correct sandbox, against one with each defect, against sandboxes that fill
 * open points differently, and against servers that are not a partner API (docs: Self-test results).
 *
 * @throws UnknownDefectError for an id or a pattern in `defects` that fits none, UnknownGapVariationError for
 * one in `onlyFreedoms`, UnknownBadServerError for one in `onlyDegenerates`, SelftestInterrupted once `signal` aborts.
 * @example const { passed, problems } = await runSelftest({ scenarios, registry, wall: wallClock, toolVersion })
 */
export async function runSelftest(options: SelftestOptions): Promise<SelftestResult> {
  const startedMs = options.wall.monotonicMs()
  const isQuick = options.quick !== undefined
  const suite: Suite = { ...options, signal: options.signal, isQuick }
  const chosen = chosenBy(options)
  const trials = [chosen.defects, chosen.variations, chosen.badServers].flat().length + (chosen.sound ? 1 : 0)
  const jobs = IS_BUNDLED ? Math.min(options.jobs ?? 1, trials) : 1
  const workers = jobs > 1 ? workersInThreads(suite, jobs) : workersHere(suite)
  const judge = createJudge(workers, trials, options)
  const runs = await tryOut(suite, chosen, judge).finally(() => workers.close())
  const { sound, defects } = runs
  // What a defect that was left out would have turned red is not known.
  const isWhole = sound !== null && !isQuick
  const problems = problemsOf(suite, runs, { isWhole })
  return {
    problems,
    neverRed: isWhole ? neverRed(sound.passed, defects) : [],
    requirements: isWhole ? requirementRows(suite, sound.passed, defects) : [],
    quick: options.quick ?? null,
    ...runs,
    passed: problems.length === 0,
    tookMs: Math.round(options.wall.monotonicMs() - startedMs),
  }
}

/** What a self-test tries, by name. */
interface Chosen {
  sound: boolean
  defects: string[]
  variations: string[]
  badServers: string[]
}

/**
 * What a self-test with these options tries.
 *
 * @throws UnknownDefectError, UnknownGapVariationError, UnknownBadServerError
 * @example chosenBy({ quick: '4711' }).defects.length // 40
 */
export function chosenBy({ defects, onlyFreedoms, onlyDegenerates, freedoms, quick }: TrialChoice): Chosen {
  const isPart = defects !== undefined || onlyFreedoms !== undefined || onlyDegenerates !== undefined
  if (isPart)
    return {
      sound: false,
      defects: unique(defects?.flatMap(findDefects).map(({ id }) => id)),
      variations: unique(onlyFreedoms?.flatMap(findGapVariations).map(({ choice }) => choice)),
      badServers: unique(onlyDegenerates?.flatMap(findBadServers).map(({ name }) => name)),
    }
  return {
    sound: true,
    defects: someOf(
      listDefects().map(({ id }) => id),
      QUICK.defects,
      quick,
    ),
    variations: allGapVariations({ ...freedoms, quick }).map(({ choice }) => choice),
    badServers: someOf(
      BAD_SERVERS.map(({ name }) => name),
      QUICK.badServers,
      quick,
    ),
  }
}

function unique(names: readonly string[] = []): string[] {
  return [...new Set(names)]
}

/** How many of each a quick self-test tries. */
const QUICK = { defects: 40, badServers: 4 } as const

/** Names that a seed chooses, in their order; all of them without a seed. */
function someOf(names: readonly string[], count: number, seed: string | undefined): string[] {
  if (seed === undefined) return [...names]
  const byLot = new Map(names.map((name) => [hash('sha256', `${seed}\n${name}`), name]))
  const chosen = new Set(
    [...byLot]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, count)
      .map(([, name]) => name),
  )
  return names.filter((name) => chosen.has(name))
}

async function tryOut(suite: Suite, chosen: Chosen, judge: Judge) {
  const [sound, freedoms, degenerates, defects] = await Promise.all([
    chosen.sound ? judge('sound', 'the correct sandbox') : null,
    Promise.all(chosen.variations.map((choice) => judge('variation', choice))),
    Promise.all(chosen.badServers.map((name) => judge('bad-server', name))),
    Promise.all(chosen.defects.map((id) => judge('defect', id))),
  ])
  const survived = (run: RunOf['defect']): boolean => run.scenarios > 0 && defectProblems(run).length > 0
  const isRed = (run: RunOf['variation']): boolean => gapVariationProblems(run).length > 0
  return {
    sound: sound && sound.notGreen.length > 0 ? await runCorrect(suite) : sound,
    defects: await again(suite, defects, survived, ({ id }) => runDefect(suite, findDefect(id))),
    freedoms: await again(suite, freedoms, isRed, ({ choice }) =>
      explainGapVariation(suite, gapVariationCalled(choice)),
    ),
    degenerates,
  }
}

/** @throws SelftestInterrupted */
function refuseInterrupted({ signal }: Pick<Suite, 'signal'>, where: string): void {
  if (signal?.aborted) throw new SelftestInterrupted(`interrupted ${where}: this says nothing about the runner`)
}

/**
 * Tries again, one by one, what was not as it should be: calls that ought to race each other may not meet, and what is
 * waited for may not come in time, while so much else is going on in this process.
 */
async function again<Run>(
  suite: Suite,
  runs: readonly Run[],
  isWrong: (run: Run) => boolean,
  once: (run: Run) => Promise<Run>,
): Promise<Run[]> {
  const settled: Run[] = []
  for (const run of runs) {
    settled.push(isWrong(run) ? await once(run) : run)
    refuseInterrupted(suite, 'while trials were repeated')
  }
  return settled
}

type Judge = ReturnType<typeof createJudge>

/**
 * In a thread. The whole suite keeps a processor busy, the other trials mostly wait: both kinds at once leave no processor
 * idle, and more of the first kind would only make each other late.
 */
const AT_ONCE = { wholeSuite: 2, fewScenarios: 4 } as const

const FIRST_PROBLEM: { [Kind in TrialKind]: (run: RunOf[Kind]) => string | undefined } = {
  sound: ({ notGreen }) => notGreen[0] && `the correct sandbox: ${notGreen.length} checks are not green`,
  defect: (run) => defectProblems(run)[0],
  variation: (run) => gapVariationProblems(run)[0],
  'bad-server': (run) => badServerProblems(run)[0],
}

/** Runs one thing after the other through two queues, and reports each as it is done. */
function createJudge(workers: Workers, of: number, { onProgress, signal }: SelftestOptions) {
  const wholeSuite = new ConcurrencyLimit(workers.threads * AT_ONCE.wholeSuite)
  const fewScenarios = new ConcurrencyLimit(workers.threads * AT_ONCE.fewScenarios)
  let done = 0
  return async <Kind extends TrialKind>(kind: Kind, name: string): Promise<RunOf[Kind]> => {
    const limit = isWholeSuite(kind) ? wholeSuite : fewScenarios
    const refuse = () => refuseInterrupted({ signal }, `after ${done} of ${of} trials`)
    const run = await limit.within(() => {
      refuse()
      return workers.run({ kind, name })
    })
    refuse()
    done += 1
    const problem = FIRST_PROBLEM[kind](run)
    const next = kind === 'bad-server' ? '' : '; tried again by itself at the end'
    onProgress?.({ done, of, name, problem: problem === undefined ? null : problem + next })
    return run
  }
}
