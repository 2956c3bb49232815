import type { LoadedScenario } from '../format/scenario.ts'
import { baseOf, rowOf } from '../result/result.ts'
import type { Schedule } from './selection.ts'

/** A scenario that the budget leaves no room for, and which rows of its file run instead. */
export interface LeftOut {
  loaded: LoadedScenario
  note: string
}

/** A call and, for most refusals, a share of its twin. */
const REQUESTS_A_STEP = 1.2

/**
 * What of a schedule fits into a budget of requests. Rows of the same file say the same of different things, so that of each file as
 * many are left out as it takes, evenly; its first row stays.
 */
export function sampledFor(requests: number, schedule: Schedule): { schedule: Schedule; leftOut: LeftOut[] } {
  const { chosen } = schedule
  const rows = chosen.filter(({ id }) => rowOf(id) !== null)
  const forRows = requests - costOf(chosen.filter(({ id }) => rowOf(id) === null))
  if (costOf(rows) <= forRows) return { schedule, leftOut: [] }
  const share = Math.max(0, forRows / costOf(rows))
  const files = new Set(rows.map(({ id }) => baseOf(id)))
  const leftOut = [...files].flatMap((file) =>
    rest(
      rows.filter(({ id }) => baseOf(id) === file),
      share,
    ),
  )
  const isLeftOut = new Set(leftOut.map(({ loaded }) => loaded))
  const stays = (loaded: LoadedScenario): boolean => !isLeftOut.has(loaded)
  const { together, alone } = schedule
  return {
    schedule: { ...schedule, together: together.filter(stays), alone: alone.filter(stays) },
    leftOut,
  }
}

function costOf(scenarios: readonly LoadedScenario[]): number {
  return scenarios.reduce((total, { scenario }) => total + scenario.steps.length * REQUESTS_A_STEP, 0)
}

/** The rows of a file that are left out, where this share of them runs. */
function rest(ofFile: readonly LoadedScenario[], share: number): LeftOut[] {
  const count = Math.max(1, Math.floor(ofFile.length * share))
  const kept = new Set(Array.from({ length: count }, (_, index) => ofFile[Math.floor((index * ofFile.length) / count)]))
  const names = [...kept].map((loaded) => rowOf(loaded?.id ?? '')).join(', ')
  const note = `the budget of requests has no room for every row of this file; these run: ${names}`
  return ofFile.filter((loaded) => !kept.has(loaded)).map((loaded) => ({ loaded, note }))
}
