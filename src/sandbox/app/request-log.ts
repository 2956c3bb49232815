import type { Call } from '../wire/call.ts'
import type { Answer } from '../wire/route.ts'

/** A call and what it came to. */
export interface AnsweredCall {
  readonly call: Call
  readonly answer: Answer
  /** World time when it was answered, in milliseconds. */
  readonly worldTimeMs: number
}

/** One call as the log keeps it. */
export interface LoggedCall extends AnsweredCall {
  /** Position in the world's log, counting from 1; never given twice. */
  readonly position: number
  /** From the last byte received to the answer, in milliseconds. */
  readonly tookMs: number
  /** What went wrong inside, for a 500; null otherwise. */
  readonly failure: unknown
}

/** What the log of one world keeps at most. */
export const LOG_LIMITS = { entries: 10_000, bytes: 50 * 1024 * 1024 } as const
/** What an entry weighs beside its texts: objects, and the arrays that hold them. */
const OVERHEAD_BYTES = 2_000

/**
 * The latest calls of a world: bounded, oldest dropped first. It keeps references only; everything shown of a call is worked
 * out on request, so that logging costs a call next to nothing.
 */
export class RequestLog {
  readonly #limits: { entries: number; bytes: number }
  readonly #budget: LogBudget
  #kept: (LoggedCall | null)[] = []
  #weights: number[] = []
  #first = 0
  #bytes = 0
  #added = 0

  /** @param budget shared with the logs of other worlds, so that a thousand do not take a thousand times the memory. */
  constructor(limits: { entries: number; bytes: number } = LOG_LIMITS, budget = PROCESS_BUDGET) {
    this.#limits = limits
    this.#budget = budget
  }

  add(entry: Omit<LoggedCall, 'position'>): LoggedCall {
    this.#added += 1
    const logged = { ...entry, position: this.#added }
    const weight = weightOf(logged)
    this.#kept.push(logged)
    this.#weights.push(weight)
    this.#bytes += weight
    while (this.#isFull()) this.dropOldest()
    this.#budget.changed(this, weight)
    return logged
  }

  /** Position of the latest call; 0 before the first. */
  get position(): number {
    return this.#added
  }

  get bytes(): number {
    return this.#bytes
  }

  get entries(): number {
    return this.#kept.length - this.#first
  }

  find(requestId: string): LoggedCall | null {
    for (let i = this.#kept.length - 1; i >= this.#first; i--) {
      const entry = this.#kept[i]
      if (entry?.call.id === requestId) return entry
    }
    return null
  }

  /** Newest first. */
  latest(): LoggedCall[] {
    return (this.#kept.slice(this.#first) as LoggedCall[]).reverse()
  }

  clear(): void {
    this.#budget.changed(this, -this.#bytes)
    this.#budget.leave(this)
    this.#kept = []
    this.#weights = []
    this.#first = 0
    this.#bytes = 0
  }

  /** Only if it has an entry. */
  dropOldest(): void {
    const weight = this.#weights[this.#first] as number
    this.#bytes -= weight
    this.#budget.changed(this, -weight)
    // Forgotten at once: what waits here for the slice below would hold as much memory again as what is kept.
    this.#kept[this.#first] = null
    this.#first++
    if (this.#first * 2 > this.#kept.length && this.#first > 256) {
      this.#kept = this.#kept.slice(this.#first)
      this.#weights = this.#weights.slice(this.#first)
      this.#first = 0
    }
  }

  #isFull(): boolean {
    return this.entries > this.#limits.entries || (this.#bytes > this.#limits.bytes && this.entries > 1)
  }
}

/** Everything that a logged call keeps from being forgotten, a byte for a character. */
function weightOf({ call, answer }: LoggedCall): number {
  let bytes = OVERHEAD_BYTES + call.body.length + call.target.length + answer.body.length
  bytes += call.detail?.length ?? 0
  for (const { name, sent, expected } of call.grounds?.compared ?? [])
    bytes += name.length + (sent?.length ?? 0) + (expected?.length ?? 0)
  for (const text of call.rawHeaders) bytes += text.length
  for (const [name, value] of call.query) bytes += name.length + value.length
  for (const name in answer.headers) bytes += name.length + String(answer.headers[name]).length
  return bytes
}

/** So much is made free at a time that not every call has to look for what is to go. */
const FREED_SHARE = 1 / 16

/**
 * Bounds the memory of many logs: if they are too large together, the oldest calls of the largest go first, so that a busy
 * world does not drive out what little a quiet one has.
 */
export class LogBudget {
  readonly #limitBytes: number
  readonly #logs = new Set<RequestLog>()
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Says that a log has grown, or shrunk by as much as is negative. One that grew keeps its latest entry. */
  changed(log: RequestLog, bytes: number): void {
    this.#bytes += bytes
    if (bytes <= 0) return
    this.#logs.add(log)
    if (this.#bytes > this.#limitBytes) this.#makeRoom(log)
  }

  /** Forgets a log that keeps nothing. */
  leave(log: RequestLog): void {
    this.#logs.delete(log)
  }

  #makeRoom(grown: RequestLog): void {
    const wanted = this.#limitBytes * (1 - FREED_SHARE)
    while (this.#bytes > wanted) {
      const log = this.#largest(grown)
      if (log === null) return
      // Some at a time: of a thousand logs the largest is not looked for with each entry.
      const some = Math.max(1, Math.floor((log.entries - 1) * FREED_SHARE))
      for (let i = 0; i < some && this.#bytes > wanted; i++) log.dropOldest()
    }
  }

  #largest(grown: RequestLog): RequestLog | null {
    let found: RequestLog | null = null
    for (const log of this.#logs) {
      if (log.entries <= (log === grown ? 1 : 0)) continue
      if (found === null || log.bytes > found.bytes) found = log
    }
    return found
  }
}

/** Memory belongs to the process. */
export const PROCESS_BUDGET = new LogBudget(256 * 1024 * 1024)
