import type { ScenarioResult } from '../result/result.ts'

/** Whether a run is to end before its time, and why. */
export interface EarlyStop {
  /** What kept the rest from being carried out, as a sentence; null while the run goes on. */
  readonly why: string | null
  /** Takes note of a scenario that is over. */
  note(scenario: ScenarioResult): void
  /** Ends it for what the target does, in words that go before "before this was reached". */
  stop(why: string): void
}

/**
 * Ends a run when it is interrupted, or after so many scenarios that failed. Scenarios under way are then brought to their
 * end where it is the failures, and to their clean-up where it is a person who ends it.
 */
export function createEarlyStop({ bail, signal }: { bail?: number; signal?: AbortSignal }): EarlyStop {
  let failed = 0
  let stopped: string | null = null
  return {
    get why() {
      if (signal?.aborted) return 'the run was interrupted'
      if (bail !== undefined && failed >= bail) return `the run ended after ${scenarios(failed)} failed (--bail)`
      return stopped
    },
    note({ verdict }) {
      if (verdict === 'fail') failed++
    },
    stop(why) {
      stopped ??= why
    },
  }
}

function scenarios(count: number): string {
  return count === 1 ? 'one scenario' : `${count} scenarios`
}
