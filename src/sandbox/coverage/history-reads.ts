import type { World } from '../kernel/world.ts'
import { eventsIn } from './seen-in-answer.ts'
import { caseHistoryBetween, historyBetween } from './store.ts'
import type { Tallies } from './tallies.ts'

/** A stretch of the history, both ends included. */
export type Range = readonly [low: number, high: number]

/** Scattered readings are remembered up to so many stretches; then the shortest is forgotten. */
const MOST_RANGES = 64

/**
 * Counts what a page of the history showed its reader for the first time: events, and the steps of orders and cases behind
 * them. A page is a stretch of the partner's own events without gaps.
 */
export function noteHistoryPage(world: World, tallies: Tallies, partnerId: string, page: string, atMs: number): void {
  const found = eventsIn(page)
  const low = found && world.chance.numberOf('event', found.firstId)
  const high = found && world.chance.numberOf('event', found.lastId)
  if (low === null || high === null || high < low) return
  const { detail } = tallies.of('history', partnerId)
  const known = detail === null ? [] : (JSON.parse(detail) as Range[])
  const fresh = without([low, high], known)
  if (fresh.length === 0) return
  for (const range of fresh) noteRange(world, tallies, partnerId, range, atMs)
  tallies.add('history', partnerId, atMs).detail = JSON.stringify(withRange([low, high], known))
}

function noteRange(world: World, tallies: Tallies, partnerId: string, [low, high]: Range, atMs: number): void {
  for (const { a: type, b: step, count } of historyBetween(world.db, { partnerId, low, high })) {
    tallies.add('event', type as string, atMs, count)
    if (step !== null) tallies.add('order-edge', step, atMs, count)
  }
  for (const { a: step, count } of caseHistoryBetween(world.db, { partnerId, low, high })) {
    tallies.add('case-edge', step as string, atMs, count)
  }
}

/**
 * What of a stretch is in none of the others.
 *
 * @param others in order, none touching another.
 * @example without([1, 9], [[3, 4]]) // [[1, 2], [5, 9]]
 */
export function without([low, high]: Range, others: readonly Range[]): Range[] {
  const left: Range[] = []
  let from = low
  for (const [start, end] of others) {
    if (end < from) continue
    if (start > high) break
    if (start > from) left.push([from, start - 1])
    from = end + 1
  }
  if (from <= high) left.push([from, high])
  return left
}

/**
 * The stretches with one more, joined where they meet.
 *
 * @example withRange([3, 4], [[1, 2], [9, 9]]) // [[1, 4], [9, 9]]
 */
export function withRange(added: Range, others: readonly Range[]): Range[] {
  const joined: [number, number][] = []
  for (const [low, high] of [...others, added].sort((x, y) => x[0] - y[0])) {
    const last = joined.at(-1)
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else joined.push([low, high])
  }
  if (joined.length <= MOST_RANGES) return joined
  const shortest = joined.reduce((least, range) => (range[1] - range[0] < least[1] - least[0] ? range : least))
  return joined.filter((range) => range !== shortest)
}
