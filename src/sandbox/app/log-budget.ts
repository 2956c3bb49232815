/** One log's part of what all logs keep. */
export interface LogShare {
  bytes(): number
  entries(): number
  /** Only where it has an entry. */
  dropOldest(): void
}

/** What all request logs of a process may keep together. */
export interface LogBudget {
  /** Says that a log has grown, or shrunk by as much as is negative. One that grew keeps its latest entry. */
  changed(share: LogShare, bytes: number): void
  /** Forgets a log that keeps nothing. */
  leave(share: LogShare): void
  readonly bytes: number
}

const PROCESS_BYTES = 256 * 1024 * 1024
/** So much is made free at a time that not every call has to look for what is to go. */
const FREED_SHARE = 1 / 16

/**
 * Bounds the memory of many logs: where they are too large together, the oldest calls of the largest go first, so that a busy world
 * does not drive out what little a quiet one has.
 */
export function createLogBudget(limitBytes: number): LogBudget {
  const shares = new Set<LogShare>()
  let total = 0

  function largest(grown: LogShare): LogShare | null {
    let found: LogShare | null = null
    for (const share of shares) {
      if (share.entries() <= (share === grown ? 1 : 0)) continue
      if (found === null || share.bytes() > found.bytes()) found = share
    }
    return found
  }

  function makeRoom(grown: LogShare): void {
    const wanted = limitBytes * (1 - FREED_SHARE)
    while (total > wanted) {
      const share = largest(grown)
      if (share === null) return
      // Some at a time: of a thousand logs the largest is not looked for with each entry.
      const some = Math.max(1, Math.floor((share.entries() - 1) * FREED_SHARE))
      for (let i = 0; i < some && total > wanted; i++) share.dropOldest()
    }
  }

  return {
    changed(share, bytes) {
      total += bytes
      if (bytes <= 0) return
      shares.add(share)
      if (total > limitBytes) makeRoom(share)
    },
    leave(share) {
      shares.delete(share)
    },
    get bytes() {
      return total
    },
  }
}

/** Memory is the process's, whatever runs in it. */
export const PROCESS_BUDGET = createLogBudget(PROCESS_BYTES)
