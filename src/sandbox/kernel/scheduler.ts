import { formatInstant } from '../../clock/instant.ts'
import { type Alarm, callAfter } from '../../clock/wall-clock.ts'
import type { ClockState } from '../../clock/world-clock.ts'
import { type Db, writesIn } from '../../storage/db.ts'
import { atomically } from '../commit-queue.ts'
import type { World } from './world.ts'

/** An automatic step that ran when it was due, as a receipt lists it. */
export interface Happening {
  atMs: number
  kind:
    | 'quote.expired'
    | 'checkout.expired'
    | 'order.step'
    | 'event'
    | 'delivery.attempt'
    | 'settlement.run'
    | 'payout.run'
    | 'idempotency.expired'
    | 'payment.succeeded'
    | 'payment.failed'
    | 'case.closed'
  id: string
  summary: string
}

/** What is to be done at an instant of world time. */
export interface ScheduledTask {
  atMs: number
  id: string
}

/**
 * The tasks of one type. They are read from the feature's own rows, so there is no second list of timers that could
 * disagree with them, and nothing has to be announced: the scheduler asks again after each write.
 */
export interface TaskSource {
  /** What happens when the time of a task comes, if all goes well. */
  readonly kind: Happening['kind']
  /** The earliest task, or null. It follows from the tables, the settings and the gaps of the world alone. */
  peek(world: World): ScheduledTask | null
  /** How many tasks wait. */
  count(world: World): number
  /**
   * For a task that comes round for ever: its last round before an instant, if this one and all until then would find
   * nothing to do. A world that was asleep makes up for them by that one. Left out if every task counts.
   */
  lastRoundBefore?(world: World, task: ScheduledTask, untilMs: number): ScheduledTask
  /** Whether the rounds to come would find nothing to do. Left out if there is nothing to wait for without a task. */
  isIdle?(world: World): boolean
  /**
   * Does what its time asks for, or a batch of that; afterwards `peek` gives another task, or the same one until its last batch is
   * done. A transaction may end between two batches.
   */
  run(world: World, task: ScheduledTask): Happening[]
}

/** Tasks that take real time and cannot run inside a transaction: webhook attempts, which a jump of the clock awaits. */
type AwaitedSource = Pick<TaskSource, 'kind' | 'peek' | 'count'>

/** Rows of a table that wait for their time, each as a task. */
interface WaitingRows extends Pick<TaskSource, 'kind'> {
  /** The table, with the condition of the rows that wait. */
  readonly from: string
  /** Columns of the id and of the instant. */
  readonly id: string
  readonly at: string
  /** Columns that bring the next row first, as an index has them. */
  readonly order: string
  /** The automatic progress of the world after which they are due. While it is off, none of them waits. */
  readonly after?: 'startAfterMs' | 'completeAfterMs'
}

/** The part of a source that finds and counts its tasks, if they are rows of one table. */
export function waitingRows({ kind, from, id, at, order, after }: WaitingRows): AwaitedSource {
  const first = `SELECT ${id} AS id, ${at} AS atMs ${from} ORDER BY ${order} LIMIT 1`
  return {
    kind,
    peek({ db, settings: { progress } }) {
      const afterMs = after === undefined ? null : progress[after]
      if (after !== undefined && afterMs === null) return null
      const row = db.statement<ScheduledTask>(first).get() ?? null
      // Nothing happens in the past: a wait counts from the moment at which progress was set, if that is later.
      return row && afterMs !== null ? { ...row, atMs: Math.max(row.atMs, progress.sinceMs) + afterMs } : row
    },
    count({ db, settings: { progress } }) {
      if (after !== undefined && progress[after] === null) return 0
      return db.statement<number>(`SELECT count(*) ${from}`).pluck().get() as number
    },
  }
}

/** How long the overdue tasks of one turn of the event loop keep others waiting; a task that has begun is finished. */
const MS_PER_TURN = 10
/** After a disk that was full or broken, in real time. */
const PAUSE_MS = 1_000

/** Knows what is due next in a world, and runs it. It asks its sources after each write, so no rule has to report what it schedules. */
export class Scheduler {
  readonly #world: World
  readonly #counted: readonly AwaitedSource[]
  /** Those that have not failed. */
  #sources: readonly TaskSource[]
  readonly #awaited: readonly AwaitedSource[]
  readonly #watchers = new Set<(happened: readonly Happening[]) => void>()
  /** What the transaction under way has run, while there are watchers. */
  #ran: Happening[] = []
  /** The last answers of the sources; null if they have to be asked again. */
  #answers: Answers | null = null
  #alarm: { atMs: number; clock: ClockState; timer: Alarm | null } | null = null
  #isCatchingUp = false
  #ended = false

  /**
   * @param sources in the order in which ties are settled.
   * @param awaited come after them.
   */
  constructor(world: World, sources: readonly TaskSource[], awaited: readonly AwaitedSource[] = []) {
    this.#world = world
    this.#counted = [...sources, ...awaited]
    this.#sources = sources
    this.#awaited = awaited
  }

  /** Whether a task that runs in a transaction is due. */
  isOverdue(): boolean {
    return this.#ask().nextMs <= this.#world.clock.nowMs()
  }

  /** The earliest task of all sources, in time order; ties in the order of the sources. */
  peek(): (ScheduledTask & Pick<TaskSource, 'kind'>) | null {
    return this.earliestByKind()[0] ?? null
  }

  /** The earliest task of each kind, in time order. */
  earliestByKind(): (ScheduledTask & Pick<TaskSource, 'kind'>)[] {
    const { tasks, awaited } = this.#ask()
    return inTimeOrder([...tasks, ...awaited]).map(({ source, ...task }) => ({ ...task, kind: source.kind }))
  }

  /** The earliest of those that a jump has to await. */
  peekAwaited(): ScheduledTask | null {
    return this.#ask().awaited[0] ?? null
  }

  /**
   * Runs the earliest task, with the clock at its instant, if it is due at `limitMs` and nothing has to be awaited before it. Call
   * inside a transaction.
   */
  runNext(limitMs: number): Happening[] | null {
    const { tasks, awaited } = this.#ask()
    const [next] = tasks
    // Automatic steps of an instant come before what is sent at that instant.
    if (!next || next.atMs > Math.min(limitMs, awaited[0]?.atMs ?? limitMs)) return null
    return this.#runAt(next.source, next)
  }

  /**
   * Runs what has fallen due by now, in the order of time; called first in every transaction. After a long sleep that may be much, so
   * one turn of the event loop does a bounded part of it. Of rounds that find nothing to do, only the last is made.
   *
   * @returns false if there is more, to be run in the next turn before anything else is done.
   */
  runOverdue(): boolean {
    const world = this.#world
    const nowMs = world.clock.nowMs()
    const endMs = world.wall.monotonicMs() + MS_PER_TURN
    for (;;) {
      const [next, other] = this.#ask().tasks
      if (!next || next.atMs > nowMs) return true
      const untilMs = Math.min(nowMs + 1, other?.atMs ?? Number.POSITIVE_INFINITY)
      this.#runAt(next.source, next.source.lastRoundBefore?.(world, next, untilMs) ?? next)
      if (world.wall.monotonicMs() >= endMs) return this.#ask().nextMs > nowMs
    }
  }

  /** Waits until all that has fallen due is done, for what looks at a world outside of its transactions. */
  async catchUp(): Promise<void> {
    if (!this.isOverdue()) return
    await this.#world.commits.perform({ durability: 'process-death' }, () => {})
  }

  /** How many tasks of each kind wait. */
  countByKind(): Partial<Record<Happening['kind'], number>> {
    const counts: Partial<Record<Happening['kind'], number>> = {}
    for (const source of this.#counted) {
      const count = source.count(this.#world)
      if (count > 0) counts[source.kind] = (counts[source.kind] ?? 0) + count
    }
    return counts
  }

  /** Whether waiting for the next task would change nothing. */
  isIdle(): boolean {
    const world = this.#world
    return (
      this.peekAwaited() === null &&
      this.#sources.every((source) => source.isIdle?.(world) ?? source.peek(world) === null)
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

  /**
   * For the end of every transaction, and for a world that has moved to another database.
   *
   * @param onlyReads whether nothing can have changed what is due.
   */
  settled(committed: boolean, onlyReads = false): void {
    const ran = this.#ran
    this.#ran = []
    if (!committed) {
      this.#answers = null
      return
    }
    if (onlyReads && this.#answers !== null) this.#answers.writes = writesIn(this.#answers.db)
    if (ran.length > 0) for (const onHappened of this.#watchers) onHappened(ran)
    this.#setAlarm()
  }

  /** Ends for ever: before the database is closed. */
  end(): void {
    this.#ended = true
    this.#alarm?.timer?.cancel()
  }

  /** What the sources answer. They are asked again if anything was written since, or the world has moved to another database. */
  #ask(): Answers {
    const world = this.#world
    const { db } = world
    const writes = writesIn(db)
    if (this.#answers?.db !== db || this.#answers.writes !== writes) {
      const tasks = earliest(this.#sources, world)
      const nextMs = tasks[0]?.atMs ?? Number.POSITIVE_INFINITY
      this.#answers = { db, writes, tasks, nextMs, awaited: earliest(this.#awaited, world) }
    }
    return this.#answers
  }

  #runAt(source: TaskSource, task: ScheduledTask): Happening[] {
    const { clock } = this.#world
    clock.pin(task.atMs)
    try {
      const happened = this.#run(source, task)
      if (this.#watchers.size > 0) this.#ran.push(...happened)
      return happened
    } finally {
      clock.pin(null)
    }
  }

  /** What a task has done already is undone if it breaks, and its type is not run again. */
  #run(source: TaskSource, task: ScheduledTask): Happening[] {
    const world = this.#world
    try {
      return atomically(world.db, () => source.run(world, task))
    } catch (error) {
      this.#answers = null
      if (!breaksForGood(world, error)) throw error
      this.#sources = this.#sources.filter((one) => one !== source)
      warn(world, task, error)
      return []
    }
  }

  /** Brings a world whose clock is running to what is due, without any call. A frozen one must be moved. */
  #setAlarm(): void {
    const { clock } = this.#world
    if (this.#ended || this.#isCatchingUp) return
    let atMs: number
    try {
      atMs = this.#ask().nextMs
    } catch {
      // A database that cannot be read now; the next transaction asks it again, and fails.
      return
    }
    if (this.#alarm?.atMs === atMs && this.#alarm.clock === clock.state) return
    this.#alarm?.timer?.cancel()
    const ticks = clock.state.mode === 'running' && atMs !== Number.POSITIVE_INFINITY
    const timer = ticks ? callAfter(atMs - clock.nowMs(), () => this.#ring()) : null
    this.#alarm = { atMs, clock: clock.state, timer }
  }

  #ring(): void {
    if (this.#ended || !this.#world.db.open) return
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

function earliest<Source extends AwaitedSource>(sources: readonly Source[], world: World): FoundTask<Source>[] {
  const found: FoundTask<Source>[] = []
  for (const source of sources) {
    const task = source.peek(world)
    if (task) found.push({ atMs: task.atMs, id: task.id, source })
  }
  return found.length > 1 ? inTimeOrder(found) : found
}

type FoundTask<Source> = ScheduledTask & { readonly source: Source }

/** What the sources answered, as a database stood after so many writes. */
interface Answers {
  readonly db: Db
  writes: number
  readonly tasks: readonly FoundTask<TaskSource>[]
  /** The instant of the first of these; Infinity if none waits. */
  readonly nextMs: number
  readonly awaited: readonly FoundTask<AwaitedSource>[]
}

/** The sort is stable, so the first source stays first if several are due at one instant. */
function inTimeOrder<Task extends ScheduledTask>(tasks: Task[]): Task[] {
  return tasks.sort((a, b) => a.atMs - b.atMs)
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
