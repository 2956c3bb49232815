import type { Slots } from '../kernel/outbound.ts'

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
