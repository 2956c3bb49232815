import { sleep, type WallClock } from '../../clock/wall-clock.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import { Open } from '../result/open.ts'
import type { Answer, Reply } from './exchange.ts'

interface ThrottleOptions {
  /** Calls under way at most; fewer after trouble, and slowly more again. */
  mostAtOnce: number
  /** The pause of everybody after the first call that got no answer; it doubles with each further one in a row. */
  firstPauseMs: number
  /** The target's time, by which it names dates. */
  targetNowMs: () => number
  /** One valid call outside all turns: whether it was answered at all. */
  isAlive: () => Promise<boolean>
  /** The run is over, and why, in words that go before "before this was reached". */
  onGivenUp: (why: string) => void
  wall: WallClock
  signal?: AbortSignal | undefined
  /** Waits; a test's takes no time. */
  pause?: (ms: number) => Promise<void>
}

/** After so many valid calls without an answer, each sent after the one before had failed, the target is asked again. */
const FAILURES_IN_A_ROW = 5

/** And not before this time: a service that is restarted is away for some seconds. */
const AWAY_FOR_MS = 12_000

/** Fewer calls before a 429 say nothing about a limit for all of them. */
const FEWEST_TO_SPACE = 20

/** A limit is met at full speed where the calls took no more than so many times as long as it asks to wait. */
const AT_FULL_SPEED = 2

/** More time between calls would make a run too long: some of them wait for a 429 then. */
const MOST_SPACING_MS = 250

/** What each answer leaves of it: a limit may have been for a while only. */
const LESS_SPACING = 0.997

/** No single pause is longer. */
const LONGEST_PAUSE_MS = 8_000

/** No call waits longer for a target that asks for patience, in one go or without being answered in between. */
export const MOST_PATIENCE_MS = 60_000

/** Limits the calls under way: half as many after trouble, and slowly more again. */
export class ConcurrencyLimit {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #atOnce: number
  #inside = 0
  #wellSinceChange = 0

  constructor(most: number) {
    this.#most = most
    this.#atOnce = most
  }

  /** Enters where there is room. */
  enter(): boolean {
    if (this.#inside >= this.#atOnce) return false
    this.#inside++
    return true
  }

  /** Resolves when a call has left. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Works once there is room. */
  async within<Result>(work: () => Promise<Result>): Promise<Result> {
    while (!this.enter()) await this.change()
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  leave(): void {
    this.#inside--
    for (const next of this.#waiting.splice(0)) next()
  }

  shrink(): void {
    this.#resize(Math.floor(this.#atOnce / 2))
  }

  /** Takes note of a call that went well. */
  grow(): void {
    this.#wellSinceChange++
    if (this.#wellSinceChange >= 2 * this.#atOnce) this.#resize(this.#atOnce + 1)
  }

  #resize(size: number): void {
    this.#atOnce = Math.min(this.#most, Math.max(1, size))
    this.#wellSinceChange = 0
  }
}

/** What a throttle has to know of a call. */
interface ThrottledCall {
  /** Any correct target answers it, so that no answer means trouble. */
  isValid: boolean
  /** It is made to be answered 429, so that this makes no other call wait. */
  provokes429?: boolean
}

/**
 * How a run treats its target: few calls at once, and a pause of the whole run if the target asks for one (429 or 503 with
 * Retry-After) or does not answer. A run without answers ends instead of waiting for a timeout in each of its scenarios.
 *
 * @example const { answer } = await new Throttle(options).through({ isValid: true }, send)
 */
export class Throttle {
  readonly #options: ThrottleOptions
  readonly #limit: ConcurrencyLimit
  /** No call goes out before. */
  #quietUntilMs = 0
  #waitedMs = 0
  /** Since the target last asked to wait. */
  #sent = { sinceMs: 0, calls: 0 }
  /** The time from one call to the next by which the target's limit would not have been reached; less with each answer. */
  #spacingMs = 0
  #nextAtMs = 0
  #failures = 0
  #failingSinceMs = 0
  #latestMs = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | null = null
  #givenUp: string | null = null

  constructor(options: ThrottleOptions) {
    this.#options = options
    this.#limit = new ConcurrencyLimit(options.mostAtOnce)
    this.#sent.sinceMs = options.wall.monotonicMs()
  }

  /** Carries a call out in its turn. @throws Open (not_run) once the run has given the target up. */
  async through<Sent extends Reply>(call: ThrottledCall, send: () => Promise<Sent>): Promise<Sent> {
    const { wall, signal, pause = (ms: number) => sleep(ms, signal) } = this.#options
    let isInside = false
    while (!isInside && !signal?.aborted) {
      await this.#asking
      if (this.#givenUp !== null) throw Open.notRun('interrupted', `${this.#givenUp} before this was over`)
      // What is meant to reach a limit is as quick as it can be.
      const atMs = call.provokes429 ? this.#quietUntilMs : Math.max(this.#quietUntilMs, this.#nextAtMs)
      const restMs = atMs - wall.monotonicMs()
      if (restMs > 0) await pause(restMs)
      else {
        isInside = this.#limit.enter()
        if (!isInside) await this.#limit.change()
      }
    }
    this.#sent.calls++
    this.#nextAtMs = wall.monotonicMs() + this.#spacingMs
    try {
      const startedMs = wall.monotonicMs()
      const sent = await send()
      this.#note(sent, call, startedMs)
      return sent
    } finally {
      if (isInside) this.#limit.leave()
    }
  }

  #note(reply: Reply, { isValid, provokes429 = false }: ThrottledCall, startedMs: number): void {
    if (reply.broken?.stale) return
    const { answer } = reply
    const mayAsk = !provokes429 && (answer?.status === 429 || answer?.status === 503)
    const waitMs = mayAsk ? waitOf(answer, this.#options.targetNowMs()) : null
    if (waitMs !== null) this.#askedToWait(waitMs, startedMs)
    else if (isMute(reply)) {
      if (isValid) this.#failed(startedMs)
    } else {
      this.#failures = 0
      this.#waitedMs = 0
      this.#spacingMs *= LESS_SPACING
      this.#limit.grow()
    }
  }

  #askedToWait(ms: number, startedMs: number): void {
    this.#quiet(Math.min(ms, MOST_PATIENCE_MS))
    if (this.#isNews(startedMs)) {
      this.#waitedMs += ms
      this.#space(ms)
    }
    if (ms > MOST_PATIENCE_MS) this.#giveUp(`the target had asked to wait ${Math.ceil(ms / 1_000)} s`)
    else if (this.#waitedMs > MOST_PATIENCE_MS) this.#giveUp('the target had asked to wait again and again')
  }

  /** A target that took so many calls until it asked to wait takes as many in all of that time, evenly spaced. */
  #space(waitMs: number): void {
    const { sinceMs, calls } = this.#sent
    const nowMs = this.#options.wall.monotonicMs()
    const untilMs = nowMs + waitMs
    const isAtFullSpeed = nowMs - sinceMs <= AT_FULL_SPEED * waitMs
    if (calls >= FEWEST_TO_SPACE && isAtFullSpeed)
      this.#spacingMs = Math.min((untilMs - sinceMs) / calls, MOST_SPACING_MS)
    this.#sent = { sinceMs: untilMs, calls: 0 }
  }

  #failed(startedMs: number): void {
    if (!this.#isNews(startedMs)) return
    if (this.#failures === 0) this.#failingSinceMs = startedMs
    this.#quiet(Math.min(this.#options.firstPauseMs * 2 ** this.#failures, LONGEST_PAUSE_MS))
    this.#failures++
    const forMs = this.#options.wall.monotonicMs() - this.#failingSinceMs
    if (this.#failures >= FAILURES_IN_A_ROW && forMs >= AWAY_FOR_MS) this.#asking ??= this.#lastTry()
  }

  async #lastTry(): Promise<void> {
    if (await this.#options.isAlive()) this.#failures = 0
    else
      this.#giveUp(`the target had given no answer, or none but a 5xx, to ${this.#failures + 1} valid calls in a row`)
    this.#asking = null
  }

  /** Calls that were under way together have one trouble between them. */
  #isNews(startedMs: number): boolean {
    if (startedMs <= this.#latestMs) return false
    this.#latestMs = this.#options.wall.monotonicMs()
    this.#limit.shrink()
    return true
  }

  #quiet(ms: number): void {
    this.#quietUntilMs = Math.max(this.#quietUntilMs, this.#options.wall.monotonicMs() + ms)
  }

  #giveUp(why: string): void {
    if (this.#givenUp !== null || this.#options.signal?.aborted) return
    this.#givenUp = why
    this.#options.onGivenUp(why)
  }
}

/** Nothing came, or nothing but that the server is broken. */
export function isMute({ answer }: Reply): boolean {
  return answer === null || answer.status >= 500
}

/** How long an answer asks all calls to wait; null if it does not. */
function waitOf(answer: Answer, nowMs: number): number | null {
  const asked = headerIn(answer.headers, HEADERS.retryAfter)
  return answer.status === 503 && asked === undefined ? null : retryAfterMs(asked, nowMs)
}

/** The pause if an answer asks for patience without saying how much. */
const USUAL_WAIT_MS = 1_000
/** A timer may ring a little early. */
const SHORTEST_WAIT_MS = 50

/**
 * How long Retry-After asks to wait, in milliseconds: a number of seconds, or until a date by the clock of the target.
 *
 * @param nowMs that clock.
 * @example retryAfterMs('2', nowMs) // 2_000
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return USUAL_WAIT_MS
  const text = value.trim()
  const dateMs = /^[A-Z][a-z]+,? .*\d.*$/.test(text) ? Date.parse(text) : Number.NaN
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : dateMs - nowMs
  return Number.isFinite(ms) ? Math.max(ms, SHORTEST_WAIT_MS) : USUAL_WAIT_MS
}

/** The first pause between two looks at something that a run waits for; it doubles. */
export const FIRST_LOOK_MS = { loopback: 25, elsewhere: 500 } as const

const LONGEST_BETWEEN_LOOKS_MS = 2_000

export function longerPauseMs(pauseMs: number): number {
  return Math.min(pauseMs * 2, LONGEST_BETWEEN_LOOKS_MS)
}
