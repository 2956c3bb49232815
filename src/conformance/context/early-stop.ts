import type { ScenarioResult } from '../result/result.ts'

/** Whether a run is to end before its time, and why. */
export interface EarlyStop {
  /** Why the rest was not carried out, as a sentence; null while the run continues. */
  readonly why: string | null
  /** Takes note of a scenario that is over. */
  note(scenario: ScenarioResult): void
  /** Ends it for what the target does, in words that go before "before this was reached". */
  stop(why: string): void
}

/**
 * Ends a run when it is interrupted, or after a number of failed scenarios. After failures, scenarios under way run to their
 * end; after an interruption, they only clean up.
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
