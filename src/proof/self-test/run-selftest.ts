import type { WallClock } from '../../clock/wall-clock.ts'
import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import type { Defect } from '../defects/defect.ts'
import { findDefect, findDefects, listDefects } from '../defects/index.ts'
import { BAD_SERVERS, type BadServer, findBadServers } from './bad-server-targets.ts'
import { runDefect } from './defect-detection.ts'
import {
  allGapVariations,
  explainGapVariation,
  findGapVariations,
  type GapVariation,
  type GapVariationOptions,
} from './gap-variations.ts'
import {
  badServerProblems,
  defectProblems,
  gapVariationProblems,
  neverRed,
  problemsOf,
  requirementRows,
} from './problems.ts'
import { createQueue } from './queue.ts'
import type { DefectRun, GapVariationRun, SelftestResult } from './result.ts'
import { runSound } from './sound.ts'
import type { Suite } from './suite.ts'
import { type Workers, workersHere } from './worker.ts'

/** How far a self-test is. */
export interface SelftestProgress {
  done: number
  of: number
  /** What has just been tried. */
  name: string
  /** What was wrong with it; null where nothing was. */
  problem: string | null
}

export interface SelftestOptions {
  scenarios: readonly LoadedScenario[]
  registry: RequirementRegistry
  wall: WallClock
  toolVersion: string
  /** Ids of defects, or patterns with `*`: these are tried and nothing else is. */
  defects?: readonly string[]
  /** Freedoms by name or pattern: as with `defects`, nothing is tried but what is chosen. */
  onlyFreedoms?: readonly string[]
  /** Degenerate servers by name or pattern, likewise. */
  onlyDegenerates?: readonly string[]
  /** Which choices of open points are tried. */
  freedoms?: GapVariationOptions
  /** One defect for each requirement, few draws and few bad servers: for work on the suite, not for a proof of it. */
  quick?: boolean
  /** Threads that it is spread over; 1, this one alone, if absent. More takes the compiled program. */
  jobs?: number
  onProgress?: (progress: SelftestProgress) => void
  signal?: AbortSignal | undefined
}

/**
 * Proves the referee: the suite against the sound sandbox, against one with each defect, against sandboxes that decide
 * open points otherwise, and against servers that are no partner API (docs: Proving the referee).
 *
 * @throws UnknownDefectError for an id or a pattern in `defects` that fits none, UnknownGapVariationError for
 * one in `onlyFreedoms`, UnknownBadServerError for one in `onlyDegenerates`.
 * @example const { passed, problems } = await runSelftest({ scenarios, registry, wall: wallClock, toolVersion })
 */
export async function runSelftest(options: SelftestOptions): Promise<SelftestResult> {
  const startedMs = options.wall.monotonicMs()
  const suite: Suite = { ...options, signal: options.signal }
  const { defects, onlyFreedoms, onlyDegenerates } = options
  const chosen = defects || onlyFreedoms || onlyDegenerates ? chosenBy(options) : null
  const workers = await handsOf(
    suite,
    Math.min(options.jobs ?? 1, chosen ? trialsOf(chosen) : Number.POSITIVE_INFINITY),
  )
  const judge = createJudge(workers, options)
  const result = await (chosen ? tryChosen(suite, chosen, judge) : tryEverything(suite, options, judge)).finally(() =>
    workers.close(),
  )
  return { ...result, passed: result.problems.length === 0, tookMs: Math.round(options.wall.monotonicMs() - startedMs) }
}

/** A thread loads a compiled file; where this one is a source, there is none. */
const CAN_HAVE_THREADS = import.meta.url.endsWith('.js')

async function handsOf(suite: Suite, jobs: number): Promise<Workers> {
  if (jobs <= 1 || !CAN_HAVE_THREADS) return workersHere(suite)
  const { workersInThreads } = await import('./worker-pool.ts')
  return workersInThreads(suite, jobs)
}

type Tried = Omit<SelftestResult, 'passed' | 'tookMs'>

interface Chosen {
  defects: Defect[]
  freedoms: GapVariation[]
  degenerates: BadServer[]
}

function trialsOf({ defects, freedoms, degenerates }: Chosen): number {
  return defects.length + freedoms.length + degenerates.length
}

/** @throws UnknownDefectError, UnknownGapVariationError, UnknownBadServerError */
function chosenBy({ defects = [], onlyFreedoms = [], onlyDegenerates = [] }: SelftestOptions): Chosen {
  return {
    defects: [...new Set(defects.flatMap(findDefects))],
    freedoms: onlyFreedoms.flatMap(findGapVariations),
    degenerates: [...new Set(onlyDegenerates.flatMap(findBadServers))],
  }
}

async function tryChosen(suite: Suite, chosen: Chosen, judge: Judge): Promise<Tried> {
  judge.expect(trialsOf(chosen))
  const [atFirst, freedomsAtFirst, degenerates] = await Promise.all([
    Promise.all(chosen.defects.map(judge.defect)),
    Promise.all(chosen.freedoms.map(judge.variation)),
    Promise.all(chosen.degenerates.map(judge.badServer)),
  ])
  const defects = await killed(suite, atFirst)
  const freedoms = await explained(suite, freedomsAtFirst, chosen.freedoms)
  const problems = [
    ...defects.flatMap(defectProblems),
    ...freedoms.flatMap(gapVariationProblems),
    ...degenerates.flatMap(badServerProblems),
  ]
  return { problems, neverRed: [], requirements: [], sound: null, defects, freedoms, degenerates }
}

async function tryEverything(suite: Suite, options: SelftestOptions, judge: Judge): Promise<Tried> {
  const { quick = false } = options
  const choices = allGapVariations({ ...options.freedoms, quick })
  const trials = quick ? onePerRequirement(listDefects()) : listDefects()
  const targets = BAD_SERVERS.filter((_, index) => !quick || index % QUICK_STEP === 0)
  judge.expect(1 + trials.length + choices.length + targets.length)
  const [soundAtFirst, atFirst, freedomsAtFirst, degenerates] = await Promise.all([
    judge.sound(),
    Promise.all(trials.map(judge.defect)),
    Promise.all(choices.map(judge.variation)),
    Promise.all(targets.map(judge.badServer)),
  ])
  const sound = soundAtFirst.notGreen.length > 0 ? await runSound(suite) : soundAtFirst
  const defects = await killed(suite, atFirst)
  const freedoms = await explained(suite, freedomsAtFirst, choices)
  return {
    problems: problemsOf(suite, { sound, defects, freedoms, degenerates }, { isWhole: !quick }),
    // What a defect that was left out would have turned red is not known.
    neverRed: quick ? [] : neverRed(sound.passed, defects),
    requirements: requirementRows(suite, sound.passed, defects),
    ...{ sound, defects, freedoms, degenerates },
  }
}

/** A quick self-test tries each fifth bad server. */
const QUICK_STEP = 5

/** The first defect that breaks a requirement, for each requirement that any defect breaks. */
function onePerRequirement(defects: readonly Defect[]): Defect[] {
  const first = new Map<string, Defect>()
  for (const defect of defects) for (const id of defect.breaks) if (!first.has(id)) first.set(id, defect)
  return [...new Set(first.values())]
}

/**
 * Tries once more, one by one, what was not as it should be: calls that ought to race each other may not meet, and what is
 * waited for may not come in time, while so much else is going on in this process.
 */
async function again<Run>(
  runs: readonly Run[],
  isWrong: (run: Run) => boolean,
  once: (run: Run) => Promise<Run>,
): Promise<Run[]> {
  const settled: Run[] = []
  for (const run of runs) settled.push(isWrong(run) ? await once(run) : run)
  return settled
}

function killed(suite: Suite, runs: readonly DefectRun[]): Promise<DefectRun[]> {
  const survived = (run: DefectRun): boolean => run.scenarios > 0 && defectProblems(run).length > 0
  return again(runs, survived, ({ id }) => runDefect(suite, findDefect(id)))
}

function explained(
  suite: Suite,
  runs: readonly GapVariationRun[],
  choices: readonly GapVariation[],
): Promise<GapVariationRun[]> {
  const freedomOf = ({ choice }: GapVariationRun) => choices.find((variation) => variation.choice === choice)
  const isRed = (run: GapVariationRun): boolean => gapVariationProblems(run).length > 0
  return again(runs, isRed, async (run) => {
    const variation = freedomOf(run)
    return variation ? explainGapVariation(suite, variation) : run
  })
}

type Judge = ReturnType<typeof createJudge>

/** Runs one thing after the other through a common queue, and tells of each as it is done. */
function createJudge(workers: Workers, { onProgress }: SelftestOptions) {
  const inTurn = createQueue(workers.atOnce)
  let done = 0
  let of = 0

  async function told<Run>(name: string, work: () => Promise<Run>, problem: (run: Run) => string | null | undefined) {
    const run = await inTurn(work)
    done += 1
    onProgress?.({ done, of, name, problem: problem(run) ?? null })
    return run
  }

  return {
    /** How many things there are to try. */
    expect: (many: number) => {
      of = many
    },
    sound: () =>
      told(
        'the sound sandbox',
        () => workers.sound(),
        ({ notGreen }) => notGreen[0] && `the sound sandbox: ${notGreen.length} checks are not green`,
      ),
    defect: (defect: Defect) =>
      told(
        defect.id,
        () => workers.defect(defect.id),
        (run) => defectProblems(run)[0],
      ),
    variation: (variation: GapVariation) =>
      told(
        variation.choice,
        () => workers.variation(variation),
        (run) => gapVariationProblems(run)[0],
      ),
    badServer: (target: BadServer) =>
      told(
        target.name,
        () => workers.badServer(target.name),
        (run) => badServerProblems(run)[0],
      ),
  }
}
