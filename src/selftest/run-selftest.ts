import type { WallClock } from '../clock/wall-clock.ts'
import type { RequirementRegistry } from '../conformance/requirements.ts'
import type { LoadedScenario } from '../conformance/scenario.ts'
import type { Defect } from '../defects/defect.ts'
import { findDefect, findDefects, listDefects } from '../defects/index.ts'
import { DEGENERATE_TARGETS, type DegenerateTarget } from './degenerate-targets.ts'
import { runDegenerate } from './degenerates.ts'
import { allFreedoms, type Freedom, type FreedomOptions, runFreedom } from './freedoms.ts'
import { runDefect } from './kills.ts'
import {
  defectProblems,
  degenerateProblems,
  freedomProblems,
  neverRed,
  problemsOf,
  requirementRows,
} from './problems.ts'
import { createQueue } from './queue.ts'
import type { DefectRun, SelftestResult } from './result.ts'
import { runSound } from './sound.ts'
import type { Suite } from './suite.ts'

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
  /** Which choices of open points are tried beyond those of every self-test. */
  freedoms?: FreedomOptions
  onProgress?: (progress: SelftestProgress) => void
  signal?: AbortSignal | undefined
}

/** Most of a run is waiting for answers, yet all servers and runners share one thread. */
const AT_ONCE = 16

/**
 * Proves the referee: the suite against the sound sandbox, against one with each defect, against sandboxes that decide
 * open points otherwise, and against servers that are no partner API (docs: Proving the referee).
 *
 * @throws UnknownDefectError for an id or a pattern in `defects` that fits none.
 * @example const { passed, problems } = await runSelftest({ scenarios, registry, wall: wallClock, toolVersion })
 */
export async function runSelftest(options: SelftestOptions): Promise<SelftestResult> {
  const startedMs = options.wall.monotonicMs()
  const suite: Suite = { ...options, signal: options.signal }
  const result = options.defects
    ? await tryDefects(suite, [...new Set(options.defects.flatMap(findDefects))], options)
    : await tryEverything(suite, options)
  return { ...result, passed: result.problems.length === 0, tookMs: Math.round(options.wall.monotonicMs() - startedMs) }
}

type Tried = Omit<SelftestResult, 'passed' | 'tookMs'>

async function tryDefects(suite: Suite, chosen: readonly Defect[], options: SelftestOptions): Promise<Tried> {
  const judge = createJudge(suite, options, chosen.length)
  const defects = await again(suite, await Promise.all(chosen.map(judge.defect)))
  const problems = defects.flatMap(defectProblems)
  return { problems, neverRed: [], requirements: [], sound: null, defects, freedoms: [], degenerates: [] }
}

async function tryEverything(suite: Suite, options: SelftestOptions): Promise<Tried> {
  const choices = allFreedoms(options.freedoms)
  const judge = createJudge(suite, options, 1 + listDefects().length + choices.length + DEGENERATE_TARGETS.length)
  const [sound, atFirst, freedoms, degenerates] = await Promise.all([
    judge.sound(),
    Promise.all(listDefects().map(judge.defect)),
    Promise.all(choices.map(judge.freedom)),
    Promise.all(DEGENERATE_TARGETS.map(judge.degenerate)),
  ])
  const defects = await again(suite, atFirst)
  return {
    problems: problemsOf(suite, { sound, defects, freedoms, degenerates }),
    neverRed: neverRed(sound.passed, defects),
    requirements: requirementRows(suite, sound.passed, defects),
    ...{ sound, defects, freedoms, degenerates },
  }
}

/**
 * Tries survivors once more, one by one: calls that ought to race each other may not meet while so much else is going
 * on in this process.
 */
async function again(suite: Suite, runs: readonly DefectRun[]): Promise<DefectRun[]> {
  const settled: DefectRun[] = []
  for (const run of runs) {
    const isWorthIt = run.scenarios > 0 && defectProblems(run).length > 0
    settled.push(isWorthIt ? await runDefect(suite, findDefect(run.id)) : run)
  }
  return settled
}

/** Runs one thing after the other through a common queue, and tells of each as it is done. */
function createJudge(suite: Suite, { onProgress }: SelftestOptions, of: number) {
  const inTurn = createQueue(AT_ONCE)
  let done = 0

  async function told<Run>(name: string, work: () => Promise<Run>, problem: (run: Run) => string | null | undefined) {
    const run = await inTurn(work)
    done += 1
    onProgress?.({ done, of, name, problem: problem(run) ?? null })
    return run
  }

  return {
    sound: () =>
      told(
        'the sound sandbox',
        () => runSound(suite),
        ({ notGreen }) => notGreen[0] && `the sound sandbox: ${notGreen.length} checks are not green`,
      ),
    defect: (defect: Defect) =>
      told(
        defect.id,
        () => runDefect(suite, defect),
        (run) => defectProblems(run)[0],
      ),
    freedom: (freedom: Freedom) =>
      told(
        freedom.choice,
        () => runFreedom(suite, freedom),
        (run) => freedomProblems(run)[0],
      ),
    degenerate: (target: DegenerateTarget) =>
      told(
        target.name,
        () => runDegenerate(suite, target),
        (run) => degenerateProblems(run)[0],
      ),
  }
}
