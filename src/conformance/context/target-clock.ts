import { ENDPOINT_IDS, ENDPOINTS } from '../../contract/endpoints.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Answer, type Exchange, headerOf } from '../http/exchange.ts'
import { type Run, targetNowMs } from './run.ts'

/** The Date header has whole seconds and took a while: less than this is not an offset. */
const NOTICEABLE_MS = 5_000

/** Takes the target's clock from an answer, so that our timestamps are right by its clock and not by ours. */
export function readClock(run: Run, answer: Answer): void {
  const at = Date.parse(headerOf(answer, 'date') ?? '')
  if (Number.isNaN(at)) return
  const offsetMs = at + 500 - run.wall.nowMs()
  run.clock.offsetMs = Math.abs(offsetMs) < NOTICEABLE_MS ? 0 : offsetMs
}

/** What these operations create shows the time. */
export const OPS_WITH_TIME = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].creates?.at)

/** More than the offset of any time zone: a target that shows local time has not been moved. */
const MOVED_MS = 15 * 60 * 60 * 1_000

/**
 * Takes the time in the target's records from something that it has just created: an earlier run may have moved it while the Date
 * header stayed. The runner never moves it back, so it believes only a time that is ahead.
 */
export function noteWorldTime(run: Pick<Run, 'wall' | 'clock'>, createdAt: unknown): void {
  const { clock } = run
  const atMs = timeInMs(createdAt)
  if (clock.isShown || Number.isNaN(atMs)) return
  clock.isShown = true
  const aheadMs = atMs - targetNowMs(run)
  if (aheadMs > MOVED_MS) clock.advancedMs = aheadMs
}

/** Text, or Unix seconds or milliseconds. */
function timeInMs(value: unknown): number {
  if (typeof value === 'string') return Date.parse(value)
  if (typeof value !== 'number') return Number.NaN
  return value < 100_000_000_000 ? value * 1_000 : value
}

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
