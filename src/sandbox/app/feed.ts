import { lastEventSeq } from '../events/events.ts'
import type { World } from '../kernel/world.ts'
import type { Act, LoggedCall } from './request-log.ts'

/** Something that has just happened in a world, for watchers: published after its commit, and never kept. */
export type FeedMessage =
  | { kind: 'request'; entry: LoggedCall }
  /** The history has more events than before. Watchers read on from the last one they have seen. */
  | { kind: 'events' }
  /** An attempt was made. */
  | { kind: 'delivery'; deliveryId: string }
  /** The clock was set, or a jump has come so far. */
  | { kind: 'clock' }
  /** An operator has changed something. */
  | { kind: 'act'; act: Act }
  /** The world was taken back: its history is another one now. */
  | { kind: 'rewound' }
  /** The world has ended. */
  | { kind: 'end' }

type Watcher = (message: FeedMessage) => void

/** Who looks on at a world. */
export class Feed {
  readonly #watchers = new Set<Watcher>()
  #notifiedSeq = 0
  #isLooking = false

  /** Without watchers, nothing needs to be prepared. */
  get isWatched(): boolean {
    return this.#watchers.size > 0
  }

  publish(message: FeedMessage): void {
    // Another history: its last event may have the number of the last one notified.
    if (message.kind === 'rewound') this.#notifiedSeq = 0
    for (const watcher of [...this.#watchers]) notify(watcher, message)
  }

  /**
   * For the end of every commit: publishes that there are new events, once for all commits of a turn. They are read from the
   * history, so what a refused call undid is never sent.
   */
  lookForEvents(world: World): void {
    if (this.#isLooking || !this.isWatched) return
    this.#isLooking = true
    // Outside the transaction, which has ended well no matter what happens here.
    setImmediate(() => {
      this.#isLooking = false
      if (!world.db.open) return
      const seq = lastEventSeq(world)
      if (seq === this.#notifiedSeq) return
      this.#notifiedSeq = seq
      this.publish({ kind: 'events' })
    })
  }

  /** @returns call it to end that. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }
}

/** A watcher cannot break what it watches. */
function notify(watcher: Watcher, message: FeedMessage): void {
  try {
    watcher(message)
  } catch (error) {
    process.emitWarning(error as Error)
  }
}
