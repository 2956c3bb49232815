import { allEvents, lastEventSeq } from '../events/events.ts'
import type { Happening } from '../kernel/scheduled-task.ts'
import type { World } from '../kernel/world.ts'

/** What happened by itself while a clock was moved. */
export interface Receipt {
  fromMs: number
  toMs: number
  /** Whether somebody stopped it before it had come to its end. */
  stopped: boolean
  /** How many of each kind, all of them. */
  counts: Partial<Record<Happening['kind'], number>>
  /** In the order of their time: the first of them, as many as the receipt was asked to list. */
  happened: Happening[]
  /** Whether there were more than are listed. */
  truncated: boolean
}

/** Writes a receipt while a jump goes on, and holds no more of it than it will list. */
export interface ReceiptBook {
  /** From here on: what was overdue at this instant belongs to the time before the jump. */
  begin(): void
  /** Things that ran in a transaction, in the order of their time. */
  ran(things: readonly Happening[]): void
  attempted(attempts: readonly Happening[]): void
  close(stopped: boolean): Receipt
}

const EVENTS_AT_ONCE = 1_000

/** @param listed how many happenings are listed at most. */
export function openReceipt(world: World, listed: number): ReceiptBook {
  const counts: Receipt['counts'] = {}
  let fromMs = Number.NEGATIVE_INFINITY
  let eventSeq = 0
  let ran: Happening[] = []
  const attempts: Happening[] = []

  function add(list: Happening[], things: readonly Happening[]): void {
    for (const thing of things) {
      counts[thing.kind] = (counts[thing.kind] ?? 0) + 1
      if (list.length < listed) list.push(thing)
    }
  }

  return {
    begin() {
      fromMs = world.clock.nowMs()
      eventSeq = lastEventSeq(world)
      const within = ran.filter(({ atMs }) => atMs >= fromMs)
      ran = []
      for (const kind of Object.keys(counts) as Happening['kind'][]) delete counts[kind]
      add(ran, within)
    },
    ran: (things) => add(ran, things),
    attempted: (things) => add(attempts, things),
    close(stopped) {
      const events = lastEventSeq(world) - eventSeq
      if (events > 0) counts.event = events
      const happened = inOrder(ran, eventsSince(world, eventSeq, listed), attempts).slice(0, listed)
      const truncated = Object.values(counts).reduce((sum, count) => sum + count, 0) > happened.length
      return { fromMs, toMs: world.clock.nowMs(), stopped, counts, happened, truncated }
    },
  }
}

function eventsSince(world: World, seq: number, most: number): Happening[] {
  const happenings: Happening[] = []
  let afterSeq = seq
  while (happenings.length < most) {
    const events = allEvents(world, { afterSeq, limit: Math.min(EVENTS_AT_ONCE, most - happenings.length) })
    for (const { id, type, partnerId, createdAtMs } of events) {
      happenings.push({ atMs: createdAtMs, kind: 'event', id, summary: `${type} for ${partnerId}` })
    }
    if (events.length === 0) break
    afterSeq = events.at(-1)?.seq ?? afterSeq
  }
  return happenings
}

/** By time; within one instant causes, then the events that tell of them, then the attempts. The sort is stable. */
function inOrder(...kinds: readonly (readonly Happening[])[]): Happening[] {
  return kinds.flat().sort((a, b) => a.atMs - b.atMs)
}
