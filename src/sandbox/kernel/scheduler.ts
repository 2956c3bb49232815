import { atomically } from '../../storage/commit-queue.ts'
import { breaksForGood, tellFault } from './due-fault.ts'
import { createDueOrder } from './due-order.ts'
import type { World } from './world.ts'

/** Something that happened by itself when its time came, as a receipt lists it. */
export interface Happening {
  atMs: number
  kind:
    | 'quote.expired'
    | 'checkout.expired'
    | 'order.step'
    | 'event'
    | 'delivery.attempt'
    | 'settlement.run'
    | 'idempotency.expired'
    | 'payment.succeeded'
    | 'payment.failed'
    | 'case.closed'
  id: string
  summary: string
}

/** The next thing of one kind that is due, and when. */
export interface DueItem {
  atMs: number
  id: string
}

/**
 * A kind of thing that falls due in world time. What is due is read from the feature's own rows, so there is no
 * second list of timers that could disagree with them.
 */
export interface DueSource {
  /** What happens when the time of an item comes, if all goes well. */
  readonly kind: Happening['kind']
  /** The earliest item, or null. */
  peek(world: World): DueItem | null
  /** Does what its time asks for; afterwards `peek` no longer gives this item. */
  run(world: World, item: DueItem): Happening[]
  /** How many items wait. */
  count(world: World): number
  /**
   * For what comes round for ever: the last round before an instant, where this one and all until then would find
   * nothing to do. A world that was asleep makes up for them by that one. Left out where every item counts.
   */
  lastRoundBefore?(world: World, item: DueItem, untilMs: number): DueItem
  /**
   * Whether there is nothing to wait for. Left out where that is so when there is no item; to be said where items come
   * round for ever, and the next would find nothing to do.
   */
  isIdle?(world: World): boolean
}

/**
 * A kind of thing that takes real time and cannot run inside a transaction: webhook attempts. The list only tells of
 * them; who runs them is {@link Deliverer}, led by a jump of the clock.
 */
export type AwaitedSource = Pick<DueSource, 'kind' | 'peek' | 'count'>

/** All that falls due in a world. */
export interface DueList {
  /** Must be called by whoever creates a due item, so that an idle world need not ask its tables on every call. */
  note(atMs: number): void
  /** No item that runs in a transaction is due before this instant; Infinity where nothing waits. */
  readonly notBeforeMs: number
  /** The earliest item of all sources, in time order; ties in the order of the sources. */
  peek(world: World): (DueItem & Pick<DueSource, 'kind'>) | null
  /** The earliest of those that a jump has to await. */
  peekAwaited(world: World): DueItem | null
  /**
   * Runs the earliest item if it is due at `limitMs`, with the clock standing at its instant. Call inside a transaction.
   *
   * @param rounds whether rounds that find nothing to do are made one by one, or only the last of them.
   */
  runNext(world: World, limitMs: number, rounds?: 'each' | 'last'): Happening[] | null
  /** How many items wait. */
  count(world: World): number
  /** How many of each kind wait, of the kinds that have any. */
  countByKind(world: World): Partial<Record<Happening['kind'], number>>
  /** Whether waiting for whatever comes next would change nothing. */
  isIdle(world: World): boolean
  /**
   * Tells of all that happens by itself from now on, whoever's transaction runs it, once that is committed.
   *
   * @returns call it to be told no more.
   */
  watch(told: (happened: readonly Happening[]) => void): () => void
  /** Must be called at the end of every transaction: what was undone has not happened, and is due again. */
  settled(committed: boolean): void
}

/**
 * @param sources in the order in which ties are settled.
 * @param awaited come after them.
 */
export function createDueList(sources: readonly DueSource[], awaited: readonly AwaitedSource[] = []): DueList {
  const order = createDueOrder(sources)
  const watchers = new Set<(happened: readonly Happening[]) => void>()
  let unsettled: Happening[] = []

  /** The last of the rounds that find nothing, before anything else happens; the item itself where it is no such round. */
  function lastRound(world: World, next: { source: DueSource; item: DueItem }, limitMs: number): DueItem {
    if (!next.source.lastRoundBefore) return next.item
    const others = order.sound().filter((source) => source !== next.source)
    const instants = others.map((source) => source.peek(world)?.atMs ?? Number.POSITIVE_INFINITY)
    return next.source.lastRoundBefore(world, next.item, Math.min(limitMs + 1, ...instants))
  }

  /** What it has done already is undone where it breaks, and its kind is not run again. */
  function run(world: World, source: DueSource, item: DueItem): Happening[] {
    try {
      return atomically(world.db, () => source.run(world, item))
    } catch (error) {
      if (!breaksForGood(world, error)) throw error
      order.leaveOut(source)
      tellFault(world, item, error)
      return []
    }
  }

  function peekAwaited(world: World): KindOfItem | null {
    return awaited.map((source) => ofKind(source, source.peek(world))).reduce(earlier, null)
  }

  function countByKind(world: World): Partial<Record<Happening['kind'], number>> {
    const counts: Partial<Record<Happening['kind'], number>> = {}
    for (const source of [...sources, ...awaited]) {
      const count = source.count(world)
      if (count > 0) counts[source.kind] = (counts[source.kind] ?? 0) + count
    }
    return counts
  }

  return {
    note: order.note,
    get notBeforeMs() {
      return order.notBeforeMs
    },
    peek(world) {
      const first = order.earliest(world)
      return earlier(first && ofKind(first.source, first.item), peekAwaited(world))
    },
    peekAwaited,
    runNext(world, limitMs, rounds = 'each') {
      if (order.notBeforeMs > limitMs) return null
      const next = order.earliest(world)
      if (!next || next.item.atMs > limitMs) return null
      const item = rounds === 'last' ? lastRound(world, next, limitMs) : next.item
      world.clock.pin(item.atMs)
      try {
        const happened = run(world, next.source, item)
        if (watchers.size > 0) unsettled.push(...happened)
        return happened
      } finally {
        world.clock.pin(null)
      }
    },
    count: (world) => Object.values(countByKind(world)).reduce((sum, count) => sum + count, 0),
    countByKind,
    isIdle: (world) =>
      peekAwaited(world) === null &&
      order.sound().every((source) => source.isIdle?.(world) ?? source.peek(world) === null),
    watch(told) {
      watchers.add(told)
      return () => watchers.delete(told)
    },
    settled(committed) {
      if (!committed) order.forget()
      if (unsettled.length === 0) return
      const happened = unsettled
      unsettled = []
      if (committed) for (const told of watchers) told(happened)
    },
  }
}

type KindOfItem = DueItem & Pick<DueSource, 'kind'>

function ofKind({ kind }: Pick<DueSource, 'kind'>, item: DueItem | null): KindOfItem | null {
  return item && { ...item, kind }
}

/** The first where both are due at one instant. */
function earlier(first: KindOfItem | null, second: KindOfItem | null): KindOfItem | null {
  return first && (!second || first.atMs <= second.atMs) ? first : second
}

const THINGS_PER_TURN = 250

/**
 * Runs what has fallen due by now, in the order of time; called first in every transaction. After a long sleep that may
 * be much, so one turn of the event loop does a bounded part of it.
 *
 * @returns false where there may be more, to be run in the next turn before anything else is done.
 */
export function runDue(world: World): boolean {
  const nowMs = world.clock.nowMs()
  for (let ran = 0; world.due.notBeforeMs <= nowMs; ran++) {
    if (ran === THINGS_PER_TURN) return false
    // A rolled-back item is found again, because items are read from the tables.
    if (world.due.runNext(world, nowMs, 'last') === null) return true
  }
  return true
}

/** Waits until all that has fallen due is done, for what looks at a world outside of its transactions. */
export async function caughtUp(world: World): Promise<void> {
  if (world.due.notBeforeMs > world.clock.nowMs()) return
  await new Promise<void>((resolve, reject) => {
    world.commits.submit({
      // What is due is synced on its own account.
      durability: 'process-death',
      run() {},
      settled: (failure) => (failure === undefined ? resolve() : reject(failure)),
    })
  })
}
