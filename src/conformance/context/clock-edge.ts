import { LIMITS } from '../../contract/limits.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import type { Run } from './run.ts'

/** The Date header has whole seconds. */
const SECOND_MS = 1_000
/** An answer that came within this time shows at which second it was judged. */
export const PROMPT_MS = 500
/** How far from the limit a timestamp stays where the clock of the target is not known to a second. */
const CLEAR_SECONDS = 10

/** Narrows down what the clock of the target is ahead of ours, by the Date header of an answer. */
export function noteDate(
  { clock }: Pick<Run, 'clock'>,
  { sentAtMs, answer, tookMs }: Pick<Exchange, 'sentAtMs' | 'answer' | 'tookMs'>,
): void {
  const at = Date.parse((answer && headerOf(answer, 'date')) ?? '')
  if (Number.isNaN(at)) return
  const { leastMs, mostMs } = clock.bounds
  clock.bounds = {
    leastMs: Math.max(leastMs, at - (sentAtMs + tookMs)),
    mostMs: Math.min(mostMs, at + SECOND_MS - sentAtMs),
  }
}

/**
 * The shift of a timestamp that is to be so many seconds off by the clock of the target: to the second where all its Date headers
 * agree about that clock, else clear of the limit. What is left unknown, and the way to the target, keep it on its side of the limit.
 */
export function edgeShift({ clock }: Pick<Run, 'clock'>, seconds: number): number {
  const { bounds, offsetMs } = clock
  const { leastMs, mostMs } = bounds
  const isOutside = Math.abs(seconds) > LIMITS.timestampSkewSeconds
  const widthMs = mostMs - leastMs
  if (!(widthMs >= 0 && widthMs <= SECOND_MS))
    return seconds + Math.sign(seconds) * (isOutside ? CLEAR_SECONDS : -CLEAR_SECONDS)
  // Whole seconds, because the call is signed at any moment of one.
  return seconds < 0 === isOutside
    ? seconds + Math.floor((leastMs - offsetMs) / SECOND_MS)
    : seconds + Math.ceil((mostMs - offsetMs + PROMPT_MS) / SECOND_MS)
}
