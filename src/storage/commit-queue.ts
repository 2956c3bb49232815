import { type Db, type Durability, setDurability, statement } from './database.ts'

/** One piece of work that reads and writes in the shared transaction of its turn. */
export interface Job {
  /** What its commit must outlive before `settled` may be called. */
  readonly durability: Durability
  /**
   * Whether {@link run} may be called again after all it wrote was undone, as if it had never been called. Turns of such jobs
   * alone need no savepoints, which cost about as much as what an order writes.
   */
  readonly isRepeatable?: boolean
  /** Does the work, synchronously. A throw is this job's own failure and undoes nothing of the others'. */
  run(): void
  /** Called once the commit is safe, or with the reason why it is not. */
  settled(failure: unknown): void
}

/** What a transaction is about to be: what its commit must outlive, and whether what is due runs first. */
export interface Turn {
  readonly durability: Durability
  readonly runsDue: boolean
}

/** Where jobs wait for the end of the event loop's turn. */
export interface CommitQueue {
  submit(job: Job): void
  /**
   * Commits and settles all that waits, at once, and runs nothing that is due: before the database is closed, which may be
   * because what is due there breaks or takes too long.
   */
  drain(): void
  /** Does one piece of work in a transaction of its own, at once, after all that is due; a throw undoes all of it. */
  commitNow<Result>(work: () => Result): Result
}

/**
 * Lets all jobs that arrive in one turn of the event loop share one commit, hence one sync. Each job is answered after
 * that commit, so an acknowledged write is a synced write. What one of them undoes undoes nothing of the others (see
 * {@link atomically}).
 *
 * @param database asked each time, because a world that is reset or restored moves to another one.
 * @param before runs first in each transaction: tasks that have fallen due, unless switched off. False where it left some
 *   for the next turn; then what it did is committed, and the jobs wait, so that no call sees a state from before it.
 * @param dueDurability what the work of `before` needs, where that is more than a job may ask for; null otherwise.
 * @param after called with how each transaction ended: committed, or undone with all that `before` did in it.
 */
export function createCommitQueue(
  database: () => Db,
  dueDurability: () => 'power-loss' | null,
  before: (turn: Turn) => boolean,
  after: (committed: boolean) => void = () => {},
): CommitQueue {
  let waiting: Job[] = []
  let set: { db: Db; durability: Durability } | null = null

  function ensureDurability(db: Db, wanted: Durability): void {
    if (db.isPrivate || (set?.db === db && set.durability === wanted)) return
    setDurability(db, wanted)
    set = { db, durability: wanted }
  }

  function transaction<Result>(wanted: Durability, work: (durability: Durability) => Result): Result {
    const db = database()
    const durability = dueDurability() ?? wanted
    ensureDurability(db, durability)
    statement(db, 'BEGIN IMMEDIATE').run()
    let committed = false
    try {
      const result = work(durability)
      statement(db, 'COMMIT').run()
      committed = true
      return result
    } finally {
      if (db.inTransaction) statement(db, 'ROLLBACK').run()
      db.changes.settled(committed)
      after(committed)
    }
  }

  function runAll(jobs: readonly Job[], undoes: Db['undoes']): true {
    const db = database()
    db.undoes = undoes
    db.isSpoilt = false
    try {
      for (const job of jobs) {
        job.run()
        if (!db.inTransaction) throw new Error('the database undid the whole transaction')
        if (db.isSpoilt) throw new SpoiltTurn()
      }
      return true
    } finally {
      db.undoes = 'by savepoint'
    }
  }

  /** @returns false where the jobs have to wait for what is due. */
  function runTurn(jobs: readonly Job[], runsDue: boolean, undoes: Db['undoes']): boolean {
    const strict = jobs.some((job) => job.durability === 'power-loss')
    return transaction(
      strict ? 'power-loss' : 'process-death',
      (durability) => before({ durability, runsDue }) && runAll(jobs, undoes),
    )
  }

  /** Nearly no job writes something and undoes it, so it is cheaper to do the turn again where one has. */
  function runTurnOrAgain(jobs: readonly Job[], runsDue: boolean): boolean {
    if (!jobs.every((job) => job.isRepeatable)) return runTurn(jobs, runsDue, 'by savepoint')
    try {
      return runTurn(jobs, runsDue, 'by doing the turn again')
    } catch (error) {
      if (!(error instanceof SpoiltTurn)) throw error
      return runTurn(jobs, runsDue, 'by savepoint')
    }
  }

  function flush(runsDue = true): void {
    if (waiting.length === 0) return
    const jobs = waiting
    waiting = []
    let failure: unknown
    try {
      if (!runTurnOrAgain(jobs, runsDue)) {
        waiting = [...jobs, ...waiting]
        setImmediate(flush)
        return
      }
    } catch (error) {
      failure = error ?? new Error('the commit failed')
    }
    for (const job of jobs) job.settled(failure)
  }

  return {
    submit(job) {
      if (waiting.push(job) === 1) setImmediate(flush)
    },
    drain() {
      while (waiting.length > 0) flush(false)
    },
    commitNow: (work) =>
      transaction('power-loss', () => {
        while (!before({ durability: 'power-loss', runsDue: true }));
        return work()
      }),
  }
}

/** A job of the turn has undone what it had written, and nothing but the whole transaction can be undone. */
class SpoiltTurn extends Error {
  override name = 'SpoiltTurn'
}

/**
 * Runs work inside the open transaction so that a throw undoes this work alone: by a savepoint, or, if the turn can be done
 * again, by doing that. Then what follows in this turn comes to nothing.
 */
export function atomically<Result>(db: Db, work: () => Result): Result {
  return db.undoes === 'by savepoint' ? bySavepoint(db, work) : byDoingItAgain(db, work)
}

function byDoingItAgain<Result>(db: Db, work: () => Result): Result {
  const before = changesIn(db)
  try {
    return work()
  } catch (error) {
    db.isSpoilt ||= changesIn(db) !== before
    throw error
  }
}

/** How many rows were ever written, those that were undone since included. */
function changesIn(db: Db): number | undefined {
  return statement<number>(db, 'SELECT total_changes()').pluck().get()
}

function bySavepoint<Result>(db: Db, work: () => Result): Result {
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
    db.changes.undone()
    throw error
  }
}
