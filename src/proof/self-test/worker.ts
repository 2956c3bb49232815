import { findDefect } from '../defects/index.ts'
import { BAD_SERVERS } from './bad-server-targets.ts'
import { runBadServer } from './bad-servers.ts'
import { runDefect } from './defect-detection.ts'
import { type GapVariation, runGapVariation } from './gap-variations.ts'
import type { BadServerRun, DefectRun, GapVariationRun, SoundRun } from './result.ts'
import { runSound } from './sound.ts'
import type { Suite } from './suite.ts'

/** One thing that a self-test tries, in words that can be sent to another thread. */
export type Trial =
  | { kind: 'sound' }
  | { kind: 'defect'; id: string }
  | { kind: 'variation'; variation: GapVariation }
  | { kind: 'bad-server'; name: string }

/** Whoever carries trials out: this thread, or several others. */
export interface Workers {
  /** So many trials are worth having under way at once. */
  readonly atOnce: number
  sound(): Promise<SoundRun>
  defect(id: string): Promise<DefectRun>
  variation(variation: GapVariation): Promise<GapVariationRun>
  badServer(name: string): Promise<BadServerRun>
  close(): Promise<void>
}

export type Run = SoundRun | DefectRun | GapVariationRun | BadServerRun

/** Most of a trial is waiting for answers, yet all servers and runners of a thread share it. */
export const AT_ONCE_IN_A_THREAD = 4

export function workersHere(suite: Suite): Workers {
  return workersBy(
    (trial) => runTrial(suite, trial),
    AT_ONCE_IN_A_THREAD,
    () => Promise.resolve(),
  )
}

/** @param carriesOut gives the kind of run that belongs to the kind of trial. */
export function workersBy(
  carriesOut: (trial: Trial) => Promise<Run>,
  atOnce: number,
  close: () => Promise<void>,
): Workers {
  return {
    atOnce,
    sound: () => carriesOut({ kind: 'sound' }) as Promise<SoundRun>,
    defect: (id) => carriesOut({ kind: 'defect', id }) as Promise<DefectRun>,
    variation: (variation) => carriesOut({ kind: 'variation', variation }) as Promise<GapVariationRun>,
    badServer: (name) => carriesOut({ kind: 'bad-server', name }) as Promise<BadServerRun>,
    close,
  }
}

/** @throws UnknownDefectError, RangeError where there is no such thing. */
export function runTrial(suite: Suite, trial: Trial): Promise<Run> {
  switch (trial.kind) {
    case 'sound':
      return runSound(suite)
    case 'defect':
      return runDefect(suite, findDefect(trial.id))
    case 'variation':
      return runGapVariation(suite, trial.variation)
    case 'bad-server':
      return runBadServer(suite, badServerNamed(trial.name))
  }
}

function badServerNamed(name: string) {
  const found = BAD_SERVERS.find((target) => target.name === name)
  if (!found) throw new RangeError(`there is no degenerate server that ${name}`)
  return found
}
