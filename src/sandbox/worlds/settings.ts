import type { Environment } from '../app/environment.ts'
import type { Progress, WorldSettings } from '../kernel/settings.ts'
import { presentFacts } from './open-world.ts'
import { saveFacts } from './world-facts.ts'

/**
 * Changes settings of a world. What is in the outbox keeps its copies and its delay, what is booked stays as it is, a
 * brokerage case keeps the rate on which it was opened, and calls already made count for another rate limit.
 */
export function setSettings(world: Environment, changed: Partial<Omit<WorldSettings, 'progress'>>): void {
  commitClock(world, () => changeSettings(world, changed))
}

/** Sets how a world's orders and settlements go on by themselves. Every wait begins again now. */
export function setProgress(world: Environment, wanted: Omit<Progress, 'sinceMs'>): void {
  commitClock(world, () => changeSettings(world, { progress: { ...wanted, sinceMs: world.clock.nowMs() } }))
}

/** Changes settings within {@link commitClock}. They are replaced, never altered: what depends on them sees that by one comparison. */
export function changeSettings(world: Environment, changed: Partial<WorldSettings>): void {
  world.settings = { ...world.settings, ...changed }
}

/**
 * Changes clock or settings in one transaction with the record of them, so that a restart finds what an answer said;
 * if that fails, both are as before.
 *
 * @param options.runsDue whether overdue tasks run first, which is usual.
 */
export function commitClock<Result>(world: Environment, work: () => Result, options?: { runsDue: boolean }): Result {
  const { clock, settings } = world
  const before = { state: clock.state, nowMs: clock.nowMs() }
  try {
    return world.commits.commitNow(() => {
      clock.pin(null)
      const result = work()
      saveFacts(world.db, presentFacts(world))
      return result
    }, options)
  } catch (error) {
    clock.pin(null)
    clock.restart(before.state)
    if (clock.nowMs() < before.nowMs) clock.moveTo(before.nowMs)
    world.settings = settings
    throw error
  }
}
