import { formatInstant, LATEST_MS } from '../../clock/instant.ts'
import { callEvery, nextTurn } from '../../clock/wall-clock.ts'
import type { ClockMode } from '../../clock/world-clock.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Advancing, Environment, Jump, JumpReceipt } from '../app/environment.ts'
import { atomically } from '../commit-queue.ts'
import { allEvents, lastEventSeq } from '../events/events.ts'
import type { Happening } from '../kernel/scheduler.ts'
import type { WorldSettings } from '../kernel/settings.ts'
import type { World } from '../kernel/world.ts'
import { changeSettings, commitClock } from './world-facts.ts'

/** How far a world's clock is to be moved. `notBeforeMs` is an instant that a ticking clock may have passed meanwhile. */
export type JumpTarget = { byMs: number } | { toMs: number } | { notBeforeMs: number } | { until: 'next' | 'idle' }

interface JumpLimits {
  /** Things that fall due, over the whole jump; more is an error, because some things bring forth others for ever. */
  things: number
  thingsPerTurn: number
  /** How long a transaction may take, in real time; calls that arrive meanwhile wait for it. */
  msPerTurn: number
  /** Happenings that the receipt lists. */
  listed: number
}

const LIMITS: JumpLimits = { things: 1_000_000, thingsPerTurn: 5_000, msPerTurn: 10, listed: 10_000 }

/**
 * Moves a world's clock forward and runs all that falls due on the way one by one, in the order of time, each with the
 * clock standing at its own instant. Webhook attempts are made for real and awaited, those of one instant together. A
 * running clock goes on running afterwards.
 *
 * A jump works in bounded steps, each committed with the clock where it has come to. Calls that arrive meanwhile are
 * served between two steps, at the instant the jump has reached; what they make due within the jump happens in it.
 *
 * @param options.stop ends the jump at the instant that it has reached, as {@link stopAdvance} does.
 * @param options.script what is done on the way, each act after the tasks that are due at its instant.
 * @throws ApiError validation_error for an instant after the year 9999; conflict for one that has passed, while
 *   another jump is under way, and after too many things (the clock then stays where it has come to).
 */
export async function advance(
  world: Environment,
  target: JumpTarget,
  {
    stop: wanted,
    script = null,
    ...limits
  }: Partial<JumpLimits> & { stop?: AbortSignal | undefined; script?: Script | null } = {},
): Promise<JumpReceipt> {
  refuseDuringAdvance(world)
  const stop = new AbortController()
  wanted?.addEventListener('abort', () => stop.abort(), { once: true })
  if (wanted?.aborted) stop.abort()
  const nowMs = world.clock.nowMs()
  const current = { stop, script, progress: { fromMs: nowMs, toMs: null, thingsDone: 0 }, attempts: [] }
  // Watchers see the progress.
  const telling = callEvery(TELL_EVERY_MS, () => world.feed.publish({ kind: 'clock' }))
  const receipt = jump(world, target, { ...LIMITS, ...limits }, current).finally(() => {
    telling.cancel()
    world.jump = null
    world.feed.publish({ kind: 'clock' })
  })
  world.jump = Object.assign(current, { receipt })
  return receipt
}

/** How far the jump of a world's clock has come; null if none is under way. */
export function advancing({ jump: found }: Environment): Advancing | null {
  return found && { ...found.progress, thingsDone: found.progress.thingsDone + found.attempts.length }
}

/** In real time. */
const TELL_EVERY_MS = 200

/**
 * Stops the jump under way at the instant that it has reached. Attempts in flight end by themselves and are recorded;
 * what else is due there goes on as in any world.
 *
 * @returns the receipt that the jump answers with; `stopped` is false where it came to its end all the same.
 * @throws ApiError conflict if none is under way.
 */
export async function stopAdvance(world: Environment): Promise<JumpReceipt> {
  const found = world.jump
  if (!found) throw new ApiError('conflict', 'the clock of this world is not being advanced')
  found.stop.abort()
  return found.receipt
}

type RunningJump = Omit<Jump, 'receipt'> & { readonly script: Script | null }

async function jump(
  world: Environment,
  target: JumpTarget,
  limits: JumpLimits,
  current: RunningJump,
): Promise<JumpReceipt> {
  const book: ReceiptBook = { listed: limits.listed, counts: {}, ran: [], attempts: [] }
  const letGo = world.deliverer.hold()
  const stopWatching = world.scheduler.watch((things) => enter(book, 'ran', things))
  const stop = current.stop.signal
  try {
    // Attempts in flight, and those due already, belong to the time before the jump.
    if (world.deliverer.isBusy()) await world.deliverer.attemptDue(stop)
    await world.scheduler.catchUp()
    await current.script?.prepare()
    world.clock.hold()
    world.commits.commitNow(() => undefined)
    const start = { atMs: world.clock.nowMs(), eventSeq: lastEventSeq(world) }
    // What was overdue at this instant belongs to the time before the jump.
    const within = book.ran.filter(({ atMs }) => atMs >= start.atMs)
    Object.assign(book, { counts: {}, ran: [] })
    enter(book, 'ran', within)
    const end = endOf(world, target, start.atMs)
    current.progress = { fromMs: start.atMs, toMs: end.whenIdle ? null : end.limitMs, thingsDone: 0 }
    const isWhole = await run(world, end, limits, { book, current })
    return receiptOf(world, book, start, !isWhole)
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
export function refuseDuringAdvance(world: Environment): void {
  if (world.jump)
    throw new ApiError('conflict', 'the clock of this world is being advanced; wait for its receipt, or stop it')
}

/** Where a jump ends: things due until `limitMs` run, and then the clock is at `clockMs`, or where the last ran. */
interface JumpEnd {
  limitMs: number
  clockMs: number | null
  /** Ends as soon as only such things are left as come round for ever and find nothing to do. */
  whenIdle?: true
}

function endOf(world: Environment, target: JumpTarget, fromMs: number): JumpEnd {
  if ('until' in target) {
    if (target.until === 'idle') return { limitMs: LATEST_MS, clockMs: null, whenIdle: true }
    const nextMs = world.scheduler.peek()?.atMs ?? fromMs
    return { limitMs: Math.min(nextMs, LATEST_MS), clockMs: nextMs > LATEST_MS ? null : nextMs }
  }
  let toMs = fromMs
  if ('byMs' in target) toMs += target.byMs
  else toMs = 'toMs' in target ? target.toMs : Math.max(target.notBeforeMs, fromMs)
  refuseInstant(toMs, fromMs)
  return { limitMs: toMs, clockMs: toMs }
}

/** @throws ApiError validation_error after the end of time, conflict before now. */
function refuseInstant(instantMs: number, nowMs: number): void {
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
  world: Environment,
  end: JumpEnd,
  limits: JumpLimits,
  { book, current }: { book: ReceiptBook; current: RunningJump },
): Promise<boolean> {
  const { stop, progress } = current
  while (!stop.signal.aborted) {
    const most = Math.min(limits.thingsPerTurn, limits.things - progress.thingsDone + 1)
    const { ran, next } = commitClock(world, () => runSome(world, end, { ...limits, most }, current.script), {
      runsDue: false,
    })
    progress.thingsDone += ran
    if (next === 'attempt') {
      try {
        await world.deliverer.attemptDue(stop.signal, current.attempts)
      } finally {
        enter(book, 'attempts', current.attempts)
        progress.thingsDone += current.attempts.length
        current.attempts = []
      }
    }
    if (next === 'end') return true
    if (progress.thingsDone > limits.things) throw tooMany(world, limits)
    await nextTurn()
  }
  return false
}

interface SomeRan {
  ran: number
  next: 'more' | 'attempt' | 'end'
}

/**
 * Runs at most so many things, and moves the clock to where that leads: to the end, or to an attempt that has to be
 * made before anything else can happen.
 *
 * @returns how many things ran, and what is to follow.
 */
function runSome(
  world: Environment,
  end: JumpEnd,
  { most, msPerTurn }: { most: number; msPerTurn: number },
  script: Script | null,
): SomeRan {
  const untilMs = world.wall.monotonicMs() + msPerTurn
  let ran = 0
  const stopAt = (instantMs: number | null, next: SomeRan['next']): SomeRan => {
    moveTo(world, instantMs)
    return { ran, next }
  }
  for (; ran < most && (ran === 0 || world.wall.monotonicMs() < untilMs); ran++) {
    if (end.whenIdle && world.scheduler.isIdle()) return stopAt(end.clockMs, 'end')
    const actMs = script?.nextMs ?? Number.POSITIVE_INFINITY
    const limitMs = Math.min(end.limitMs, actMs)
    if (world.scheduler.runNext(limitMs)) continue
    const attemptMs = world.scheduler.peekAwaited()?.atMs ?? Number.POSITIVE_INFINITY
    if (attemptMs <= limitMs) return stopAt(attemptMs, 'attempt')
    if (actMs > end.limitMs) return stopAt(end.clockMs, 'end')
    moveTo(world, actMs)
    script?.runNext(world)
  }
  return stopAt(null, 'more')
}

/** A thing's instant is the time from then on, so the clock may be later than it was asked to. */
function moveTo({ clock }: Environment, instantMs: number | null): void {
  const nowMs = clock.nowMs()
  clock.moveTo(instantMs === null ? nowMs : Math.max(instantMs, nowMs))
}

function tooMany(world: Environment, { things }: JumpLimits): ApiError {
  return new ApiError(
    'conflict',
    `more than ${things} things fell due; the clock was stopped at ${formatInstant(world.clock.nowMs())}, and another advance goes on from there`,
  )
}

/** What an operator wants of a clock; what is undefined stays as it is. */
interface ClockWish {
  mode: ClockMode | undefined
  /** An instant that has not passed. */
  toMs: number | undefined
  authClock: WorldSettings['authClock'] | undefined
  /** Seconds by which the clock that judges timestamps is to be ahead (TIME-07). */
  authSkewSeconds: number | undefined
}

/**
 * Sets a world's clock. Freezing comes before moving and running after it, so that the time that was asked for is the
 * time that is shown. Moving runs what falls due on the way, as {@link advance} does.
 *
 * @param present says what it came to, in the transaction that ends it.
 * @param stop stops the move on its way.
 * @throws ApiError as advance does, before anything is changed where the instant cannot be; conflict where the move was
 *   stopped, and then the clock is where it had arrived.
 */
export async function setClock<Presented>(
  world: Environment,
  wish: ClockWish,
  present: () => Presented,
  stop?: AbortSignal,
): Promise<Presented> {
  const set = () => {
    const { authClock, authSkewSeconds } = wish
    if (wish.mode === 'frozen') world.clock.setMode('frozen')
    if (authClock !== undefined) changeSettings(world, { authClock })
    if (authSkewSeconds !== undefined) changeSettings(world, { authSkewSeconds })
  }
  refuseDuringAdvance(world)
  if (wish.toMs !== undefined) {
    refuseInstant(wish.toMs, world.clock.nowMs())
    commitClock(world, set)
    const { stopped, toMs } = await advance(world, { notBeforeMs: wish.toMs }, stop && { stop })
    if (stopped) throw new ApiError('conflict', `the clock was stopped on its way: it is ${formatInstant(toMs)} there`)
  }
  const presented = commitClock(world, () => {
    if (wish.toMs === undefined) set()
    if (wish.mode === 'running') world.clock.setMode('running')
    return present()
  })
  world.feed.publish({ kind: 'clock' })
  return presented
}

/** What a receipt will say, collected while a jump goes on: no more than it will list. */
interface ReceiptBook {
  /** How many happenings are listed at most. */
  readonly listed: number
  counts: JumpReceipt['counts']
  /** Things that ran in a transaction, in the order of their time. */
  ran: Happening[]
  /** Attempts stand apart, because those of an instant come after all else of it. */
  readonly attempts: Happening[]
}

function enter(book: ReceiptBook, list: 'ran' | 'attempts', things: readonly Happening[]): void {
  for (const thing of things) {
    book.counts[thing.kind] = (book.counts[thing.kind] ?? 0) + 1
    if (book[list].length < book.listed) book[list].push(thing)
  }
}

/** @param start where the jump began: its instant, and the last event before it. */
function receiptOf(
  world: World,
  { listed, counts, ran, attempts }: ReceiptBook,
  start: { atMs: number; eventSeq: number },
  stopped: boolean,
): JumpReceipt {
  const events = lastEventSeq(world) - start.eventSeq
  if (events > 0) counts.event = events
  // By time; within one instant causes, then their events, then the attempts. The sort is stable.
  const all = [...ran, ...eventsSince(world, start.eventSeq, listed), ...attempts].sort((a, b) => a.atMs - b.atMs)
  const happened = all.slice(0, listed)
  const truncated = Object.values(counts).reduce((sum, count) => sum + count, 0) > happened.length
  return { fromMs: start.atMs, toMs: world.clock.nowMs(), stopped, counts, happened, truncated }
}

function eventsSince(world: World, afterSeq: number, limit: number): Happening[] {
  return allEvents(world, { afterSeq, limit }).map(({ id, type, partnerId, createdAtMs }) => {
    return { atMs: createdAtMs, kind: 'event', id, summary: `${type} for ${partnerId}` }
  })
}

/** What acts of a script make. */
export type Made = 'quotes' | 'orders' | 'checkout_sessions' | 'cases' | 'settlement_runs' | 'payout_runs'

/** Something that a partner, a buyer or an operator does at an instant of world time. */
export interface ScriptedAct {
  readonly atMs: number
  /** What it makes, where that is counted. */
  readonly makes?: Made
  run(world: World): unknown
}

/**
 * Acts in the order of time, which a jump of the clock does on its way, between the tasks that fall due. Rules apply as to calls: an
 * act that they refuse changes nothing, and the jump goes on.
 */
export class Script {
  readonly made: Record<Made, number> = {
    quotes: 0,
    orders: 0,
    checkout_sessions: 0,
    cases: 0,
    settlement_runs: 0,
    payout_runs: 0,
  }
  readonly #write: () => Promise<readonly ScriptedAct[]>
  #acts: readonly ScriptedAct[] = []
  #done = 0

  /** @param write makes the acts, once the jump has begun: no other jump and no reset can come in between. */
  constructor(write: () => Promise<readonly ScriptedAct[]>) {
    this.#write = write
  }

  async prepare(): Promise<void> {
    this.#acts = await this.#write()
  }

  /** The instant of the next act; Infinity if none is left. */
  get nextMs(): number {
    return this.#acts[this.#done]?.atMs ?? Number.POSITIVE_INFINITY
  }

  /** Does the next act, with the clock at its instant. Call inside a transaction. */
  runNext(world: World): void {
    const { makes, run } = this.#acts[this.#done++] as ScriptedAct
    try {
      atomically(world.db, () => run(world))
      if (makes) this.made[makes] += 1
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
}
