import { sleep, type WallClock } from '../../clock/wall-clock.ts'
import { HEADERS } from '../../contract/headers.ts'
import { NotRun } from '../result/signals.ts'
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'
import type { Outcome } from './exchange.ts'
import { retryAfterMs } from './retry-after.ts'

/** How a run treats its target: how many calls are under way, who waits for whom, and when it is enough. */
export interface Throttle {
  /** Carries a call out in its turn. @throws NotRun once the run has given the target up. */
  through<Sent extends { outcome: Outcome }>(call: CallKind, send: () => Promise<Sent>): Promise<Sent>
}

export interface CallKind {
  /** Any sound target answers it, so that no answer means trouble. */
  isSound: boolean
  /** It is made to be answered 429, so that this tells nobody to wait. */
  provokes429?: boolean
}

export interface ThrottleOptions {
  /** Calls under way at most; fewer after trouble, and slowly more again. */
  mostAtOnce: number
  /** The pause of everybody after the first call that got no answer; it doubles with each further one in a row. */
  firstPauseMs: number
  /** The target's time, by which it names dates. */
  targetNowMs: () => number
  /** One sound call outside all turns: whether it was answered at all. */
  isAlive: () => Promise<boolean>
  /** The run is over, and why, in words that go before "before this was reached". */
  onGivenUp: (why: string) => void
  wall: WallClock
  signal?: AbortSignal | undefined
  /** Waits; a test's takes no time. */
  pause?: (ms: number) => Promise<void>
}

/** So many sound calls without an answer, each sent after the one before had failed, and the target is asked once more. */
const FAILURES_IN_A_ROW = 5

/** Nor is it before so long: a service that is restarted is away for some seconds. */
const AWAY_FOR_MS = 12_000

/** No single pause is longer. */
const LONGEST_PAUSE_MS = 8_000

/** Nobody waits longer for a target that asks for patience, in one go or without being answered in between. */
export const MOST_PATIENCE_MS = 60_000

/**
 * Few calls at once, and a pause of the whole run wherever the target asks for one (429 or 503 with Retry-After) or does not
 * answer. A run that gets no answers any more ends instead of waiting a timeout for each of its scenarios.
 *
 * @example const { outcome } = await traffic.through({ isSound: true }, send)
 */
export function createThrottle(options: ThrottleOptions): Throttle {
  const { wall, signal, pause = (ms: number) => sleep(ms, signal) } = options
  const limit = createConcurrencyLimit(options.mostAtOnce)
  const troubles = createTroubles(options, limit)
  const turn = async (): Promise<void> => {
    while (!signal?.aborted) {
      await troubles.over()
      const restMs = troubles.quietUntilMs() - wall.monotonicMs()
      if (restMs > 0) await pause(restMs)
      else if (limit.isOpen) break
      else await limit.change()
    }
    limit.enter()
  }
  return {
    async through(call, send) {
      await turn()
      try {
        const startedMs = wall.monotonicMs()
        const sent = await send()
        troubles.note(sent.outcome, call, startedMs)
        return sent
      } finally {
        limit.leave()
      }
    },
  }
}

/** What has gone wrong lately, and what follows for everybody. */
interface Troubles {
  note(outcome: Outcome, call: CallKind, startedMs: number): void
  quietUntilMs(): number
  /** Resolves when nobody doubts that the target is there. @throws NotRun where it was given up. */
  over(): Promise<void>
}

function createTroubles(options: ThrottleOptions, limit: ConcurrencyLimit): Troubles {
  const { wall } = options
  let quietUntilMs = 0
  let waitedMs = 0
  let failures = 0
  let failingSinceMs = 0
  let latestMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  let givenUp: string | null = null

  /** Calls that were under way together have one trouble between them. */
  function isNews(startedMs: number): boolean {
    if (startedMs <= latestMs) return false
    latestMs = wall.monotonicMs()
    limit.shrink()
    return true
  }

  function quiet(ms: number): void {
    quietUntilMs = Math.max(quietUntilMs, wall.monotonicMs() + ms)
  }

  function giveUp(why: string): void {
    if (givenUp !== null || options.signal?.aborted) return
    givenUp = why
    options.onGivenUp(why)
  }

  function askedToWait(ms: number, startedMs: number): void {
    quiet(Math.min(ms, MOST_PATIENCE_MS))
    if (isNews(startedMs)) waitedMs += ms
    if (ms > MOST_PATIENCE_MS) giveUp(`the target had asked to wait ${Math.ceil(ms / 1_000)} s`)
    else if (waitedMs > MOST_PATIENCE_MS) giveUp('the target had asked to wait again and again')
  }

  function failed(startedMs: number): void {
    if (!isNews(startedMs)) return
    if (failures === 0) failingSinceMs = startedMs
    quiet(Math.min(options.firstPauseMs * 2 ** failures, LONGEST_PAUSE_MS))
    failures++
    if (failures >= FAILURES_IN_A_ROW && wall.monotonicMs() - failingSinceMs >= AWAY_FOR_MS) asking ??= lastTry()
  }

  async function lastTry(): Promise<void> {
    if (await options.isAlive()) failures = 0
    else giveUp(`the target had given no answer to ${failures + 1} sound calls in a row`)
    asking = null
  }

  function answered(): void {
    failures = 0
    waitedMs = 0
    limit.grow()
  }

  return {
    note(outcome, { isSound, provokes429 = false }, startedMs) {
      if (outcome.kind === 'broken' && outcome.stale) return
      const waitMs = provokes429 ? null : waitOf(outcome, options.targetNowMs())
      if (waitMs !== null) askedToWait(waitMs, startedMs)
      else if (!isMute(outcome)) answered()
      else if (isSound) failed(startedMs)
    },
    quietUntilMs: () => quietUntilMs,
    async over() {
      if (asking !== null) await asking
      if (givenUp !== null) throw new NotRun('interrupted', `${givenUp} before this was over`)
    },
  }
}

/** Nothing came, or nothing but that the server is broken. */
export function isMute(outcome: Outcome): boolean {
  return outcome.kind === 'broken' || outcome.response.status >= 500
}

/** How long an answer asks everybody to wait; null where it asks nobody. */
function waitOf(outcome: Outcome, nowMs: number): number | null {
  if (outcome.kind !== 'response') return null
  const { status, headers } = outcome.response
  if (status !== 429 && status !== 503) return null
  const asked = headers.find(([name]) => name.toLowerCase() === RETRY_AFTER)?.[1]
  return status === 503 && asked === undefined ? null : retryAfterMs(asked, nowMs)
}

const RETRY_AFTER = HEADERS.retryAfter.toLowerCase()
