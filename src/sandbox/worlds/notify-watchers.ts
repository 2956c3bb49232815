import type { ServedWorld } from '../app/served-world.ts'
import { lastEventSeq } from '../events/events.ts'

/** Lets those who look on at a world know of new events. */
export interface EventNotice {
  /** Call it after every commit; it notifies once for all commits of a turn. */
  notify(): void
  /** The world has another history from now on: its last event may have the number of the last one notified. */
  forget(): void
}

/**
 * The notice is read from the history, so what a refused call undid is never sent; with nobody looking on, nothing is read.
 *
 * @param world asked for late, because a world and its notice need each other.
 */
export function createEventNotice(world: () => ServedWorld): EventNotice {
  let notifiedSeq = 0
  let isAsked = false

  function publish(): void {
    isAsked = false
    if (!world().db.open) return
    const seq = lastEventSeq(world())
    if (seq === notifiedSeq) return
    notifiedSeq = seq
    world().feed.publish({ kind: 'events' })
  }

  return {
    notify() {
      if (isAsked || !world().feed.isWatched) return
      isAsked = true
      // Apart from the transaction, which has ended well whatever becomes of this.
      setImmediate(publish)
    },
    forget() {
      notifiedSeq = 0
    },
  }
}
