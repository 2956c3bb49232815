import type { DatabaseKeeper } from './database-lru.ts'

/** The databases in memory that are not at rest. */
export interface AwakeList {
  /** @returns a number that is higher with each use of any of them. */
  use(): number
  add(keeper: DatabaseKeeper): void
  remove(keeper: DatabaseKeeper): void
}

/** Few servers ever have more worlds in use at once; 64 test files in parallel have 64. */
const MOST_AWAKE = 128

/**
 * Keeps so many databases awake: the one that was not used for longest is put to rest when there are more, one in a turn of
 * the event loop.
 *
 * @example const awake = createAwakeList(128)
 */
export function createAwakeList(most = MOST_AWAKE): AwakeList {
  const awake = new Set<DatabaseKeeper>()
  let uses = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || awake.size <= most) return
    isScheduled = true
    setImmediate(restOne)
  }

  function restOne(): void {
    isScheduled = false
    const idle = leastRecent()
    if (idle && awake.size > most) {
      awake.delete(idle)
      idle.rest()
    }
    schedule()
  }

  function leastRecent(): DatabaseKeeper | null {
    let found: DatabaseKeeper | null = null
    for (const keeper of awake) if (!found || keeper.lastUse < found.lastUse) found = keeper
    return found
  }

  return {
    use: () => ++uses,
    add(keeper) {
      awake.add(keeper)
      schedule()
    },
    remove: (keeper) => awake.delete(keeper),
  }
}
