import type { World } from '../kernel/world.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { ShownEvent } from './answer-text.ts'
import { addEvents, eventsBetween } from './facts.ts'
import { once, type Tallies } from './tally.ts'

/** A stretch of a partner's history, both ends included. */
export type Range = readonly [low: number, high: number]

/**
 * Counts what a page of the history shows its reader for the first time: events, and the steps of orders and cases behind
 * them. A page shows every event of its partner from the start, or from `after_id` on, to the last on the page.
 */
export function noteHistory(
  world: World,
  tallies: Tallies,
  events: readonly ShownEvent[],
  { call, worldTimeMs }: Exchange,
): void {
  const numberOf = (id: string) => world.chance.numberOf('event', id)
  const afterId = new URLSearchParams(call.rawQuery).get('after_id')
  const after = afterId === null ? 0 : numberOf(afterId)
  const last = numberOf(events.at(-1)?.id ?? '')
  const partnerId = call.credential?.partnerId
  if (last === null && events.length > 0) {
    // A proxy read them from another server: they count by their types, whenever they are read.
    for (const { type } of events) tallies.add('event', type, once(worldTimeMs))
  }
  if (partnerId === undefined || after === null || last === null) return
  const { detail } = tallies.of('history', partnerId)
  const known = detail === null ? null : (JSON.parse(detail) as [Range])[0]
  const { fresh, read } = readOn(known, [after + 1, last])
  if (fresh.length === 0) return
  for (const [from, to] of fresh) {
    addEvents(tallies, eventsBetween(world.db, { partnerId, from, to, atMs: worldTimeMs }))
  }
  tallies.add('history', partnerId, once(worldTimeMs), JSON.stringify([read]))
}

/**
 * What of a page is read for the first time, and the stretch that has been read then. Only one stretch is remembered: a client that reads
 * page by page, again or not, counts each event once.
 *
 * @example readOn([1, 4], [3, 6]) // { fresh: [[5, 6]], read: [1, 6] }
 */
export function readOn(known: Range | null, page: Range): { fresh: Range[]; read: Range } {
  const [low, high] = page
  const isApart = known === null || low > known[1] + 1 || high < known[0] - 1
  if (isApart) return { fresh: [page], read: known && known[1] - known[0] > high - low ? known : page }
  const around: Range[] = [
    [low, known[0] - 1],
    [known[1] + 1, high],
  ]
  return {
    fresh: around.filter(([from, to]) => from <= to),
    read: [Math.min(low, known[0]), Math.max(high, known[1])],
  }
}
