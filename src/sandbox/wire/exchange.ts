import type { Call } from './call.ts'
import type { Answer } from './route.ts'

/** A call and what it came to; what coverage, hints and explanations need to know of it. */
export interface Exchange {
  readonly call: Call
  /** What was sent, or would have been where the connection was closed instead. */
  readonly answer: Answer
  /** World time when it was answered, in milliseconds. */
  readonly worldTimeMs: number
  /** From the last byte received to the answer, in milliseconds. */
  readonly tookMs: number
}
