import { ENDPOINT_IDS, ENDPOINTS } from '../../contract/endpoints.ts'
import { type Answer, headerOf } from '../http/exchange.ts'
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
