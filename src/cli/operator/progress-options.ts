import type { Command } from 'commander'
import type { WrittenProgress } from '../../operator-api/rows/worlds.ts'
import { durationText } from '../option-parsers.ts'

/** How a world goes on by itself, as options say it. */
export interface ProgressOptions {
  startAfter?: string
  completeAfter?: string
  settleEvery?: string
}

/** Adds the options that say how a world goes on by itself. */
export function withProgressOptions(command: Command): Command {
  return command
    .option('--start-after <duration>', 'start transfers by itself, so long after the sale', durationText)
    .option('--complete-after <duration>', 'complete transfers by itself, so long after their start', durationText)
    .option('--settle-every <duration>', 'settle by itself, so long after the run before', durationText)
}

/** The operator API's progress; what is left out never happens by itself. Null where no option says anything. */
export function progressBody({ startAfter, completeAfter, settleEvery }: ProgressOptions): WrittenProgress | null {
  const said = { start_after: startAfter, complete_after: completeAfter, settle_every: settleEvery }
  const given = Object.entries(said).filter(([, duration]) => duration !== undefined)
  return given.length === 0 ? null : Object.fromEntries(given)
}
