import type { WorldSettings } from '../kernel/settings.ts'
import { commitClock } from './commit-clock.ts'
import type { Environment } from './environment.ts'

/**
 * Sets how many calls each credential of a world may make in so many seconds; null for as many as it likes (ERR-06).
 * Calls already made count.
 *
 * @example setRateLimit(world, { requests: 1, seconds: 1 })
 */
export function setRateLimit(world: Environment, rateLimit: WorldSettings['rateLimit']): void {
  commitClock(world, () => {
    world.settings.rateLimit = rateLimit
  })
}
