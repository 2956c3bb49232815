import { LIMITS } from '../../contract/limits.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Run, targetNowMs } from './run-context.ts'

/** The Date header has whole seconds. */
const SECOND_MS = 1_000
/** An answer that came within this time shows at which second it was judged. */
export const PROMPT_MS = 500
/** How far from the limit a timestamp stays where the clock of the target is not known to a second. */
const CLEAR_SECONDS = 10

/** Narrows down what the clock of the target is ahead of ours, by the Date header of an answer. */
export function noteDate(
  { learned }: Pick<Run, 'learned'>,
  { sentAtMs, outcome }: Pick<Exchange, 'sentAtMs' | 'outcome'>,
): void {
  if (outcome.kind !== 'response') return
  const { headers, tookMs } = outcome.response
  const at = Date.parse(headers.find(([name]) => name.toLowerCase() === 'date')?.[1] ?? '')
  if (Number.isNaN(at)) return
  const { leastMs, mostMs } = learned.clockBounds
  learned.clockBounds = {
    leastMs: Math.max(leastMs, at - (sentAtMs + tookMs)),
    mostMs: Math.min(mostMs, at + SECOND_MS - sentAtMs),
  }
}

/**
 * The shift of a timestamp that is to be so many seconds off by the clock of the target: to the second where all its Date headers
 * agree about that clock, else clear of the limit.
 */
export function edgeShift(run: Run, seconds: number): number {
  const { leastMs, mostMs } = run.learned.clockBounds
  const width = mostMs - leastMs
  if (width >= 0 && width <= SECOND_MS) {
    const nowMs = run.wall.nowMs() + run.learned.skewMs + (leastMs + mostMs) / 2
    return seconds + Math.floor(nowMs / SECOND_MS) - Math.floor(targetNowMs(run) / SECOND_MS)
  }
  const outside = Math.abs(seconds) > LIMITS.timestampSkewSeconds ? CLEAR_SECONDS : -CLEAR_SECONDS
  return seconds + Math.sign(seconds) * outside
}
