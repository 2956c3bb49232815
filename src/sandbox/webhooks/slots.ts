/** Attempts that may be in flight at one time, over all worlds of a server. */
export interface Slots {
  /**
   * Takes a slot for an endpoint.
   *
   * @param own how many the endpoint has already.
   * @param onFree called once when a slot is free again, if there is none now.
   */
  take(own: number, onFree: () => void): boolean
  release(): void
}

/** The last of the slots are for endpoints that have none, so that slow ones cannot hold them all. */
const KEPT_FOR_FIRST = 16

/**
 * @param count how many there are.
 * @example const slots = createSlots(64)
 */
export function createSlots(count: number): Slots {
  const waiting = new Set<() => void>()
  let taken = 0
  return {
    take(own, onFree) {
      if (taken < (own === 0 ? count : count - KEPT_FOR_FIRST)) {
        taken += 1
        return true
      }
      waiting.add(onFree)
      return false
    },
    release() {
      taken -= 1
      const told = [...waiting]
      waiting.clear()
      for (const onFree of told) onFree()
    },
  }
}
