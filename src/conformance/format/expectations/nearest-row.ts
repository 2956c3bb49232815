import { describeMatcher, shown } from '../matcher.ts'
import type { Matcher, Matchers, Template } from '../values.ts'
import type { ThingsSeen } from './kind.ts'

/** What is asked of a list here. */
type RowsSeen = Pick<ThingsSeen, 'size' | 'earlier' | 'value' | 'judge' | 'fill'>

interface Row {
  fits: string[]
  misses: { name: string; value: unknown; wanted: unknown }[]
}

/**
 * Why no row of a list is as it should be: the row that comes nearest, and what is different about it. If no row has anything in
 * common with what was asked for, what that was.
 *
 * @example nearestRow(things, { domain: 'a.test', amount: 500 }) // 'nearest: domain fits, amount is 5 where 500 …'
 */
export function nearestRow(things: RowsSeen, matchers: Matchers): string {
  const rows = Array.from({ length: things.size }, (_, index) => rowOf(things, index, matchers))
  const [nearest] = rows.map((row) => ({ row, score: scoreOf(row) })).sort((a, b) => b.score - a.score)
  if (!nearest)
    return things.earlier ? `all ${things.earlier} rows were there before this scenario` : 'the list is empty'
  if (nearest.score === 0) return `asked for: ${wordsOf(things, matchers)}`
  const { fits, misses } = nearest.row
  const words = [
    ...(fits.length === 0 ? [] : [`${fits.join(' and ')} ${fits.length === 1 ? 'fits' : 'fit'}`]),
    ...misses.map(({ name, value, wanted }) => `${name} is ${shown(value)} ${insteadOf(value, wanted)}`),
  ]
  return `nearest: ${words.join(', ')}`
}

function wordsOf(things: RowsSeen, matchers: Matchers): string {
  return Object.entries(matchers)
    .map(([name, matcher]) => `${name} ${describeMatcher(filledOrNot(things, matcher) as Matcher)}`)
    .join(' and ')
}

function rowOf(things: RowsSeen, index: number, matchers: Matchers): Row {
  const row: Row = { fits: [], misses: [] }
  for (const [name, matcher] of Object.entries(matchers)) {
    if (things.judge(index, { [name]: matcher }) === null) row.fits.push(name)
    else {
      const found = things.value(index, name)
      const value = 'complaint' in found ? undefined : found.value
      row.misses.push({ name, value, wanted: filledOrNot(things, matcher) })
    }
  }
  return row
}

/** What a matcher says of the row itself (`${item...}`) has no value outside of it. */
function filledOrNot(things: RowsSeen, matcher: Matcher): unknown {
  try {
    return things.fill(matcher as Template)
  } catch {
    return matcher
  }
}

/** A miss that a factor explains is half a fit. */
function scoreOf({ fits, misses }: Row): number {
  return fits.length + misses.filter(({ value, wanted }) => relation(value, wanted) !== '').length / 2
}

function insteadOf(value: unknown, wanted: unknown): string {
  const words =
    typeof wanted === 'object' && wanted !== null ? `what ${describeMatcher(wanted as Matcher)}` : shown(wanted)
  return `where ${words} was expected${relation(value, wanted)}`
}

/** What two amounts have to do with each other, in brackets; empty where nothing shows. */
function relation(value: unknown, wanted: unknown): string {
  if (typeof value !== 'number' || typeof wanted !== 'number' || value === 0 || wanted === 0) return ''
  if (value === -wanted) return ' (the other sign)'
  const isFactor = Math.abs(value * 100 - wanted) < 1e-6 || Math.abs(wanted * 100 - value) < 1e-6
  return isFactor ? ' (factor 100: another unit?)' : ''
}

/** Why a sum is another one: the row that explains the difference, or the factor. Undefined if nothing does. */
export function sumDifference(values: readonly number[], wanted: number): string | undefined {
  const sum = values.reduce((total, value) => total + value, 0)
  const factor = relation(sum, wanted)
  const difference = `the difference is ${sum - wanted}${factor}`
  const extra = values.indexOf(sum - wanted)
  if (extra !== -1) return `${difference}, as much as number ${extra + 1}: that row is not in the total`
  const reversed = values.findIndex((value) => 2 * value === sum - wanted)
  if (reversed !== -1) return `${difference}, twice number ${reversed + 1}: that row counts with the other sign`
  return factor === '' ? undefined : difference
}
