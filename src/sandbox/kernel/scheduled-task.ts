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
export type AwaitedSource = Pick<TaskSource, 'kind' | 'peek' | 'count'>
