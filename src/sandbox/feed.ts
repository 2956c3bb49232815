import type { PartnerEvent } from './events/events.ts'
import type { LoggedCall } from './http/request-log.ts'

/** Something that has just happened in a world, for whoever looks on: told after its commit, and never kept. */
export type FeedMessage =
  | { kind: 'request'; entry: LoggedCall }
  | { kind: 'event'; event: PartnerEvent }
  /** An attempt was made, or a delivery changed its state. */
  | { kind: 'delivery'; deliveryId: string }
  /** The clock was set, or a jump has come so far. */
  | { kind: 'clock' }

/** Who looks on at a world. */
export interface Feed {
  /** False where nobody looks on; then nothing need be prepared for them. */
  readonly isWatched: boolean
  publish(message: FeedMessage): void
  /** @returns call it to be told no more. */
  watch(told: (message: FeedMessage) => void): () => void
}

/** @example const stop = world.feed.watch(({ kind }) => console.log(kind)) */
export function createFeed(): Feed {
  const watchers = new Set<(message: FeedMessage) => void>()
  return {
    get isWatched() {
      return watchers.size > 0
    },
    publish(message) {
      for (const told of watchers) told(message)
    },
    watch(told) {
      watchers.add(told)
      return () => watchers.delete(told)
    },
  }
}
