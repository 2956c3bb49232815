import { ENDPOINT_IDS, ENDPOINTS } from '../../contract/endpoints.ts'
import { type Answer, headerOf, isAccepted } from '../http/answer.ts'
import { PROBE } from '../signing/sign-plan.ts'
import type { TargetCredential } from '../target/target.ts'
import { type Client, type Run, targetNowMs } from './run-context.ts'
import { converse, type Turn } from './send-call.ts'

/** The Date header has whole seconds and took a while: less than this is not an offset. */
const NOTICEABLE_MS = 5_000

/** Takes the target's clock from an answer, so that our timestamps are right by its clock and not by ours. */
export function readClock(run: Run, answer: Answer): void {
  const at = Date.parse(headerOf(answer, 'date') ?? '')
  if (Number.isNaN(at)) return
  const offsetMs = at + 500 - run.wall.nowMs()
  run.learned.clockOffsetMs = Math.abs(offsetMs) < NOTICEABLE_MS ? 0 : offsetMs
}

/** After an operator has moved the clock: signs by the one that the target judges timestamps by. */
export async function recheckClock(client: Client, credential: TargetCredential, movedMs: number): Promise<void> {
  const { learned } = client.run
  const before = learned.clockOffsetMs
  const first = await probe(client, credential)
  if (first === null || isAccepted(first) || ![400, 401, 403].includes(first.status)) return
  readClock(client.run, first)
  if (learned.clockOffsetMs !== before && isAccepted(await probe(client, credential))) return
  learned.clockOffsetMs = before + movedMs
  if (!isAccepted(await probe(client, credential))) learned.clockOffsetMs = before
}

/** A read that any correct target accepts, for any domain. */
export async function probe(
  client: Client,
  credential: TargetCredential,
  takesAnyAnswer = false,
): Promise<Answer | null> {
  return (await probeTurn(client, credential, takesAnyAnswer)).answer
}

/** The same, with why nothing came. */
export function probeTurn(client: Client, credential: TargetCredential, takesAnyAnswer = false): Promise<Turn> {
  return converse(client, { op: 'availability', plan: PROBE, credential, takesAnyAnswer })
}

/** What these operations create shows the time. */
export const OPS_WITH_TIME = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].creates?.at)

/** More than the offset of any time zone: a target that shows local time has not been moved. */
const MOVED_MS = 15 * 60 * 60 * 1_000

/**
 * Takes the time in the target's records from something that it has just created: an earlier run may have moved it while the Date
 * header stayed. The runner never moves it back, so it believes only a time that is ahead.
 */
export function noteWorldTime(run: Pick<Run, 'wall' | 'learned'>, createdAt: unknown): void {
  const { learned } = run
  const atMs = timeInMs(createdAt)
  if (learned.worldTimeKnown || Number.isNaN(atMs)) return
  learned.worldTimeKnown = true
  const aheadMs = atMs - targetNowMs(run)
  if (aheadMs > MOVED_MS) learned.advancedMs = aheadMs
}

/** Text, or Unix seconds or milliseconds. */
function timeInMs(value: unknown): number {
  if (typeof value === 'string') return Date.parse(value)
  if (typeof value !== 'number') return Number.NaN
  return value < 100_000_000_000 ? value * 1_000 : value
}
