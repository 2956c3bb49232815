import type { ClockFacts } from '../../operator-api/rows/clock.ts'
import { browserClock } from '../browser/clock.ts'
import { Signal } from '../browser/signal.ts'

/** The clock of a world as it was last read; a running one goes on from there with the browser's. */
export class WorldClock {
  readonly read = new Signal<{ facts: ClockFacts; atMs: number } | null>(null)

  set(facts: ClockFacts): void {
    this.read.set({ facts, atMs: browserClock.nowMs() })
  }

  /** The world's time now; null before it was read. */
  nowMs(): number | null {
    const { value } = this.read
    if (value === null) return null
    const passedMs = value.facts.mode === 'running' ? browserClock.nowMs() - value.atMs : 0
    return Date.parse(value.facts.now) + passedMs
  }
}
