import { callAfter } from '../../clock/wall-clock.ts'
import { ApiError } from '../../contract/errors.ts'
import { nextSequence } from '../../storage/database.ts'
import type { AwaitedSource, Happening } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import type { Delivery } from './deliveries.ts'
import {
  type Engine,
  endEngine,
  isIdle,
  look,
  lookSoon,
  makeAttempt,
  newEngine,
  newFlight,
  tellAll,
  track,
  until,
} from './engine.ts'
import type { ProbeKind } from './probe.ts'
import { countPending, deliveryBySeq, earliestPending } from './store.ts'

/**
 * Makes a world's webhook attempts when they are due: by itself as the clock ticks, or step by step where a jump of
 * the clock leads it.
 */
export interface Deliverer {
  /** Must be called by whoever makes an attempt due. */
  note(atMs: number): void
  /** Must be called after every commit: what it wrote, or where it put the clock, may make attempts due. */
  wake(): void
  /** Attempts are made by `attemptDue` alone until the returned function is called. */
  hold(): () => void
  /** Whether anything is in flight or due. */
  isBusy(): boolean
  /**
   * Makes all attempts that are due by the clock, and waits for them and for those in flight.
   *
   * @param stop ends the wait; the attempts go on by themselves.
   * @param made where they are put as they are made.
   */
  attemptDue(stop: AbortSignal, made?: Happening[]): Promise<void>
  /**
   * Makes one attempt for an operator, whatever the schedule says.
   *
   * @param probe what is to be wrong with it.
   */
  attemptNow(delivery: Delivery, probe?: ProbeKind): Promise<void>
  /**
   * Does some work of a transaction.
   *
   * @returns after the commit gives a wait for the attempts that are due at once for its events; null where there are none.
   *   The wait rejects where the database cannot be read.
   */
  follow(work: () => void): () => Promise<void> | null
  /** Ends what is in flight, unrecorded: when the world is reset. */
  abandon(): void
  /** Waits a moment for what is in flight, then ends for ever; what was not recorded stays due. */
  stop(): Promise<void>
  /** Ends for ever, at once. */
  end(): void
}

/** How long the end of a server waits for attempts in flight, in real time. */
const GRACE_MS = 500
/** No answer is held back longer, in real time. */
const LONGEST_HOLD_MS = 10_000

/**
 * @param world asked for late, because a world and its deliverer need each other.
 * @param options.hook how a defect sends; null in a sound sandbox.
 * @param options.onAttempt called after each attempt, once it is committed.
 */
export function createDeliverer(world: () => World, options: Pick<Engine, 'hook' | 'onAttempt'>): Deliverer {
  const engine = newEngine(world, options)
  return {
    note(atMs) {
      engine.notBeforeMs = Math.min(engine.notBeforeMs, atMs)
    },
    wake: () => wake(engine),
    hold: () => hold(engine),
    isBusy: () => !isIdle(engine),
    attemptDue: (stop, made = []) => attemptDue(engine, stop, made),
    attemptNow: (delivery, probe) => attemptNow(engine, delivery, probe),
    follow: (work) => follow(engine, work),
    abandon: () => abandon(engine),
    stop: () => stop(engine),
    end: () => endEngine(engine),
  }
}

/** Costs next to nothing where nothing waits, since it is called after every commit. */
function wake(engine: Engine): void {
  if (engine.notBeforeMs === Number.POSITIVE_INFINITY || engine.isLooking || engine.ended) return
  const { clock } = engine.world()
  if (engine.alarm?.clock !== clock.state || engine.notBeforeMs <= clock.nowMs()) lookSoon(engine)
}

function hold(engine: Engine): () => void {
  engine.holds += 1
  return () => {
    engine.holds -= 1
    engine.timeouts.clear()
    lookSoon(engine)
  }
}

async function attemptDue(engine: Engine, stop: AbortSignal, made: Happening[]): Promise<void> {
  if (!engine.world().outbound.isOpen()) throw new ApiError('conflict', 'the sandbox is still being started')
  const leading: NonNullable<Engine['led']> = { happened: made, failure: null }
  engine.led = leading
  const onStop = () => tellAll(engine)
  stop.addEventListener('abort', onStop)
  try {
    look(engine)
    await until(engine, () => stop.aborted || isIdle(engine) || leading.failure !== null)
  } finally {
    stop.removeEventListener('abort', onStop)
    engine.led = null
  }
  if (leading.failure) throw leading.failure
  if (engine.ended) throw new ApiError('conflict', 'the sandbox is being stopped')
}

async function attemptNow(engine: Engine, { seq }: Delivery, probe: ProbeKind | null = null): Promise<void> {
  while (engine.flight.attempts.has(seq)) await engine.flight.attempts.get(seq)
  await track(engine, seq, (signal) => makeAttempt(engine, seq, 'operator', signal, { probe }))
}

function follow(engine: Engine, work: () => void): () => Promise<void> | null {
  const { db } = engine.world()
  const firstSeq = nextSequence(db, 'deliveries')
  work()
  const endSeq = nextSequence(db, 'deliveries')
  return () => (endSeq > firstSeq ? firstAttemptsOf(engine, firstSeq, endSeq) : null)
}

async function firstAttemptsOf(engine: Engine, firstSeq: number, endSeq: number): Promise<void> {
  let isLong = false
  const timer = callAfter(LONGEST_HOLD_MS, () => {
    isLong = true
    tellAll(engine)
  })
  let seq = firstSeq
  try {
    await until(engine, () => {
      while (seq < endSeq && !isAwaited(engine, seq)) seq += 1
      return seq === endSeq || isLong
    })
  } finally {
    timer.cancel()
  }
}

/** Whether its attempt is in flight or due now. One that is delayed in world time is not waited for. */
function isAwaited({ world, flight }: Engine, seq: number): boolean {
  const { db, clock } = world()
  const delivery = deliveryBySeq(db, seq)
  return flight.attempts.has(seq) || (delivery?.nextAttemptAtMs ?? Number.POSITIVE_INFINITY) <= clock.nowMs()
}

function abandon(engine: Engine): void {
  engine.flight.stop.abort()
  engine.flight = newFlight()
  engine.notBeforeMs = Number.NEGATIVE_INFINITY
  lookSoon(engine)
}

async function stop(engine: Engine): Promise<void> {
  engine.holds += 1
  const inFlight = [...engine.flight.attempts.values()]
  if (inFlight.length > 0) {
    const timer = callAfter(GRACE_MS, () => endEngine(engine))
    await Promise.all(inFlight)
    timer.cancel()
  }
  endEngine(engine)
}

/** Attempts as things that are due; a jump awaits them. */
export const attemptsDue: AwaitedSource = {
  kind: 'delivery.attempt',
  peek(world) {
    const next = earliestPending(world.db, Number.NEGATIVE_INFINITY)
    return next ? { atMs: next.atMs, id: next.deliveryId } : null
  },
  count: (world) => countPending(world.db),
}
