import type { OperatorClient } from '../operator-api/client.ts'
import type { PartnerEvent } from '../operator-api/rows/events.ts'

/** Watches one world, for all waits in it. */
export interface Watch {
  /** Rings at every change until it is stopped. The first of them opens one stream for all, the last one closes it. */
  listen(ring: () => void): () => void
  /** Every event until now, oldest first. */
  events(): Promise<readonly PartnerEvent[]>
}

/** @param world its name. */
export function createWatch(client: OperatorClient, world: string): Watch {
  const bells = new Set<() => void>()
  let stream: AbortController | null = null
  let history = createHistory(client, world)
  const ringAll = () => {
    for (const ring of bells) ring()
  }
  return {
    listen(ring) {
      bells.add(ring)
      if (stream === null) {
        stream = new AbortController()
        // News are hints. Without a stream, a waiter polls.
        client.follow({ w: world }, {}, { begun: ringAll, heard: ringAll }, stream.signal).catch(() => undefined)
      }
      return () => {
        bells.delete(ring)
        if (bells.size > 0) return
        stream?.abort()
        stream = null
        // Without a waiter it keeps no events.
        history = createHistory(client, world)
      }
    },
    events: () => history(),
  }
}

const PAGE = 200

/** Reads on from where it was read before; calls that come while it is being read share the next reading. */
function createHistory(client: OperatorClient, world: string): () => Promise<readonly PartnerEvent[]> {
  let events: PartnerEvent[] = []
  let lastPage: { at: string | undefined; from: number } = { at: undefined, from: 0 }
  async function read(): Promise<readonly PartnerEvent[]> {
    for (;;) {
      const from = lastPage.at === undefined ? {} : { cursor: Number(lastPage.at) }
      const page = await client.call('events.list', { w: world }, { limit: PAGE, ...from })
      const known = events.slice(lastPage.from)
      if (known.every(({ id }, n) => page.events[n]?.id === id)) {
        events = [...events.slice(0, lastPage.from), ...page.events]
        if (page.next_cursor === null) return events
        lastPage = { at: page.next_cursor, from: events.length }
      } else {
        // The world was reset or restored: its history is another one now.
        events = []
        lastPage = { at: undefined, from: 0 }
      }
    }
  }
  return shared(read)
}

/** A call gets the result of a run that began after it was made. */
function shared<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<unknown> | null = null
  let next: Promise<Result> | null = null
  return () => {
    next ??= (async () => {
      await current?.catch(() => undefined)
      const running = run()
      current = running
      next = null
      return running
    })()
    return next
  }
}
