import type { Steps } from '../../contract/steps.ts'
import type { WorldSettings } from '../kernel/settings.ts'
import type { Environment } from './environment.ts'
import { saveWorld } from './open-world.ts'

/** Changes settings within {@link commitClock}. They are replaced, never altered: what depends on them sees that by one comparison. */
export function changeSettings(world: Environment, changed: Partial<WorldSettings>): void {
  world.settings = { ...world.settings, ...changed }
}

/**
 * Changes clock or settings in one transaction with the record of them, so that a restart finds what an answer said;
 * if that fails, both are as before. What is due runs first.
 */
export function commitClock<Result>(world: Environment, work: () => Result): Result {
  const undo = undoingClock(world)
  try {
    return world.commits.commitNow(() => {
      world.clock.pin(null)
      const result = work()
      saveWorld(world)
      return result
    })
  } catch (error) {
    undo()
    throw error
  }
}

/** The same in turns of the event loop. What is due is left to the work, which can then count and stop. */
export async function commitClockInTurns<Result>(world: Environment, work: () => Steps<Result>): Promise<Result> {
  await world.commits.idle()
  const undo = undoingClock(world)
  function* saving(): Steps<Result> {
    world.clock.pin(null)
    const result = yield* work()
    saveWorld(world)
    return result
  }
  try {
    return await world.commits.commitInTurns(saving, false)
  } catch (error) {
    undo()
    throw error
  }
}

/** Puts clock and settings back to what they are now. */
function undoingClock(world: Environment): () => void {
  const { clock, settings } = world
  const before = { state: clock.state, nowMs: clock.nowMs() }
  return () => {
    clock.pin(null)
    clock.restart(before.state)
    if (clock.nowMs() < before.nowMs) clock.moveTo(before.nowMs)
    world.settings = settings
  }
}
