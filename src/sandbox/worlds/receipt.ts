import type { JumpReceipt } from '../app/environment.ts'
import { allEvents, lastEventSeq } from '../events/events.ts'
import type { Happening } from '../kernel/scheduled-task.ts'
import type { World } from '../kernel/world.ts'

const EVENTS_AT_ONCE = 1_000

/** Writes a receipt while a jump goes on, and holds no more of it than it will list. */
export class ReceiptBook {
  readonly #world: World
  readonly #listed: number
  #counts: JumpReceipt['counts'] = {}
  #fromMs = Number.NEGATIVE_INFINITY
  #eventSeq = 0
  #ran: Happening[] = []
  readonly #attempts: Happening[] = []

  /** @param listed how many happenings are listed at most. */
  constructor(world: World, listed: number) {
    this.#world = world
    this.#listed = listed
  }

  /** From here on: what was overdue at this instant belongs to the time before the jump. */
  begin(): void {
    this.#fromMs = this.#world.clock.nowMs()
    this.#eventSeq = lastEventSeq(this.#world)
    const within = this.#ran.filter(({ atMs }) => atMs >= this.#fromMs)
    this.#ran = []
    this.#counts = {}
    this.#add(this.#ran, within)
  }

  /** Things that ran in a transaction, in the order of their time. */
  ran(things: readonly Happening[]): void {
    this.#add(this.#ran, things)
  }

  attempted(attempts: readonly Happening[]): void {
    this.#add(this.#attempts, attempts)
  }

  close(stopped: boolean): JumpReceipt {
    const counts = this.#counts
    const events = lastEventSeq(this.#world) - this.#eventSeq
    if (events > 0) counts.event = events
    const listedEvents = eventsSince(this.#world, this.#eventSeq, this.#listed)
    const happened = inOrder(this.#ran, listedEvents, this.#attempts).slice(0, this.#listed)
    const truncated = Object.values(counts).reduce((sum, count) => sum + count, 0) > happened.length
    return { fromMs: this.#fromMs, toMs: this.#world.clock.nowMs(), stopped, counts, happened, truncated }
  }

  #add(list: Happening[], things: readonly Happening[]): void {
    for (const thing of things) {
      this.#counts[thing.kind] = (this.#counts[thing.kind] ?? 0) + 1
      if (list.length < this.#listed) list.push(thing)
    }
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

/** By time; within one instant causes, then their events, then the attempts. The sort is stable. */
function inOrder(...kinds: readonly (readonly Happening[])[]): Happening[] {
  return kinds.flat().sort((a, b) => a.atMs - b.atMs)
}
