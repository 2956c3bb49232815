import { LIMITS } from '../../contract/limits.ts'
import { type Caller, edgeShift } from '../context/run.ts'
import { converse } from '../context/send-call.ts'
import { isAccepted } from '../http/exchange.ts'
import { probeCall } from '../signing/sign-call.ts'

/** A clock further from the Date header than this is wrong, whatever the length of the window. */
const MOST_AHEAD_SECONDS = 60
/** Each end of the window is found to a second, and calls keep clear of the limit by about as much. */
const TOLERANCE_SECONDS = 1
const LEAST_AHEAD_SECONDS = 2

/**
 * Finds out by which clock the target judges timestamps, once in a run: a gateway may write the Date header by another one. The clock is
 * off if the window of accepted timestamps is as long as it should be and lies elsewhere. A longer or shorter window is a violation.
 */
export async function noteJudgingClock(caller: Caller): Promise<void> {
  const { clock } = caller.run
  clock.judging ??= secondsAhead(caller)
  clock.judgedAheadSeconds = await clock.judging
}

async function secondsAhead(caller: Caller): Promise<number> {
  const limit = LIMITS.timestampSkewSeconds
  const isTaken = (seconds: number) => takes(caller, seconds)
  for (const sign of [-1, 1]) {
    if (await isTaken(edgeShift(caller.run, sign * (limit + 1)))) return measured(isTaken, limit)
    if (!(await isTaken(edgeShift(caller.run, sign * (limit - 1))))) return measured(isTaken, limit)
  }
  return 0
}

/** The middle of the window that is accepted, if it has the right length. */
async function measured(isTaken: (seconds: number) => Promise<boolean>, limit: number): Promise<number> {
  const [inside, outside] = [limit - MOST_AHEAD_SECONDS, limit + MOST_AHEAD_SECONDS]
  const ends: number[] = []
  for (const sign of [-1, 1]) {
    if (!(await isTaken(sign * inside)) || (await isTaken(sign * outside))) return 0
    let [taken, refused] = [inside, outside]
    while (refused - taken > 1) {
      const between = Math.floor((taken + refused) / 2)
      if (await isTaken(sign * between)) taken = between
      else refused = between
    }
    ends.push(sign * taken)
  }
  const [first = 0, last = 0] = ends
  const [length, ahead] = [last - first, (first + last) / 2]
  const isClock = Math.abs(length - 2 * limit) <= TOLERANCE_SECONDS && Math.abs(ahead) >= LEAST_AHEAD_SECONDS
  return isClock ? Math.round(ahead) : 0
}

async function takes(caller: Caller, shift: number): Promise<boolean> {
  const { credentials, target } = caller.run
  const call = { ...probeCall(credentials.main, target.fixtures.unlisted), fault: { timestamp: { shift } } }
  return isAccepted((await converse(caller, call)).answer)
}
