import { setMaxListeners } from 'node:events'
import { type Alarm, callAfter } from '../../clock/wall-clock.ts'
import type { ClockState } from '../../clock/world-clock.ts'
import type { Happening } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import { type Attempted, type AttemptOptions, attempt, type DeliveryHook, type Timeouts } from './attempt.ts'
import type { AttemptCause } from './deliveries.ts'
import { enter, type Lane, mayStart, newLane } from './lanes.ts'
import { allEndpoints, dueSeqs, earliestPending } from './store.ts'

/** What is in flight; a reset throws all of it away. */
interface Flight {
  readonly stop: AbortController
  readonly lanes: Map<string, Lane>
  readonly attempts: Map<number, Promise<void>>
}

/** The state behind a world's deliverer. The outbox is the truth; all of this can be lost without losing a delivery. */
export interface Engine {
  /** Asked for late, because a world and its engine need each other. */
  readonly world: () => World
  readonly hook: DeliveryHook | null
  /** Called after each attempt, once it is committed. */
  readonly onAttempt: (deliveryId: string) => void
  flight: Flight
  ended: boolean
  /** How many want that nothing starts by itself. */
  holds: number
  /** What a jump of the clock is told, while it leads; null while the engine goes by itself. */
  led: { happened: Happening[]; failure: Error | null } | null
  /** Of the jump under way; empty otherwise. */
  readonly timeouts: Timeouts
  /** Nothing falls due before this instant but what is being seen to already. */
  notBeforeMs: number
  alarm: { clock: ClockState; timer: Alarm | null } | null
  isLooking: boolean
  /** Told whenever something may have ended. */
  readonly onChange: Set<() => void>
  /** One function for ever, so that who waits for a slot waits once. */
  readonly onSlot: () => void
}

export function newEngine(world: () => World, { hook, onAttempt }: Pick<Engine, 'hook' | 'onAttempt'>): Engine {
  const engine: Engine = {
    world,
    hook,
    onAttempt,
    flight: newFlight(),
    ended: false,
    holds: 0,
    led: null,
    timeouts: new Map(),
    // Unknown until the outbox has been looked at once.
    notBeforeMs: Number.NEGATIVE_INFINITY,
    alarm: null,
    isLooking: false,
    onChange: new Set(),
    onSlot: () => lookSoon(engine),
  }
  return engine
}

export function newFlight(): Flight {
  const stop = new AbortController()
  // One listener per attempt is no leak.
  setMaxListeners(0, stop.signal)
  return { stop, lanes: new Map(), attempts: new Map() }
}

export function lookSoon(engine: Engine): void {
  if (engine.isLooking || engine.ended) return
  engine.isLooking = true
  setImmediate(() => {
    engine.isLooking = false
    lookAgainOnFailure(engine)
  })
}

/** A database that cannot be read now (a full or broken disk) is no reason to end the process. */
function lookAgainOnFailure(engine: Engine): void {
  try {
    look(engine)
  } catch (error) {
    if (engine.led) engine.led.failure = error as Error
    tellAll(engine)
    callAfter(PAUSE_MS, () => lookSoon(engine))
  }
}

/** Starts what may start, and sees to it that it comes back when there is more to do. */
export function look(engine: Engine): void {
  const { outbound, db, clock } = engine.world()
  if (engine.ended || !db.open || !outbound.isOpen()) return
  if (engine.holds === 0 || engine.led) {
    const nowMs = clock.nowMs()
    for (const { partnerId } of allEndpoints(db)) fill(engine, partnerId, nowMs)
    engine.notBeforeMs = earliestPending(db, nowMs)?.atMs ?? Number.POSITIVE_INFINITY
    setAlarm(engine, nowMs)
  }
  tellAll(engine)
}

/** Never throws: see {@link until}. */
export function tellAll({ onChange }: Engine): void {
  for (const told of [...onChange]) told()
}

/** A running clock comes to the next instant by itself; a frozen one must be moved. */
function setAlarm(engine: Engine, nowMs: number): void {
  engine.alarm?.timer?.cancel()
  const { state: clock } = engine.world().clock
  const ticks = clock.mode === 'running' && engine.holds === 0 && engine.notBeforeMs !== Number.POSITIVE_INFINITY
  engine.alarm = { clock, timer: ticks ? callAfter(engine.notBeforeMs - nowMs, () => lookSoon(engine)) : null }
}

/** Starts an endpoint's attempts as long as one may start. */
function fill(engine: Engine, partnerId: string, nowMs: number): void {
  const { lanes } = engine.flight
  const lane = lanes.get(partnerId) ?? newLane()
  lanes.set(partnerId, lane)
  const isStrict = engine.world().gaps['delivery-order'] === 'yes'
  while (mayStart(lane) && !(isStrict && lane.inFlight > 0)) {
    const seq = nextOf(engine, partnerId, nowMs)
    if (seq === null) return
    const isFirst = lane.inFlight === 0
    if (!isFirst && !engine.world().outbound.slots.take(lane.isFailing, engine.onSlot)) return
    start(engine, seq, lane, isFirst)
  }
}

function nextOf(engine: Engine, partnerId: string, nowMs: number): number | null {
  const { db, gaps, settings } = engine.world()
  const { attempts } = engine.flight
  const latestFirst = settings.delivery.reorder || gaps['delivery-order'] === 'no order is kept'
  const due = dueSeqs(db, { partnerId, nowMs, latestFirst, limit: attempts.size + 1 })
  return due.find((seq) => !attempts.has(seq)) ?? null
}

function start(engine: Engine, seq: number, lane: Lane, isFirst: boolean): void {
  const world = engine.world()
  const leave = enter(lane, seq, () => lookSoon(engine))
  void track(engine, seq, async (signal) => {
    try {
      const made = await makeAttempt(engine, seq, 'schedule', signal, { timeouts: engine.led && engine.timeouts })
      if (!made) return
      lane.isFailing = made.hasFailed
      engine.led?.happened.push(made.happening)
    } catch (error) {
      if (engine.led) engine.led.failure = error as Error
      lookSoon(engine)
      await pause(signal)
    } finally {
      leave()
      if (!isFirst) world.outbound.slots.release()
    }
  })
}

export async function makeAttempt(
  { world, hook, onAttempt }: Engine,
  seq: number,
  cause: AttemptCause,
  signal: AbortSignal,
  options: Omit<AttemptOptions, 'hook'>,
): Promise<Attempted | null> {
  const made = await attempt(world(), seq, cause, signal, { ...options, hook })
  if (made) onAttempt(made.deliveryId)
  return made
}

/** While an attempt is known here, no other is started for the same delivery. */
export function track(engine: Engine, seq: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const { attempts, stop } = engine.flight
  const running = work(stop.signal).finally(() => {
    attempts.delete(seq)
    lookSoon(engine)
  })
  attempts.set(seq, running.then(quietly, quietly))
  return running
}

function quietly(): void {}

/** In real time. */
const PAUSE_MS = 1_000

/** What could not be written down (a full disk) is not tried again at once. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = callAfter(PAUSE_MS, resolve)
    signal.addEventListener('abort', () => {
      timer.cancel()
      resolve()
    })
  })
}

/**
 * Comes back when a condition holds, or when the engine has ended. Rejects with what the condition throws, so that a
 * database that cannot be read is the business of who waits, and not of who tells.
 */
export function until(engine: Engine, condition: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => {
      try {
        if (!engine.ended && !condition()) return
        resolve()
      } catch (error) {
        reject(error as Error)
      }
      engine.onChange.delete(check)
    }
    engine.onChange.add(check)
    check()
  })
}

/** Nothing in flight, and nothing due that could be. */
export function isIdle({ world, flight }: Engine): boolean {
  if (flight.attempts.size > 0) return false
  const { outbound, db, clock } = world()
  if (!outbound.isOpen()) return true
  const earliest = earliestPending(db, Number.NEGATIVE_INFINITY)
  return earliest === null || earliest.atMs > clock.nowMs()
}

/** Ends all that is in flight, unrecorded, and starts nothing any more. */
export function endEngine(engine: Engine): void {
  engine.ended = true
  engine.alarm?.timer?.cancel()
  engine.flight.stop.abort()
  tellAll(engine)
}
