import { formatInstant, LATEST_MS } from '../clock/instant.ts'

import { ApiError } from '../contract/errors.ts'
import { caughtUp, type Happening } from './due.ts'
import { allEvents, lastEventSeq } from './events/events.ts'
import { saveWorld } from './open-world.ts'
import type { World } from './world.ts'

/** How far a world's clock is to be moved. `notBeforeMs` is an instant that a ticking clock may have passed meanwhile. */
export type JumpTarget = { byMs: number } | { toMs: number } | { notBeforeMs: number } | { until: 'next' | 'idle' }

/** All that happened by itself while a clock was moved, in the order of its time. */
export interface Receipt {
  fromMs: number
  toMs: number
  /** Whether somebody stopped it before it had come to its end. */
  stopped: boolean
  happened: Happening[]
}

/** How much one jump may do. */
export interface JumpLimits {
  /** Things that fall due, over the whole jump; more is an error, because some things bring forth others for ever. */
  things: number
  /** Things in one commit, between two turns of the event loop. */
  thingsPerTurn: number
}

const LIMITS: JumpLimits = { things: 1_000_000, thingsPerTurn: 250 }

/** The jumps under way. */
const jumping = new WeakMap<World, { stop: AbortController; receipt: Promise<Receipt> }>()

/**
 * Moves a world's clock forward and runs all that falls due on the way one by one, in the order of time, each with the
 * clock standing at its own instant. Webhook attempts are made for real and awaited, those of one instant together. A
 * running clock goes on running afterwards.
 *
 * A jump works in bounded steps, each committed with the clock where it has come to. Calls that arrive meanwhile are
 * served between two steps, at the instant the jump has reached; what they make due within the jump happens in it.
 *
 * @param options.stop ends the jump at the instant that it has reached, as {@link stopAdvance} does.
 * @throws ApiError validation_error for an instant after the year 9999; conflict for one that has passed, while
 *   another jump is under way, and after too many things (the clock then stays where it has come to).
 * @example await advance(world, { byMs: 600_001 })
 */
export async function advance(
  world: World,
  target: JumpTarget,
  { stop: wanted, ...limits }: Partial<JumpLimits> & { stop?: AbortSignal } = {},
): Promise<Receipt> {
  refuseDuringAdvance(world)
  const stop = new AbortController()
  wanted?.addEventListener('abort', () => stop.abort(), { once: true })
  if (wanted?.aborted) stop.abort()
  const receipt = jump(world, target, { ...LIMITS, ...limits }, stop.signal).finally(() => jumping.delete(world))
  jumping.set(world, { stop, receipt })
  return receipt
}

/**
 * Stops the jump under way at the instant that it has reached. Attempts in flight end by themselves and are recorded;
 * what else is due there goes on as in any world.
 *
 * @returns the receipt that the jump answers with; `stopped` is false where it came to its end all the same.
 * @throws ApiError conflict where none is under way.
 */
export async function stopAdvance(world: World): Promise<Receipt> {
  const found = jumping.get(world)
  if (!found) throw new ApiError('conflict', 'the clock of this world is not being advanced')
  found.stop.abort()
  return found.receipt
}

async function jump(world: World, target: JumpTarget, limits: JumpLimits, stop: AbortSignal): Promise<Receipt> {
  const happened: Happening[] = []
  const attempts: Happening[] = []
  const letGo = world.deliverer.hold()
  const stopWatching = world.due.watch((things) => {
    for (const thing of things) happened.push(thing)
  })
  try {
    // Attempts in flight, and those due already, belong to the time before the jump.
    if (world.deliverer.isBusy()) await world.deliverer.attemptDue(stop)
    await caughtUp(world)
    world.clock.hold()
    const { fromMs, eventSeq } = world.commits.commitNow(() => ({
      fromMs: world.clock.nowMs(),
      eventSeq: lastEventSeq(world),
    }))
    const stopped = !(await run(world, endOf(world, target, fromMs), { ...limits, stop }, attempts))
    const toMs = world.clock.nowMs()
    // What was overdue when the jump began belongs to the time before it.
    const within = happened.filter(({ atMs }) => atMs >= fromMs)
    return { fromMs, toMs, stopped, happened: inOrder(within, eventsSince(world, eventSeq), attempts) }
  } finally {
    stopWatching()
    world.clock.release()
    letGo()
  }
}

/**
 * For what would pull the ground from under a jump: another jump, a reset, the end of the world.
 *
 * @throws ApiError conflict while a jump is under way.
 */
export function refuseDuringAdvance(world: World): void {
  if (jumping.has(world))
    throw new ApiError('conflict', 'the clock of this world is being advanced; wait for its receipt, or stop it')
}

/** Where a jump ends: things due until `limitMs` run, and then the clock stands at `clockMs`, or where the last ran. */
interface JumpEnd {
  limitMs: number
  clockMs: number | null
  /** Ends as soon as only such things are left as come round for ever and find nothing to do. */
  whenIdle?: true
}

function endOf(world: World, target: JumpTarget, fromMs: number): JumpEnd {
  if ('until' in target) {
    if (target.until === 'idle') return { limitMs: LATEST_MS, clockMs: null, whenIdle: true }
    const nextMs = world.due.peek(world)?.atMs ?? fromMs
    return { limitMs: Math.min(nextMs, LATEST_MS), clockMs: nextMs > LATEST_MS ? null : nextMs }
  }
  const toMs = instantOf(target, fromMs)
  refuseInstant(toMs, fromMs)
  return { limitMs: toMs, clockMs: toMs }
}

function instantOf(target: Exclude<JumpTarget, { until: unknown }>, fromMs: number): number {
  if ('byMs' in target) return fromMs + target.byMs
  return 'toMs' in target ? target.toMs : Math.max(target.notBeforeMs, fromMs)
}

/** @throws ApiError validation_error after the end of time, conflict before now. */
export function refuseInstant(instantMs: number, nowMs: number): void {
  if (!Number.isFinite(instantMs) || instantMs > LATEST_MS) {
    throw new ApiError('validation_error', `a world’s clock ends at ${formatInstant(LATEST_MS)}`)
  }
  if (instantMs < nowMs) {
    throw new ApiError(
      'conflict',
      `a world’s clock moves forward only: it is ${formatInstant(nowMs)} there, later than ${formatInstant(instantMs)}`,
    )
  }
}

/** @returns false where it was stopped before its end. */
async function run(
  world: World,
  end: JumpEnd,
  { stop, ...limits }: JumpLimits & { stop: AbortSignal },
  attempts: Happening[],
): Promise<boolean> {
  let done = 0
  while (!stop.aborted) {
    const most = Math.min(limits.thingsPerTurn, limits.things - done + 1)
    const { ran, isAttempt } = commitClock(world, () => runSome(world, end, most), 'leaves-due-things')
    const made = isAttempt ? await world.deliverer.attemptDue(stop) : []
    attempts.push(...made)
    done += ran + made.length
    if (ran < most && !isAttempt) return true
    if (done > limits.things) throw tooMany(world, limits)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return false
}

/**
 * Runs at most so many things, and moves the clock to where that leads: to the end, or to an attempt that has to be
 * made before anything else can happen.
 */
function runSome(world: World, end: JumpEnd, most: number): { ran: number; isAttempt: boolean } {
  for (let ran = 0; ran < most; ran++) {
    const attemptMs = world.due.peekAwaited(world)?.atMs ?? Number.POSITIVE_INFINITY
    if (end.whenIdle && world.due.isIdle(world)) return reached(world, end.clockMs, { ran, isAttempt: false })
    // What happens by itself at an instant comes before what is sent at that instant.
    if (world.due.runNext(world, Math.min(end.limitMs, attemptMs))) continue
    const isAttempt = attemptMs <= end.limitMs
    return reached(world, isAttempt ? attemptMs : end.clockMs, { ran, isAttempt })
  }
  return reached(world, null, { ran: most, isAttempt: false })
}

/** A thing's instant is the time from then on, so the clock may stand later than it was asked to. */
function reached<Done>({ clock }: World, instantMs: number | null, done: Done): Done {
  const nowMs = clock.nowMs()
  clock.moveTo(instantMs === null ? nowMs : Math.max(instantMs, nowMs))
  return done
}

function tooMany(world: World, { things }: JumpLimits): ApiError {
  return new ApiError(
    'conflict',
    `more than ${things} things fell due; the clock was stopped at ${formatInstant(world.clock.nowMs())}, and another advance goes on from there`,
  )
}

/**
 * Changes clock or settings in one transaction with the record of them, so that a restart finds what an answer said;
 * if that fails, both are as before.
 *
 * @param opening whether the transaction runs what is due before the work begins, as every other does, or leaves it to
 *   the work, which can then count and stop.
 */
export function commitClock<Result>(
  world: World,
  work: () => Result,
  opening: 'runs-due-things' | 'leaves-due-things' = 'runs-due-things',
): Result {
  const { clock, settings } = world
  const before = { state: clock.state, nowMs: clock.nowMs(), settings: { ...settings } }
  try {
    // At the beginning of time nothing is due, so the transaction finds nothing to run of its own accord.
    if (opening === 'leaves-due-things') clock.pin(Number.NEGATIVE_INFINITY)
    return world.commits.commitNow(() => {
      clock.pin(null)
      const result = work()
      saveWorld(world)
      return result
    })
  } catch (error) {
    clock.pin(null)
    clock.restart(before.state)
    if (clock.nowMs() < before.nowMs) clock.moveTo(before.nowMs)
    Object.assign(settings, before.settings)
    throw error
  }
}

const EVENTS_AT_ONCE = 1_000

function eventsSince(world: World, seq: number): Happening[] {
  const happenings: Happening[] = []
  let afterSeq = seq
  while (true) {
    const events = allEvents(world, { afterSeq, limit: EVENTS_AT_ONCE })
    for (const { id, type, partnerId, createdAtMs } of events) {
      happenings.push({ atMs: createdAtMs, kind: 'event', id, summary: `${type} for ${partnerId}` })
    }
    if (events.length < EVENTS_AT_ONCE) return happenings
    afterSeq = events.at(-1)?.seq ?? afterSeq
  }
}

/** By time; within one instant causes, then the events that tell of them, then the attempts. The sort is stable. */
function inOrder(...kinds: readonly (readonly Happening[])[]): Happening[] {
  return kinds.flat().sort((a, b) => a.atMs - b.atMs)
}
