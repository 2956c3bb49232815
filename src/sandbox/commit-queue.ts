import { type Db, type Durability, setDurability, statement, writesIn } from '../storage/db.ts'

/** One piece of work that reads and writes in the shared transaction of its turn of the event loop. */
export interface Job {
  /** What its commit must outlive before `settled` may be called. */
  readonly durability: Durability
  /** Whether it writes nothing, or nothing that could be due later, such as the nonce of a call. */
  readonly isRead?: boolean
  /** Does the work, synchronously. What may have to be undone runs in {@link atomically}; a throw fails the whole transaction. */
  run(): void
  /** Called once the commit is safe, or with the reason why it failed. */
  settled(failure: unknown): void
}

/** What a transaction is: what its commit must outlive, and whether it holds nothing but reads. */
export interface Turn {
  readonly durability: Durability
  readonly onlyReads: boolean
  /** How many rows had been written when it began. */
  readonly writesBefore: number
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
  /** Adds to a transaction whose writes are about to be synced. One that only reads writes nothing, so operators can read a full disk. */
  beforeSync?(): void
  /** Called after each transaction: committed, or rolled back with all that `before` wrote. */
  after?(turn: Turn, committed: boolean): void
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
    this.#options = {
      isOverdue: () => false,
      before: () => true,
      beforeSync: () => {},
      after: () => {},
      ...options,
    }
  }

  submit(job: Job): void {
    if (this.#waiting.push(job) === 1) setImmediate(this.#flush, true)
  }

  /**
   * Does work in the shared transaction of the turn.
   *
   * @returns after the commit what the work returned. Rejects with what it threw, which by itself undoes nothing, or with the reason
   *   why the commit failed.
   */
  perform<Result>(kind: Pick<Job, 'durability' | 'isRead'>, work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      let settle = () => {}
      this.submit({
        ...kind,
        run() {
          try {
            const result = work()
            settle = () => resolve(result)
          } catch (error) {
            settle = () => reject(error)
          }
        },
        settled: (failure) => (failure === undefined ? settle() : reject(failure)),
      })
    })
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
    const { turn, db } = this.#begin('power-loss', false)
    let committed = false
    try {
      while (!this.#options.before(runsDue));
      const result = work()
      this.#commit(db, turn)
      committed = true
      return result
    } finally {
      this.#end(db, turn, committed)
    }
  }

  readonly #flush = (runsDue: boolean): void => {
    const jobs = this.#waiting
    this.#waiting = []
    if (jobs.length === 0) return
    let isUpToDate = true
    let failure: unknown
    try {
      const durability = jobs.some((job) => job.durability === 'power-loss') ? 'power-loss' : 'process-death'
      const { turn, db } = this.#begin(
        durability,
        jobs.every(({ isRead }) => isRead === true),
      )
      let committed = false
      try {
        isUpToDate = this.#options.before(runsDue)
        for (const job of isUpToDate ? jobs : []) {
          job.run()
          if (!db.inTransaction) throw new Error('the database rolled back the whole transaction')
        }
        this.#commit(db, turn)
        committed = true
      } finally {
        this.#end(db, turn, committed)
      }
    } catch (error) {
      failure = error ?? new Error('the commit failed')
    }
    if (failure === undefined && !isUpToDate) {
      this.#waiting = [...jobs, ...this.#waiting]
      setImmediate(this.#flush, true)
    } else {
      for (const job of jobs) job.settled(failure)
    }
  }

  #begin(wanted: Durability, holdsOnlyReads: boolean): { turn: Turn; db: Db } {
    const db = this.#options.database()
    const isOverdue = this.#options.isOverdue()
    const durability = isOverdue ? 'power-loss' : wanted
    if (!db.memory && (this.#set?.db !== db || this.#set.durability !== durability)) {
      setDurability(db, durability)
      this.#set = { db, durability }
    }
    const turn = { durability, onlyReads: holdsOnlyReads && !isOverdue, writesBefore: writesIn(db) }
    // The last statement here: a failure after it would leave the transaction open.
    statement(db, 'BEGIN IMMEDIATE').run()
    return { turn, db }
  }

  #commit(db: Db, { durability, writesBefore }: Turn): void {
    if (durability === 'power-loss' && writesIn(db) !== writesBefore) this.#options.beforeSync()
    statement(db, 'COMMIT').run()
  }

  #end(db: Db, turn: Turn, committed: boolean): void {
    if (db.inTransaction) statement(db, 'ROLLBACK').run()
    this.#options.after(turn, committed)
  }
}

/**
 * Runs work inside the open transaction so that a throw undoes this work alone.
 *
 * @param effectOf what is done once the work was undone by this error; null for nothing.
 */
export function atomically<Result>(
  db: Db,
  work: () => Result,
  effectOf: (error: unknown) => (() => void) | null = () => null,
): Result {
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
    const effect = effectOf(error)
    if (effect) atomically(db, effect)
    throw error
  }
}
