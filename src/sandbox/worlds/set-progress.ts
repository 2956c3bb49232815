import type { Progress } from '../kernel/settings.ts'
import { commitClock } from './commit-clock.ts'
import type { Environment } from './environment.ts'

/**
 * Sets how a world's orders and settlements go on by themselves. Every wait counts anew from now.
 *
 * @example setProgress(world, { startAfterMs: 60_000, completeAfterMs: 3_600_000, settleEveryMs: null })
 */
export function setProgress(world: Environment, wanted: Omit<Progress, 'sinceMs'>): void {
  commitClock(world, () => {
    const sinceMs = world.clock.nowMs()
    world.settings.progress = { ...wanted, sinceMs }
    // What waits now is looked for at once.
    world.due.note(sinceMs)
  })
}
