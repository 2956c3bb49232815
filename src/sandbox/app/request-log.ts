import type { Answer } from '../wire/answer.ts'
import type { Call } from '../wire/call.ts'
import { type LogBudget, type LogShare, PROCESS_BUDGET } from './log-budget.ts'

/** One call as the log keeps it. */
export interface LoggedCall {
  /** Position in the world's log, counting from 1; never given twice. */
  readonly position: number
  readonly call: Call
  readonly answer: Answer
  /** World time when it was answered, in milliseconds. */
  readonly worldTimeMs: number
  /** From the last byte received to the answer, in milliseconds. */
  readonly tookMs: number
  /** What went wrong inside, for a 500; null otherwise. */
  readonly failure: unknown
}

/** The latest calls of a world: bounded, oldest dropped first. */
export interface RequestLog {
  add(entry: Omit<LoggedCall, 'position'>): LoggedCall
  /** That of the latest call; 0 before the first. */
  readonly position: number
  find(requestId: string): LoggedCall | null
  /** Newest first. */
  latest(): LoggedCall[]
  clear(): void
}

/** What the log of one world keeps at most. */
export const LOG_LIMITS = { entries: 10_000, bytes: 50 * 1024 * 1024 } as const
/** What an entry weighs beside its texts: objects, and the arrays that hold them. */
const OVERHEAD_BYTES = 2_000

/**
 * Keeps references only; everything shown of a call is worked out when somebody asks, so that logging costs a call
 * next to nothing.
 *
 * @param budget shared with the logs of other worlds, so that a thousand of them do not take a thousand times the memory.
 */
export function createRequestLog(
  limits: { entries: number; bytes: number } = LOG_LIMITS,
  budget: LogBudget = PROCESS_BUDGET,
): RequestLog {
  let kept: (LoggedCall | null)[] = []
  let weights: number[] = []
  let first = 0
  let bytes = 0
  let added = 0

  function dropOldest(): void {
    const weight = weights[first] as number
    bytes -= weight
    budget.changed(share, -weight)
    // Forgotten at once: what waits here for the slice below would hold as much memory again as what is kept.
    kept[first] = null
    first++
    if (first * 2 > kept.length && first > 256) {
      kept = kept.slice(first)
      weights = weights.slice(first)
      first = 0
    }
  }

  const share: LogShare = {
    bytes: () => bytes,
    entries: () => kept.length - first,
    dropOldest,
  }

  return {
    add(entry) {
      added += 1
      const logged = { ...entry, position: added }
      const weight = weightOf(logged)
      kept.push(logged)
      weights.push(weight)
      bytes += weight
      while (kept.length - first > limits.entries || (bytes > limits.bytes && kept.length - first > 1)) dropOldest()
      budget.changed(share, weight)
      return logged
    },
    get position() {
      return added
    },
    find(requestId) {
      for (let i = kept.length - 1; i >= first; i--) if (kept[i]?.call.id === requestId) return kept[i] as LoggedCall
      return null
    },
    latest: () => (kept.slice(first) as LoggedCall[]).reverse(),
    clear() {
      budget.changed(share, -bytes)
      budget.leave(share)
      kept = []
      weights = []
      first = 0
      bytes = 0
    },
  }
}

/** Everything that a logged call keeps from being forgotten, a byte for a character. */
function weightOf({ call, answer }: LoggedCall): number {
  let bytes = OVERHEAD_BYTES + call.body.length + call.target.length + answer.body.length
  bytes += (call.canonicalString?.length ?? 0) + (call.detail?.length ?? 0)
  for (const text of call.rawHeaders) bytes += text.length
  for (const [name, value] of call.query) bytes += name.length + value.length
  for (const name in answer.headers) bytes += name.length + String(answer.headers[name]).length
  return bytes
}
