import { findDefect } from '../defects/index.ts'
import { DEGENERATE_TARGETS } from './bad-server-targets.ts'
import { runDegenerate } from './bad-servers.ts'
import { runDefect } from './defect-detection.ts'
import { type Freedom, runFreedom } from './gap-variations.ts'
import type { DefectRun, DegenerateRun, FreedomRun, SoundRun } from './result.ts'
import { runSound } from './sound.ts'
import type { Suite } from './suite.ts'

/** One thing that a self-test tries, in words that can be sent to another thread. */
export type Trial =
  | { kind: 'sound' }
  | { kind: 'defect'; id: string }
  | { kind: 'freedom'; freedom: Freedom }
  | { kind: 'degenerate'; name: string }

/** Whoever carries trials out: this thread, or several others. */
export interface Hands {
  /** So many trials are worth having under way at once. */
  readonly atOnce: number
  sound(): Promise<SoundRun>
  defect(id: string): Promise<DefectRun>
  freedom(freedom: Freedom): Promise<FreedomRun>
  degenerate(name: string): Promise<DegenerateRun>
  close(): Promise<void>
}

export type Run = SoundRun | DefectRun | FreedomRun | DegenerateRun

/** Most of a trial is waiting for answers, yet all servers and runners of a thread share it. */
export const AT_ONCE_IN_A_THREAD = 4

export function handsHere(suite: Suite): Hands {
  return handsBy(
    (trial) => carryOut(suite, trial),
    AT_ONCE_IN_A_THREAD,
    () => Promise.resolve(),
  )
}

/** @param carriesOut gives the kind of run that belongs to the kind of trial. */
export function handsBy(carriesOut: (trial: Trial) => Promise<Run>, atOnce: number, close: () => Promise<void>): Hands {
  return {
    atOnce,
    sound: () => carriesOut({ kind: 'sound' }) as Promise<SoundRun>,
    defect: (id) => carriesOut({ kind: 'defect', id }) as Promise<DefectRun>,
    freedom: (freedom) => carriesOut({ kind: 'freedom', freedom }) as Promise<FreedomRun>,
    degenerate: (name) => carriesOut({ kind: 'degenerate', name }) as Promise<DegenerateRun>,
    close,
  }
}

/** @throws UnknownDefectError, RangeError where there is no such thing. */
export function carryOut(suite: Suite, trial: Trial): Promise<Run> {
  switch (trial.kind) {
    case 'sound':
      return runSound(suite)
    case 'defect':
      return runDefect(suite, findDefect(trial.id))
    case 'freedom':
      return runFreedom(suite, trial.freedom)
    case 'degenerate':
      return runDegenerate(suite, degenerateCalled(trial.name))
  }
}

function degenerateCalled(name: string) {
  const found = DEGENERATE_TARGETS.find((target) => target.name === name)
  if (!found) throw new RangeError(`there is no degenerate server that ${name}`)
  return found
}
