import type { WallClock } from '../clock/wall-clock.ts'
import type { RequirementRegistry } from '../conformance/requirements.ts'
import type { LoadedScenario } from '../conformance/scenario.ts'
import type { Defect } from '../defects/defect.ts'
import { findDefect, listDefects } from '../defects/index.ts'
import { DEGENERATE_TARGETS } from './degenerate-targets.ts'
import { runDegenerate } from './degenerates.ts'
import { allFreedoms, runFreedom } from './freedoms.ts'
import { runDefect } from './kills.ts'
import { inPool } from './pool.ts'
import { defectProblems, neverRed, problemsOf, requirementRows } from './problems.ts'
import type { SelftestResult } from './result.ts'
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
  /** Ids of defects: these are tried and nothing else is. */
  defects?: readonly string[]
  onProgress?: (progress: SelftestProgress) => void
  signal?: AbortSignal | undefined
}

/** Most of a run is waiting for answers, yet all servers and runners share one thread. */
const AT_ONCE = 4

/**
 * Proves the referee: the suite against the sound sandbox, against one with each defect, against sandboxes that decide
 * open points otherwise, and against servers that are no partner API (docs: Proving the referee).
 *
 * @throws UnknownDefectError for an id in `defects` that there is not.
 * @example const { passed, problems } = await runSelftest({ scenarios, registry, wall: wallClock, toolVersion })
 */
export async function runSelftest(options: SelftestOptions): Promise<SelftestResult> {
  const startedMs = options.wall.monotonicMs()
  const suite: Suite = { ...options, signal: options.signal }
  const result = options.defects
    ? await tryDefects(suite, options.defects.map(findDefect), options)
    : await tryEverything(suite, options)
  return { ...result, passed: result.problems.length === 0, tookMs: Math.round(options.wall.monotonicMs() - startedMs) }
}

type Tried = Omit<SelftestResult, 'passed' | 'tookMs'>

async function tryDefects(suite: Suite, chosen: readonly Defect[], options: SelftestOptions): Promise<Tried> {
  const tell = progressOf(options, chosen.length)
  const defects = await inPool(chosen, AT_ONCE, async (defect) => {
    const run = await runDefect(suite, defect)
    tell(run.id, defectProblems(run)[0])
    return run
  })
  const problems = defects.flatMap(defectProblems)
  return { problems, neverRed: [], requirements: [], sound: null, defects, freedoms: [], degenerates: [] }
}

async function tryEverything(suite: Suite, options: SelftestOptions): Promise<Tried> {
  const all = { defects: listDefects(), freedoms: allFreedoms(), degenerates: DEGENERATE_TARGETS }
  const tell = progressOf(options, 1 + all.defects.length + all.freedoms.length + all.degenerates.length)
  const sound = await runSound(suite)
  tell('sound sandbox', sound.notGreen[0] && 'not everything is green')
  const defects = await inPool(all.defects, AT_ONCE, async (defect) => {
    const run = await runDefect(suite, defect)
    tell(run.id, defectProblems(run)[0])
    return run
  })
  const freedoms = await inPool(all.freedoms, AT_ONCE, async (freedom) => {
    const run = await runFreedom(suite, freedom)
    tell(run.choice, run.failure ?? (run.red[0] && 'a check is red'))
    return run
  })
  const degenerates = await inPool(all.degenerates, AT_ONCE, async (target) => {
    const run = await runDegenerate(suite, target)
    tell(run.name, run.failure ?? undefined)
    return run
  })
  return {
    problems: problemsOf(suite, { sound, defects, freedoms, degenerates }),
    neverRed: neverRed(sound.passed, defects),
    requirements: requirementRows(suite, sound.passed, defects),
    ...{ sound, defects, freedoms, degenerates },
  }
}

function progressOf({ onProgress }: SelftestOptions, of: number) {
  let done = 0
  return (name: string, problem: string | undefined): void => {
    done += 1
    onProgress?.({ done, of, name, problem: problem ?? null })
  }
}
