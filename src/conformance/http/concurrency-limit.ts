/** Lets so many through at once: half as many after trouble, and slowly more again. */
export interface ConcurrencyLimit {
  readonly isOpen: boolean
  /** Resolves when somebody has left, or the gate has grown. */
  change(): Promise<void>
  enter(): void
  leave(): void
  shrink(): void
  /** Takes note of a call that went well. */
  grow(): void
}

/** @example const gate = createGate(4) */
export function createConcurrencyLimit(most: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let atOnce = most
  let inside = 0
  let wellSinceChange = 0
  const resize = (size: number): void => {
    atOnce = Math.min(most, Math.max(1, size))
    wellSinceChange = 0
  }
  return {
    get isOpen() {
      return inside < atOnce
    },
    change: () => new Promise((resolve) => waiting.push(resolve)),
    enter: () => void inside++,
    leave() {
      inside--
      for (const next of waiting.splice(0)) next()
    },
    shrink: () => resize(Math.floor(atOnce / 2)),
    grow() {
      wellSinceChange++
      if (wellSinceChange >= 2 * atOnce) resize(atOnce + 1)
    },
  }
}
