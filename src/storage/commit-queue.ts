import { atOnce, oneStep, type Steps } from '../contract/steps.ts'
import { type Db, type Durability, setDurability, statement } from './database.ts'
import { OpenWork } from './open-work.ts'
import { StorageError } from './storage-error.ts'

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

/** What a queue is made of. */
export interface CommitQueueOptions {
  /** Asked each time, because a world that is reset or restored moves to another one. */
  database(): Db
  /** Whether anything has fallen due, and whether that may take long. It must outlive a power loss. */
  due?(): 'nothing' | 'short' | 'long'
  /**
   * Runs first in each transaction: what has fallen due, unless switched off. False where it left some for the next turn; then
   * what it did is committed, and the jobs wait, so that no call sees a state from before it.
   */
  before?(turn: Turn): Steps<boolean>
  /** Called with how each transaction ended: committed, or undone with all that `before` did in it. */
  after?(committed: boolean): void
  /** Measures how long work in turns keeps others waiting. */
  monotonicMs?(): number
}

/**
 * Where jobs wait for the end of the event loop's turn. All jobs that arrive in one turn share one commit, hence one sync. Each
 * is answered after that commit, so an acknowledged write is a synced write. What one of them undoes undoes nothing of the
 * others (see {@link atomically}).
 */
export class CommitQueue {
  readonly #options: Required<CommitQueueOptions>
  readonly #long: OpenWork
  #waiting: Job[] = []
  #set: { db: Db; durability: Durability } | null = null

  constructor(options: CommitQueueOptions) {
    const before = () => oneStep(() => true)
    this.#options = { due: () => 'nothing', before, after: () => {}, monotonicMs: () => 0, ...options }
    this.#long = new OpenWork(this.#options.monotonicMs)
  }

  submit(job: Job): void {
    if (this.#waiting.push(job) === 1) setImmediate(() => this.#flush())
  }

  /**
   * Commits and settles all that waits, at once, and runs nothing that is due: before the database is closed, which may be
   * because what is due there breaks or takes too long.
   */
  drain(): void {
    this.finish()
    while (this.#waiting.length > 0) this.#flush(false)
  }

  /** Does one piece of work in a transaction of its own, at once, after all that is due; a throw undoes all of it. */
  commitNow<Result>(work: () => Result): Result {
    return this.#short('power-loss', () => {
      while (!atOnce(this.#options.before({ durability: 'power-loss', runsDue: true })));
      return work()
    })
  }

  /**
   * Does long work in a transaction of its own that stays open over turns of the event loop, so that other worlds are served
   * meanwhile. Jobs of this one wait. A throw undoes all of it.
   *
   * @param runsDue whether all that is due runs first, which is usual.
   */
  async commitInTurns<Result>(work: () => Steps<Result>, runsDue = true): Promise<Result> {
    const { before, database } = this.#options
    const db = database()
    // A copy that is made in turns must not hold half of it.
    while (this.#long.isUnderWay || db.copies > 0) {
      await this.idle()
      await db.copied
    }
    if (!db.open) throw new StorageError('the world was reset, restored or deleted meanwhile; ask again')
    const steps = this.#transaction('power-loss', function* () {
      while (!(yield* before({ durability: 'power-loss', runsDue }))) yield
      return yield* work()
    })
    try {
      return await this.#long.run(steps)
    } finally {
      setImmediate(() => this.#flush())
    }
  }

  /** Whether such a transaction is open, between two of its turns. */
  isOpen(): boolean {
    return this.#long.isOpen
  }

  /** Resolves once none is. */
  idle(): Promise<void> {
    return this.#long.idle()
  }

  /** Brings it to its end at once: a reader that cannot wait must not see half of it. */
  finish(): void {
    this.#long.finish()
  }

  #flush(runsDue = true): void {
    if (this.#waiting.length === 0 || this.isOpen()) return
    const jobs = this.#waiting
    this.#waiting = []
    let failure: unknown
    try {
      const isLong = runsDue && this.#options.due() === 'long'
      if (isLong || !this.#runTurnOrAgain(jobs, runsDue)) {
        this.#waiting = [...jobs, ...this.#waiting]
        if (isLong) this.#runLongDue()
        else setImmediate(() => this.#flush())
        return
      }
    } catch (error) {
      failure = error ?? new Error('the commit failed')
    }
    for (const job of jobs) job.settled(failure)
  }

  /** What waits is served after it, and fails with it. */
  #runLongDue(): void {
    const db = this.#options.database()
    this.commitInTurns(nothing).catch((failure) => {
      // What waits by now is for the database that took its place, and has its own turn.
      if (this.#options.database() !== db) return
      for (const job of this.#waiting.splice(0)) job.settled(failure)
    })
  }

  /** Nearly no job writes something and undoes it, so it is cheaper to do the turn again where one has. */
  #runTurnOrAgain(jobs: readonly Job[], runsDue: boolean): boolean {
    if (!jobs.every((job) => job.isRepeatable)) return this.#runTurn(jobs, runsDue, 'by savepoint')
    try {
      return this.#runTurn(jobs, runsDue, 'by doing the turn again')
    } catch (error) {
      if (!(error instanceof SpoiltTurn)) throw error
      return this.#runTurn(jobs, runsDue, 'by savepoint')
    }
  }

  /** @returns false where the jobs have to wait for what is due. */
  #runTurn(jobs: readonly Job[], runsDue: boolean, undoes: Db['undoes']): boolean {
    const strict = jobs.some((job) => job.durability === 'power-loss')
    return this.#short(
      strict ? 'power-loss' : 'process-death',
      (durability) => atOnce(this.#options.before({ durability, runsDue })) && this.#runAll(jobs, undoes),
    )
  }

  #runAll(jobs: readonly Job[], undoes: Db['undoes']): true {
    const db = this.#options.database()
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

  /** A transaction that ends in this turn of the event loop. */
  #short<Result>(wanted: Durability, work: (durability: Durability) => Result): Result {
    this.finish()
    return atOnce(this.#transaction(wanted, (durability) => oneStep(() => work(durability))))
  }

  *#transaction<Result>(wanted: Durability, work: (durability: Durability) => Steps<Result>): Steps<Result> {
    const db = this.#options.database()
    const durability = this.#options.due() === 'nothing' ? wanted : 'power-loss'
    this.#ensureDurability(db, durability)
    statement(db, 'BEGIN IMMEDIATE').run()
    let committed = false
    try {
      const result = yield* work(durability)
      statement(db, 'COMMIT').run()
      committed = true
      return result
    } finally {
      if (db.inTransaction) statement(db, 'ROLLBACK').run()
      db.changes.settled(committed)
      this.#options.after(committed)
    }
  }

  #ensureDurability(db: Db, wanted: Durability): void {
    if (db.isPrivate || (this.#set?.db === db && this.#set.durability === wanted)) return
    setDurability(db, wanted)
    this.#set = { db, durability: wanted }
  }
}

/** What is due is all there is to do. */
const nothing = () => oneStep(() => {})

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
  const { isSpoilt } = db
  const before = changesIn(db)
  try {
    return work()
  } catch (error) {
    db.isSpoilt = true // Also where counting fails.
    db.isSpoilt = isSpoilt || changesIn(db) !== before
    throw error
  }
}

/** How many rows were ever written, those that were undone since included. */
function changesIn(db: Db): number | undefined {
  return statement<number>(db, 'SELECT total_changes()').pluck().get()
}

function bySavepoint<Result>(db: Db, work: () => Result): Result {
  return atOnce(atomicallyInSteps(db, () => oneStep(work)))
}

/** The same in steps, by a savepoint. */
export function* atomicallyInSteps<Result>(db: Db, work: () => Steps<Result>): Steps<Result> {
  statement(db, 'SAVEPOINT job').run()
  try {
    const result = yield* work()
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
