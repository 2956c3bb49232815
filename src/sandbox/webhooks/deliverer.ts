import { setMaxListeners } from 'node:events'
import { type Alarm, callAfter, inNextTurn, sleep } from '../../clock/wall-clock.ts'
import type { ClockState } from '../../clock/world-clock.ts'
import { ApiError } from '../../contract/errors.ts'
import { nextSequence } from '../../storage/db.ts'
import type { Happening } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import {
  type Attempted,
  type AttemptOptions,
  attempt,
  type DeliveryHook,
  pendingAttempts,
  type Timeouts,
} from './attempt.ts'
import { deliveryBySeq } from './deliveries.ts'
import type { AttemptCause, Delivery, ProbeKind } from './delivery.ts'
import { allEndpoints } from './endpoints.ts'

const MOST_OF_ENDPOINT = 8
/** So long is an attempt waited for before the next one of its endpoint starts (HOOK-09), in real time. */
const PATIENCE_MS = 250
/** What could not be read or written (a full disk) is not tried again at once, in real time. */
const PAUSE_MS = 1_000
/** How long the end of a server waits for attempts in flight, in real time. */
const GRACE_MS = 500
/** No answer is held back longer, in real time. */
const LONGEST_HOLD_MS = 10_000

interface DelivererOptions {
  /** How a defect sends; null in a correct sandbox. */
  hook: DeliveryHook | null
  /** Called after each attempt, once it is committed. */
  onAttempt: (deliveryId: string) => void
}

interface Lane {
  inFlight: number
  /** The attempt that was started last, while the next one waits for it. */
  waitsFor: number | null
  /** Whether the attempt that ended last has failed. */
  isFailing: boolean
}

/** All attempts in flight, by endpoint and by delivery. A reset begins another flight. */
class Flight {
  readonly stop = new AbortController()
  readonly lanes = new Map<string, Lane>()
  /** None of them rejects. While an attempt is known here, no other is started for the same delivery. */
  readonly attempts = new Map<number, Promise<unknown>>()

  constructor() {
    // One listener per attempt is not a leak.
    setMaxListeners(0, this.stop.signal)
  }
}

interface Led {
  happened: Happening[]
  failure: Error | null
}

/**
 * Makes a world's webhook attempts when they are due: automatically as the clock ticks, or step by step if a jump of the clock
 * leads it. The outbox is the truth; all that is known here can be lost without losing a delivery.
 */
export class Deliverer {
  readonly #world: World
  readonly #options: DelivererOptions
  #ended = false
  /** How many callers hold back automatic attempts. */
  #holds = 0
  /** What a jump of the clock collects, while it leads; null otherwise. */
  #led: Led | null = null
  /** Of the jump under way; empty otherwise. */
  readonly #timeouts: Timeouts = new Map()
  /** When it looks again: the next instant at which something falls due, besides what is due or in flight already. */
  #alarm: { atMs: number; clock: ClockState; timer: Alarm | null } | null = null
  #isLooking = false
  #flight = new Flight()
  /** Those who wait until something may have ended. */
  #waiting: (() => void)[] = []

  constructor(world: World, options: DelivererOptions) {
    this.#world = world
    this.#options = options
  }

  /** For the end of every commit: what it wrote, or where it put the clock, may make attempts due. Costs one query if not. */
  wake(): void {
    if (this.#isLooking || this.#ended) return
    const { clock } = this.#world
    try {
      const next = pendingAttempts.peek(this.#world)
      if (next === null || (next.atMs === this.#alarm?.atMs && clock.state === this.#alarm.clock)) return
    } catch {
      // The look fails as well, and is repeated after a pause.
    }
    this.#lookSoon()
  }

  /** Attempts are made by `attemptDue` alone until the returned function is called. */
  hold(): () => void {
    this.#holds += 1
    return () => {
      this.#holds -= 1
      this.#timeouts.clear()
      this.#lookSoon()
    }
  }

  /** Whether anything is in flight, or due and could be. */
  isBusy(): boolean {
    if (this.#flight.attempts.size > 0) return true
    const { outbound, clock } = this.#world
    if (!outbound.isOpen) return false
    const earliest = pendingAttempts.peek(this.#world)
    return earliest !== null && earliest.atMs <= clock.nowMs()
  }

  /**
   * Makes all attempts that are due by the clock, and waits for them and for those in flight.
   *
   * @param stop ends the wait; the attempts go on by themselves.
   * @param made where they are put as they are made.
   */
  async attemptDue(stop: AbortSignal, made: Happening[] = []): Promise<void> {
    if (!this.#world.outbound.isOpen) throw new ApiError('conflict', 'the sandbox is still being started')
    const led: Led = { happened: made, failure: null }
    this.#led = led
    const onStop = () => this.#notify()
    stop.addEventListener('abort', onStop)
    try {
      this.#look()
      await this.#until(() => stop.aborted || !this.isBusy() || led.failure !== null)
    } finally {
      stop.removeEventListener('abort', onStop)
      this.#led = null
    }
    if (led.failure) throw led.failure
    if (this.#ended) throw new ApiError('conflict', 'the sandbox is being stopped')
  }

  /**
   * Makes one attempt for an operator, regardless of the schedule.
   *
   * @param probe what is to be wrong with it.
   */
  async attemptNow({ seq }: Pick<Delivery, 'seq'>, probe: ProbeKind | null = null): Promise<void> {
    while (this.#flight.attempts.has(seq)) await this.#flight.attempts.get(seq)
    await this.#track(seq, (signal) => this.#attempt(seq, 'operator', signal, { probe }))
  }

  /**
   * Does some work of a transaction.
   *
   * @param onDone called at the end of the work, also where it throws. Its argument, called after the commit, waits for the attempts
   *   that are due at once for the events of the work, or is null if there are none. The wait rejects if the database cannot be read.
   */
  follow<Result>(work: () => Result, onDone: (attempts: () => Promise<void> | null) => void): Result {
    const { db } = this.#world
    const firstSeq = nextSequence(db, 'deliveries')
    try {
      return work()
    } finally {
      const endSeq = nextSequence(db, 'deliveries')
      onDone(() => (endSeq > firstSeq ? this.#firstAttemptsOf(firstSeq, endSeq) : null))
    }
  }

  /** Ends what is in flight, unrecorded: when the world is reset. */
  abandon(): void {
    this.#flight.stop.abort()
    this.#flight = new Flight()
    this.#lookSoon()
  }

  /** Waits a moment for what is in flight, then ends for good; what was not recorded stays due. */
  async stop(): Promise<void> {
    this.#holds += 1
    const timer = callAfter(GRACE_MS, () => this.end())
    await Promise.all(this.#flight.attempts.values())
    timer.cancel()
    this.end()
  }

  /** Ends for good and at once, with all that is in flight, unrecorded. */
  end(): void {
    this.#ended = true
    this.#alarm?.timer?.cancel()
    this.#flight.stop.abort()
    this.#notify()
  }

  /** Always the same function, so that a wait for a slot counts once. */
  readonly #lookSoon = () => {
    if (this.#isLooking || this.#ended) return
    this.#isLooking = true
    inNextTurn(() => {
      this.#isLooking = false
      try {
        this.#look()
      } catch (error) {
        // A database that cannot be read now (a full or broken disk) does not end the process.
        if (this.#led) this.#led.failure = error as Error
        this.#notify()
        callAfter(PAUSE_MS, this.#lookSoon)
      }
    })
  }

  /** Starts what may start, and sees to it that it comes back when there is more to do. */
  #look(): void {
    const { outbound, db, clock } = this.#world
    if (this.#ended || !db.open || !outbound.isOpen) return
    if (this.#holds === 0 || this.#led) {
      const nowMs = clock.nowMs()
      for (const { partnerId } of allEndpoints(db)) this.#fill(partnerId, nowMs)
      const later = "SELECT min(next_attempt_at) FROM deliveries WHERE state = 'pending' AND next_attempt_at > ?"
      const nextMs = db.statement<number | null>(later).pluck().get(nowMs) ?? Number.POSITIVE_INFINITY
      this.#alarm?.timer?.cancel()
      // A running clock reaches the next instant; a frozen one must be moved.
      const ticks = clock.state.mode === 'running' && this.#holds === 0 && nextMs !== Number.POSITIVE_INFINITY
      const timer = ticks ? callAfter(nextMs - nowMs, this.#lookSoon) : null
      this.#alarm = { atMs: nextMs, clock: clock.state, timer }
    }
    this.#notify()
  }

  /** Starts an endpoint's attempts as long as one may start. */
  #fill(partnerId: string, nowMs: number): void {
    const { gaps, outbound } = this.#world
    const { lanes } = this.#flight
    const lane: Lane = lanes.get(partnerId) ?? { inFlight: 0, waitsFor: null, isFailing: false }
    lanes.set(partnerId, lane)
    const most = gaps['delivery-order'] === 'yes' ? 1 : MOST_OF_ENDPOINT
    while (lane.waitsFor === null && lane.inFlight < most) {
      const seq = this.#nextOf(partnerId, nowMs)
      if (seq === null) return
      const isFirst = lane.inFlight === 0
      if (!isFirst && !outbound.slots.take(lane.isFailing, this.#lookSoon)) return
      void this.#track(seq, (signal) => this.#attemptInLane(seq, lane, isFirst, signal))
    }
  }

  /** The next delivery to a partner: in the order of their time, or the latest event first. */
  #nextOf(partnerId: string, nowMs: number): number | null {
    const { db, gaps, settings } = this.#world
    const { attempts } = this.#flight
    const latestFirst = settings.delivery.reorder || gaps['delivery-order'] === 'no order is kept'
    const sql = `SELECT seq FROM deliveries WHERE partner_id = ? AND state = 'pending' AND next_attempt_at <= ?
      ORDER BY ${latestFirst ? 'seq DESC' : 'next_attempt_at, seq'} LIMIT ?`
    const due = db
      .statement<number>(sql)
      .pluck()
      .all(partnerId, nowMs, attempts.size + 1)
    return due.find((seq) => !attempts.has(seq)) ?? null
  }

  /** Makes an attempt of the schedule. The next one of its endpoint may start when this one has ended or has taken long. */
  async #attemptInLane(seq: number, lane: Lane, isFirst: boolean, signal: AbortSignal): Promise<void> {
    const { slots } = this.#world.outbound
    lane.inFlight += 1
    lane.waitsFor = seq
    const patience = callAfter(PATIENCE_MS, () => {
      if (lane.waitsFor === seq) lane.waitsFor = null
      this.#lookSoon()
    })
    try {
      const made = await this.#attempt(seq, 'schedule', signal, { timeouts: this.#led && this.#timeouts })
      if (!made) return
      lane.isFailing = made.hasFailed
      this.#led?.happened.push(made.happening)
    } catch (error) {
      if (this.#led) this.#led.failure = error as Error
      this.#lookSoon()
      await sleep(PAUSE_MS, signal)
    } finally {
      patience.cancel()
      lane.inFlight -= 1
      if (lane.waitsFor === seq) lane.waitsFor = null
      if (!isFirst) slots.release()
    }
  }

  async #attempt(
    seq: number,
    cause: AttemptCause,
    signal: AbortSignal,
    options: Omit<AttemptOptions, 'hook'>,
  ): Promise<Attempted | null> {
    const { hook, onAttempt } = this.#options
    const made = await attempt(this.#world, seq, cause, signal, { ...options, hook })
    if (made) onAttempt(made.happening.id)
    return made
  }

  /** Keeps a delivery in flight as long as its attempt takes. */
  async #track(seq: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { attempts, stop } = this.#flight
    const running = work(stop.signal).finally(() => {
      attempts.delete(seq)
      this.#lookSoon()
    })
    attempts.set(
      seq,
      running.catch(() => {}),
    )
    await running
  }

  async #firstAttemptsOf(firstSeq: number, endSeq: number): Promise<void> {
    let isLong = false
    const timer = callAfter(LONGEST_HOLD_MS, () => {
      isLong = true
      this.#notify()
    })
    let seq = firstSeq
    try {
      await this.#until(() => {
        while (seq < endSeq && !this.#isAwaited(seq)) seq += 1
        return seq === endSeq || isLong
      })
    } finally {
      timer.cancel()
    }
  }

  /** Whether its attempt is in flight or due now. One that is delayed in world time is not waited for. */
  #isAwaited(seq: number): boolean {
    const { db, clock } = this.#world
    const delivery = deliveryBySeq(db, seq)
    return this.#flight.attempts.has(seq) || (delivery?.nextAttemptAtMs ?? Number.POSITIVE_INFINITY) <= clock.nowMs()
  }

  /** Comes back when a condition holds, or at the end. Rejects with what the condition throws, such as an unreadable database. */
  async #until(condition: () => boolean): Promise<void> {
    while (!this.#ended && !condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #notify(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
