import { type Db, type Durability, setDurability, statement, writesIn } from '../storage/database.ts'

/** One piece of work that reads and writes in the shared transaction of its turn of the event loop. */
export interface Job {
  /** What its commit must outlive before `settled` may be called. */
  readonly durability: Durability
  /** Does the work, synchronously. What may have to be undone runs in {@link atomically}; a throw fails the whole transaction. */
  run(): void
  /** Called once the commit is safe, or with the reason why it failed. */
  settled(failure: unknown): void
}

/** What a queue is made of. */
export interface CommitQueueOptions {
  /** Asked each time, because a world that is reset or restored moves to another database. */
  database(): Db
  /** Whether tasks are overdue. Their commit must outlive a power loss. */
  isOverdue?(): boolean
  /**
   * Runs first in each transaction: the overdue tasks, unless `runsDue` is false.
   *
   * @returns false if tasks are left for the next turn. What ran is committed, and the jobs wait, so that no call sees the state
   *   before an overdue task.
   */
  before?(runsDue: boolean): boolean
  /** Adds to a transaction whose writes are about to be synced. One that only reads writes nothing, so that a full disk can be read. */
  beforeSync?(): void
  /** Called after each transaction: committed, or rolled back with all that `before` wrote. */
  after?(committed: boolean): void
}

/**
 * The queue of a world's transactions. All jobs that arrive in one turn of the event loop share one transaction, hence one commit
 * and one sync. Each job is settled after that commit, so an acknowledged write is a synced write.
 */
export class CommitQueue {
  readonly #options: Required<CommitQueueOptions>
  #waiting: Job[] = []
  #set: { db: Db; durability: Durability } | null = null

  constructor(options: CommitQueueOptions) {
    this.#options = { isOverdue: () => false, before: () => true, beforeSync: () => {}, after: () => {}, ...options }
  }

  submit(job: Job): void {
    if (this.#waiting.push(job) === 1) setImmediate(() => this.#flush(true))
  }

  /**
   * Commits and settles all waiting jobs at once. Overdue tasks do not run, because a database may be closed for the reason that
   * one of them fails or takes too long.
   */
  drain(): void {
    while (this.#waiting.length > 0) this.#flush(false)
  }

  /**
   * Does one piece of work in a transaction of its own, at once. A throw undoes all of it.
   *
   * @param options.runsDue whether all overdue tasks run first, which is usual.
   */
  commitNow<Result>(work: () => Result, { runsDue = true } = {}): Result {
    return this.#transaction('power-loss', () => {
      while (!this.#options.before(runsDue));
      return work()
    })
  }

  #flush(runsDue: boolean): void {
    const jobs = this.#waiting
    this.#waiting = []
    if (jobs.length === 0) return
    const isStrict = jobs.some(({ durability }) => durability === 'power-loss')
    let failure: unknown
    try {
      const wereRun = this.#transaction(isStrict ? 'power-loss' : 'process-death', () => {
        if (!this.#options.before(runsDue)) return false
        for (const job of jobs) this.#run(job)
        return true
      })
      if (!wereRun) {
        this.#waiting = [...jobs, ...this.#waiting]
        setImmediate(() => this.#flush(true))
        return
      }
    } catch (error) {
      failure = error ?? new Error('the commit failed')
    }
    for (const job of jobs) job.settled(failure)
  }

  #run(job: Job): void {
    job.run()
    if (!this.#options.database().inTransaction) throw new Error('the database rolled back the whole transaction')
  }

  #transaction<Result>(wanted: Durability, work: () => Result): Result {
    const db = this.#options.database()
    const durability = this.#options.isOverdue() ? 'power-loss' : wanted
    this.#ensureDurability(db, durability)
    const writes = writesIn(db)
    statement(db, 'BEGIN IMMEDIATE').run()
    let committed = false
    try {
      const result = work()
      if (durability === 'power-loss' && writesIn(db) !== writes) this.#options.beforeSync()
      statement(db, 'COMMIT').run()
      committed = true
      return result
    } finally {
      if (db.inTransaction) statement(db, 'ROLLBACK').run()
      this.#options.after(committed)
    }
  }

  #ensureDurability(db: Db, wanted: Durability): void {
    if (db.memory || (this.#set?.db === db && this.#set.durability === wanted)) return
    setDurability(db, wanted)
    this.#set = { db, durability: wanted }
  }
}

/** Runs work inside the open transaction so that a throw undoes this work alone. */
export function atomically<Result>(db: Db, work: () => Result): Result {
  statement(db, 'SAVEPOINT job').run()
  try {
    const result = work()
    statement(db, 'RELEASE job').run()
    return result
  } catch (error) {
    // SQLite may have rolled back the whole transaction (disk full); then there is no savepoint left.
    if (db.inTransaction) {
      statement(db, 'ROLLBACK TO job').run()
      statement(db, 'RELEASE job').run()
    }
    throw error
  }
}
