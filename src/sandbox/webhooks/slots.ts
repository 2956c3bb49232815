/**
 * Places for attempts over all worlds of a server. The first attempt of an endpoint needs none, so no endpoint ever waits
 * for another one; only those that it has in flight besides are counted here.
 */
export interface Slots {
  /**
   * Takes a slot for an endpoint that has an attempt in flight already.
   *
   * @param isFailing whether the last attempt to it that has ended failed.
   * @param onFree called once when a slot is free again, if there is none now.
   */
  take(isFailing: boolean, onFree: () => void): boolean
  release(): void
}

/**
 * @param count how many there are; endpoints that fail may bring it to half of that.
 * @example const slots = createSlots(256)
 */
export function createSlots(count: number): Slots {
  const waiting = new Set<() => void>()
  let taken = 0
  return {
    take(isFailing, onFree) {
      if (taken < (isFailing ? count / 2 : count)) {
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
