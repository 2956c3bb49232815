import type { WorldSettings } from '../kernel/settings.ts'
import type { Environment } from './environment.ts'
import { saveWorld } from './open-world.ts'

/** Changes settings within {@link commitClock}. They are replaced, never altered: what depends on them sees that by one comparison. */
export function changeSettings(world: Environment, changed: Partial<WorldSettings>): void {
  world.settings = { ...world.settings, ...changed }
}

/**
 * Changes clock or settings in one transaction with the record of them, so that a restart finds what an answer said;
 * if that fails, both are as before.
 *
 * @param opening whether the transaction runs what is due before the work begins, as every other does, or leaves it to
 *   the work, which can then count and stop.
 */
export function commitClock<Result>(
  world: Environment,
  work: () => Result,
  opening: 'runs-due-tasks' | 'leaves-due-tasks' = 'runs-due-tasks',
): Result {
  const { clock, settings } = world
  const before = { state: clock.state, nowMs: clock.nowMs() }
  try {
    // At the beginning of time nothing is due, so the transaction finds nothing to run of its own accord.
    if (opening === 'leaves-due-tasks') clock.pin(Number.NEGATIVE_INFINITY)
    return world.commits.commitNow(() => {
      clock.pin(null)
      const result = work()
      saveWorld(world)
      return result
    })
  } catch (error) {
    clock.pin(null)
    clock.restart(before.state)
    if (clock.nowMs() < before.nowMs) clock.moveTo(before.nowMs)
    world.settings = settings
    throw error
  }
}
