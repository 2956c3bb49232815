import type { LoggedCall } from './request-log.ts'

/** Something that has just happened in a world, for whoever looks on: told after its commit, and never kept. */
export type FeedMessage =
  | { kind: 'request'; entry: LoggedCall }
  /** The history has more events than before. Whoever wants them reads on from the last one it has seen. */
  | { kind: 'events' }
  /** An attempt was made. */
  | { kind: 'delivery'; deliveryId: string }
  /** The clock was set, or a jump has come so far. */
  | { kind: 'clock' }
  /** The world was taken back: its history is another one now. */
  | { kind: 'rewound' }
  /** The world is no more. */
  | { kind: 'end' }

/** Who looks on at a world. */
export interface Feed {
  /** False where nobody looks on; then nothing need be prepared for them. */
  readonly isWatched: boolean
  publish(message: FeedMessage): void
  /** @returns call it to be told no more. */
  watch(told: (message: FeedMessage) => void): () => void
}

/** Whoever looks on cannot break what it looks at. */
function tell(told: (message: FeedMessage) => void, message: FeedMessage): void {
  try {
    told(message)
  } catch (error) {
    process.emitWarning(error as Error)
  }
}

/** @example const stop = world.feed.watch(({ kind }) => console.log(kind)) */
export function createFeed(): Feed {
  const watchers = new Set<(message: FeedMessage) => void>()
  return {
    get isWatched() {
      return watchers.size > 0
    },
    publish(message) {
      for (const told of [...watchers]) tell(told, message)
    },
    watch(told) {
      watchers.add(told)
      return () => watchers.delete(told)
    },
  }
}
