import { formatInstant } from '../../clock/instant.ts'
import { type Alarm, callAfter } from '../../clock/wall-clock.ts'
import type { ClockState } from '../../clock/world-clock.ts'
import type { Steps } from '../../contract/steps.ts'
import { atomically, atomicallyInSteps } from '../../storage/commit-queue.ts'
import { Remembered, type TableChanges } from '../../storage/table-changes.ts'
import type { AwaitedSource, Happening, ScheduledTask, TaskSource } from './scheduled-task.ts'
import type { World } from './world.ts'

const UNKNOWN_MS = Number.NEGATIVE_INFINITY
const TASKS_PER_TURN = 250
/** After a disk that was full or broken, in real time. */
const PAUSE_MS = 1_000

/**
 * Knows what is due next in a world, and runs it. It learns of a change from the tables that were written
 * ({@link TableChanges}), so no rule has to report what it schedules.
 */
export class Scheduler {
  readonly #world: () => World
  readonly #counted: readonly AwaitedSource[]
  /** Those that have not failed. */
  #sources: Peeked<TaskSource>[]
  readonly #awaited: Peeked<AwaitedSource>[]
  readonly #watchers = new Set<(happened: readonly Happening[]) => void>()
  /** What the transaction under way has run, while there are watchers. */
  #ran: Happening[] = []
  #nextMs = UNKNOWN_MS
  /** What all answers were read from, besides tables. */
  #from: Pick<World, 'settings' | 'gaps'> | null = null
  #alarm: { atMs: number; clock: ClockState; timer: Alarm | null } | null = null
  #isCatchingUp = false
  #ended = false

  /**
   * @param world asked for late, because a world and its scheduler need each other.
   * @param sources in the order in which ties are settled.
   * @param awaited come after them.
   */
  constructor(world: () => World, sources: readonly TaskSource[], awaited: readonly AwaitedSource[] = []) {
    this.#world = world
    this.#counted = [...sources, ...awaited]
    this.#sources = sources.map((source) => new Peeked(source, world))
    this.#awaited = awaited.map((source) => new Peeked(source, world))
  }

  /** No task that runs in a transaction is due before this instant; Infinity if none waits. */
  get nextMs(): number {
    return this.#nextMs
  }

  /** Whether a task that runs in a transaction is due. */
  isOverdue(): boolean {
    return this.#nextMs <= this.#world().clock.nowMs()
  }

  /** Whether the next task that runs in a transaction may take long. */
  isNextLong(): boolean {
    const next = this.#earliest(this.#sources)
    return next !== null && 'runInSteps' in next.source
  }

  /** The earliest task of all sources, in time order; ties in the order of the sources. */
  peek(): (ScheduledTask & Pick<TaskSource, 'kind'>) | null {
    const first = this.#earliest([...this.#sources, ...this.#awaited])
    return first && { ...first.task, kind: first.source.kind }
  }

  /** The earliest task of each kind, in time order. */
  earliestByKind(): (ScheduledTask & Pick<TaskSource, 'kind'>)[] {
    const { changes } = this.#world().db
    const all: readonly Peeked<AwaitedSource>[] = [...this.#sources, ...this.#awaited]
    const found = all.flatMap((one) => {
      const task = one.first(changes)
      return task ? [{ ...task, kind: one.source.kind }] : []
    })
    return found.sort((a, b) => a.atMs - b.atMs)
  }

  /** The earliest of those that a jump has to await. */
  peekAwaited(): ScheduledTask | null {
    return this.#earliest(this.#awaited)?.task ?? null
  }

  /**
   * Runs the earliest task if it is due at `limitMs`, with the clock standing at its instant. Call inside a transaction.
   *
   * @param rounds whether rounds that find nothing to do are made one by one, or only the last of them.
   */
  *runNext(limitMs: number, rounds: 'each' | 'last' = 'each'): Steps<Happening[] | null> {
    const world = this.#world()
    const next = this.#earliest(this.#sources)
    if (!next || next.task.atMs > limitMs) return null
    const task = rounds === 'last' ? this.#lastRound(next, limitMs) : next.task
    world.clock.pin(task.atMs)
    try {
      const happened = yield* this.#run(next.source, task)
      if (this.#watchers.size > 0) this.#ran.push(...happened)
      return happened
    } finally {
      world.clock.pin(null)
    }
  }

  /**
   * Runs what has fallen due by now, in the order of time; called first in every transaction. After a long sleep that may
   * be much, so one turn of the event loop does a bounded part of it.
   *
   * @returns false if there is more, to be run in the next turn before anything else is done.
   */
  *runOverdue(): Steps<boolean> {
    const nowMs = this.#world().clock.nowMs()
    for (let ran = 0; this.isOverdue(); ran++) {
      if (ran === TASKS_PER_TURN) return false
      if ((yield* this.runNext(nowMs, 'last')) === null) return true
      this.#look()
    }
    return true
  }

  /** Waits until all that has fallen due is done, for what looks at a world outside of its transactions. */
  async catchUp(): Promise<void> {
    const { clock, commits } = this.#world()
    // A transaction that failed left it unknown. What only reads must not fail because the next one cannot write either.
    if (this.#nextMs === UNKNOWN_MS) this.#look()
    if (this.#nextMs > clock.nowMs()) return
    await new Promise<void>((resolve, reject) => {
      commits.submit({
        // What is due is synced on its own account.
        durability: 'process-death',
        run() {},
        settled: (failure) => (failure === undefined ? resolve() : reject(failure)),
      })
    })
  }

  /** How many tasks wait. */
  count(): number {
    return Object.values(this.countByKind()).reduce((sum, count) => sum + count, 0)
  }

  /** How many of each kind wait, of the kinds that have any. */
  countByKind(): Partial<Record<Happening['kind'], number>> {
    const counts: Partial<Record<Happening['kind'], number>> = {}
    for (const source of this.#counted) {
      const count = source.count(this.#world())
      if (count > 0) counts[source.kind] = (counts[source.kind] ?? 0) + count
    }
    return counts
  }

  /** Whether waiting for the next task would change nothing. */
  isIdle(): boolean {
    const world = this.#world()
    return (
      this.peekAwaited() === null &&
      this.#sources.every((one) => one.source.isIdle?.(world) ?? one.first(world.db.changes) === null)
    )
  }

  /**
   * Notifies of all automatic steps from now on, once it is committed.
   *
   * @returns call it to end that.
   */
  watch(onHappened: (happened: readonly Happening[]) => void): () => void {
    this.#watchers.add(onHappened)
    return () => this.#watchers.delete(onHappened)
  }

  /** For the end of every transaction, and for a world that has moved to another database. */
  settled(committed: boolean): void {
    const ran = this.#ran
    this.#ran = []
    // Settings that were undone may still be there; the next transaction looks.
    this.#nextMs = UNKNOWN_MS
    if (!committed) return
    try {
      this.#look()
    } catch {
      // A database that cannot be read now; the next transaction asks it again, and fails.
    }
    if (ran.length > 0) for (const onHappened of this.#watchers) onHappened(ran)
    this.#setAlarm()
  }

  /** Ends for ever: before the database is closed. */
  end(): void {
    this.#ended = true
    this.#alarm?.timer?.cancel()
  }

  #look(): void {
    this.#nextMs = this.#earliest(this.#sources)?.task.atMs ?? Number.POSITIVE_INFINITY
  }

  /** The first source if several are due at one instant. */
  #earliest<Source extends AwaitedSource>(all: readonly Peeked<Source>[]): First<Source> | null {
    const { db, settings, gaps } = this.#world()
    if (this.#from?.settings !== settings || this.#from.gaps !== gaps) {
      this.#from = { settings, gaps }
      for (const one of [...this.#sources, ...this.#awaited]) one.forget()
    }
    const { changes } = db
    let first: First<Source> | null = null
    for (const one of all) {
      const task = one.first(changes)
      if (task && (!first || task.atMs < first.task.atMs)) first = { source: one.source, task }
    }
    return first
  }

  /** The last of the rounds that find nothing, before anything else happens; the task itself if it is not such a round. */
  #lastRound({ source, task }: First<TaskSource>, limitMs: number): ScheduledTask {
    if (!source.lastRoundBefore) return task
    const world = this.#world()
    const other = this.#earliest(this.#sources.filter((one) => one.source !== source))
    return source.lastRoundBefore(world, task, Math.min(limitMs + 1, other?.task.atMs ?? Number.POSITIVE_INFINITY))
  }

  /** What a task has done already is undone if it breaks, and its type is not run again. */
  *#run(source: TaskSource, task: ScheduledTask): Steps<Happening[]> {
    const world = this.#world()
    try {
      if ('run' in source) return atomically(world.db, () => source.run(world, task))
      return yield* atomicallyInSteps(world.db, () => source.runInSteps(world, task))
    } catch (error) {
      if (!breaksForGood(world, error)) throw error
      this.#sources = this.#sources.filter((one) => one.source !== source)
      warn(world, task, error)
      return []
    }
  }

  /** Brings a world whose clock is running to what is due, without any call. A frozen one must be moved. */
  #setAlarm(): void {
    const { clock } = this.#world()
    const atMs = this.#nextMs
    if (this.#ended || this.#isCatchingUp) return
    if (this.#alarm?.atMs === atMs && this.#alarm.clock === clock.state) return
    this.#alarm?.timer?.cancel()
    const ticks = clock.state.mode === 'running' && atMs !== Number.POSITIVE_INFINITY
    const timer = ticks ? callAfter(atMs - clock.nowMs(), () => this.#ring()) : null
    this.#alarm = { atMs, clock: clock.state, timer }
  }

  #ring(): void {
    if (this.#ended || !this.#world().db.open) return
    this.#alarm = null
    this.#isCatchingUp = true
    void this.catchUp().then(
      () => {
        this.#isCatchingUp = false
        this.#setAlarm()
      },
      () => {
        this.#isCatchingUp = false
        if (!this.#ended) callAfter(PAUSE_MS, () => this.#ring())
      },
    )
  }
}

/** A source with its earliest task, which is asked for again only after a change of what the last answer was read from. */
class Peeked<Source extends AwaitedSource> {
  readonly source: Source
  readonly #ask: () => ScheduledTask | null
  readonly #last = new Remembered<ScheduledTask | null>()

  constructor(source: Source, world: () => World) {
    this.source = source
    this.#ask = () => source.peek(world())
  }

  first(changes: TableChanges): ScheduledTask | null {
    return this.#last.of(changes, this.#ask)
  }

  forget(): void {
    this.#last.forget()
  }
}

interface First<Source> {
  source: Source
  task: ScheduledTask
}

/** Errors of SQLite that name a mistake of ours; all others are the machine's, and the next try may go well. */
const OWN_MISTAKES = /^SQLITE_(?:CONSTRAINT|MISMATCH|MISUSE|RANGE|TOOBIG)/

/**
 * Whether a task that broke would break the next time as well, and with it every transaction of its world. A full disk or
 * a closed database is not such a case: the transaction must fail, and the task is still due.
 */
function breaksForGood({ db }: World, error: unknown): boolean {
  if (!db.open || !db.inTransaction) return false
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code !== 'string' || !code.startsWith('SQLITE_') || OWN_MISTAKES.test(code)
}

function warn(world: World, task: ScheduledTask, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const what = `in the world ${world.name} the scheduled task ${task.id} of ${shownInstant(task.atMs)} failed (${name}: ${message})`
  process.emitWarning(`${what}; tasks of this type are disabled until the next start`, {
    type: 'ScheduledTaskWarning',
    ...(stack !== undefined && { detail: stack }),
  })
}

/** Any number as text: a warning about a task whose instant is broken must not throw in its turn. */
function shownInstant(atMs: number): string {
  return Number.isFinite(new Date(atMs).getTime()) ? formatInstant(atMs) : String(atMs)
}
