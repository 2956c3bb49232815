import { inNextTurn } from '../clock/wall-clock.ts'
import { type Db, type Durability, setDurability, writesIn } from '../storage/db.ts'

/** What the commit of a piece of work must outlive, and whether it writes. */
export interface JobKind {
  readonly durability: Durability
  /** Whether it writes nothing, or nothing that could be due later, such as the nonce of a call. */
  readonly isRead?: boolean
}

/** Work that waits for the transaction of its turn of the event loop, and then for its commit. */
interface Job extends JobKind {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  /** What the work returned or threw; null before it was done. */
  outcome: { readonly result: unknown } | { readonly error: unknown } | null
}

interface OpenTransaction {
  readonly db: Db
  /** How many rows had been written when it began. */
  readonly writesBefore: number
  /** Whether its jobs are reads, and no task ran before them. */
  onlyReads: boolean
}

/** What goes into the transactions of a world besides jobs. */
interface TransactionHooks {
  /**
   * Runs first in each transaction: the overdue tasks, unless `runsDue` is false.
   *
   * @returns false if tasks are left for the next turn. What ran is committed, and the jobs wait, so that no call sees the state
   *   before an overdue task.
   */
  before?(runsDue: boolean): boolean
  /** Adds to a transaction that did more than read. One that only reads writes nothing, so operators can read a full disk. */
  beforeCommit?(): void
  /**
   * Called after each transaction.
   *
   * @param ended.isCommitted false if it was rolled back, with all that `before` wrote.
   */
  after?(ended: { readonly isCommitted: boolean; readonly onlyReads: boolean }): void
}

/**
 * The queue of a world's transactions. All jobs that arrive in one turn of the event loop share one transaction, hence one commit
 * and one sync. Each job is settled after that commit, so an acknowledged write is a synced write.
 */
export class CommitQueue {
  readonly #world: { readonly db: Db }
  readonly #hooks: TransactionHooks
  #waiting: Job[] = []
  #set: { db: Db; durability: Durability } | null = null

  /** @param world asked for its database each time, because a world that is reset or restored moves to another one. */
  constructor(world: { readonly db: Db }, hooks: TransactionHooks = {}) {
    this.#world = world
    this.#hooks = hooks
  }

  /**
   * Does work in the shared transaction of the turn. What may have to be undone runs in {@link atomically}.
   *
   * @returns after the commit what the work returned. Rejects with what it threw, which by itself undoes nothing, or with the reason
   *   why the commit failed.
   */
  perform<Result>(kind: JobKind, work: () => Result): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      const count = this.#waiting.push({ ...kind, work, resolve, reject, outcome: null })
      if (count === 1) inNextTurn(() => this.#flush(true))
    }) as Promise<Result>
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
    return this.#transact({ durability: 'power-loss' }, () => {
      while (this.#hooks.before?.(runsDue) === false);
      return work()
    })
  }

  readonly #flush = (runsDue: boolean): void => {
    const jobs = this.#waiting
    this.#waiting = []
    if (jobs.length === 0) return
    let isUpToDate = true
    const needsSync = jobs.some((job) => job.durability === 'power-loss')
    const isRead = jobs.every((job) => job.isRead === true)
    try {
      this.#transact({ durability: needsSync ? 'power-loss' : 'process-death', isRead }, (transaction) => {
        const { db, writesBefore } = transaction
        isUpToDate = this.#hooks.before?.(runsDue) ?? true
        // Overdue tasks need no sync: what a power loss undoes of them is done again after the next start.
        if (writesIn(db) !== writesBefore) transaction.onlyReads = false
        for (const job of isUpToDate ? jobs : []) {
          try {
            job.outcome = { result: job.work() }
          } catch (error) {
            job.outcome = { error }
          }
          if (!db.inTransaction) throw new Error('the database rolled back the whole transaction')
        }
      })
    } catch (error) {
      for (const { reject } of jobs) reject(error)
      return
    }
    if (!isUpToDate) {
      this.#waiting = [...jobs, ...this.#waiting]
      inNextTurn(() => this.#flush(true))
      return
    }
    for (const { outcome, resolve, reject } of jobs) {
      if (outcome !== null && 'error' in outcome) reject(outcome.error)
      else resolve(outcome?.result)
    }
  }

  /** Does work in a transaction, and commits it. A throw undoes all of it. */
  #transact<Result>({ durability, isRead = false }: JobKind, work: (opened: OpenTransaction) => Result): Result {
    const { db } = this.#world
    if (!db.memory && (this.#set?.db !== db || this.#set.durability !== durability)) {
      setDurability(db, durability)
      this.#set = { db, durability }
    }
    const transaction = { db, writesBefore: writesIn(db), onlyReads: isRead, isCommitted: false }
    db.statement('BEGIN IMMEDIATE').run()
    try {
      const result = work(transaction)
      if (!transaction.onlyReads && writesIn(db) !== transaction.writesBefore) this.#hooks.beforeCommit?.()
      db.statement('COMMIT').run()
      transaction.isCommitted = true
      return result
    } finally {
      if (db.inTransaction) db.statement('ROLLBACK').run()
      this.#hooks.after?.(transaction)
    }
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
  db.statement('SAVEPOINT job').run()
  try {
    const result = work()
    db.statement('RELEASE job').run()
    return result
  } catch (error) {
    // SQLite may have rolled back the whole transaction (disk full); then there is no savepoint left.
    if (db.inTransaction) {
      db.statement('ROLLBACK TO job').run()
      db.statement('RELEASE job').run()
    }
    const effect = effectOf(error)
    if (effect) atomically(db, effect)
    throw error
  }
}
