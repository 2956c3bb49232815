import type { Answer } from './answer.ts'
import type { Call } from './call.ts'

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

const DEFAULT_LIMITS = { entries: 10_000, bytes: 50 * 1024 * 1024 }
/** What an entry weighs beside its bodies: headers, canonical string, objects. */
const OVERHEAD_BYTES = 2_000

/**
 * Keeps references only; everything shown of a call is worked out when somebody asks, so that logging costs a call
 * next to nothing.
 *
 * @example const log = createRequestLog({ entries: 1_000, bytes: 5_000_000 })
 */
export function createRequestLog(limits = DEFAULT_LIMITS): RequestLog {
  let kept: LoggedCall[] = []
  let first = 0
  let bytes = 0
  let added = 0

  function dropOldest(): void {
    bytes -= weightOf(kept[first] as LoggedCall)
    first++
    if (first * 2 > kept.length && first > 256) {
      kept = kept.slice(first)
      first = 0
    }
  }

  return {
    add(entry) {
      added += 1
      const logged = { ...entry, position: added }
      kept.push(logged)
      bytes += weightOf(logged)
      while (kept.length - first > limits.entries || (bytes > limits.bytes && kept.length - first > 1)) dropOldest()
      return logged
    },
    get position() {
      return added
    },
    find(requestId) {
      for (let i = kept.length - 1; i >= first; i--) if (kept[i]?.call.id === requestId) return kept[i] as LoggedCall
      return null
    },
    latest: () => kept.slice(first).reverse(),
    clear() {
      kept = []
      first = 0
      bytes = 0
    },
  }
}

function weightOf({ call, answer }: LoggedCall): number {
  return OVERHEAD_BYTES + call.body.length + call.target.length + answer.body.length
}
