import { lastEventSeq } from './events/events.ts'
import type { World } from './world.ts'

/** The last event that those who look on were told of, and whether they are about to be told of more. */
const told = new WeakMap<World, { seq: number; isAsked: boolean }>()

/**
 * Must be called after every commit. Lets those who look on know of new events, once for all commits of a turn. What is
 * told is read from the history, so what a refused call undid is never told; nobody looking on, nothing is read.
 */
export function tellEvents(world: World): void {
  if (!world.feed.isWatched) return
  const state = told.get(world) ?? { seq: 0, isAsked: false }
  told.set(world, state)
  if (state.isAsked) return
  state.isAsked = true
  // Apart from the transaction, which has ended well whatever becomes of this.
  setImmediate(() => {
    state.isAsked = false
    if (!world.db.open) return
    const seq = lastEventSeq(world)
    if (seq === state.seq) return
    state.seq = seq
    world.feed.publish({ kind: 'events' })
  })
}

/** Must be called where a world has another history from now on: its last event may have the number of the last one told. */
export function forgetTold(world: World): void {
  told.delete(world)
}
