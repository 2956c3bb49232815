import { describe, expect, it } from 'vitest'
import { listedTwice, nearestRow, sumDifference } from '../../src/conformance/format/expectations/things.ts'
import type { Matcher } from '../../src/conformance/format/values.ts'

function listOf(rows: readonly Record<string, unknown>[]): Parameters<typeof nearestRow>[0] {
  return {
    size: rows.length,
    fill: (template) => template,
    value: (index, name) => ({ value: rows[index]?.[name] }),
  }
}

const near = (rows: readonly Record<string, unknown>[], wanted: Record<string, Matcher>) =>
  nearestRow(listOf(rows), wanted)

describe('the nearest row of a list in which none fits', () => {
  it('is the one with most in common, with what is different', () => {
    const rows = [
      { domain: 'b.test', amount: 7 },
      { domain: 'a.test', amount: 3_900 },
    ]
    expect(near(rows, { domain: 'a.test', amount: 4_000 })).toBe(
      'nearest: domain fits, amount is 3900 where 4000 was expected',
    )
  })

  it('asks for another unit where an amount is off by a factor of 100', () => {
    const words = 'nearest: domain fits, amount is 3915 where 391500 was expected (factor 100: another unit?)'
    expect(near([{ domain: 'a.test', amount: 3_915 }], { domain: 'a.test', amount: 391_500 })).toBe(words)
    expect(near([{ amount: 1 }, { amount: 3.15 }], { amount: 315 })).toBe(
      'nearest: amount is 3.15 where 315 was expected (factor 100: another unit?)',
    )
  })

  it('names what a row lacks, and conditions in words', () => {
    expect(near([{ domain: 'a.test' }], { domain: 'a.test', amount: { at_least: 5 } })).toBe(
      'nearest: domain fits, amount is nothing where what is at least 5 was expected',
    )
  })

  it('is none where no row has anything in common: then what was asked for is said', () => {
    expect(near([{ domain: 'b.test' }], { domain: 'a.test' })).toBe('asked for: domain is a.test')
    expect(near([{ domain: 'c.test' }], { domain: { one_of: ['a.test', 'b.test'] } })).toBe(
      'asked for: domain is one of ["a.test","b.test"]',
    )
  })

  it('is none where the list is empty, or all of it was there before', () => {
    expect(near([], { domain: 'a.test' })).toBe('the list is empty')
    const things = { ...listOf([]), earlier: 50 }
    expect(nearestRow(things, { domain: 'a.test' })).toBe('all 50 rows were there before this scenario')
  })

  it('of a condition that speaks of the row itself is left as it is written', () => {
    const things = listOf([{ domain: 'b.test' }])
    const fill = () => {
      throw new Error('no item')
    }
    expect(nearestRow({ ...things, fill }, { domain: '${item.x}' })).toBe('asked for: domain is ${item.x}')
  })
})

describe('a list with one row too many', () => {
  const things = (ids: readonly unknown[]) => ({ size: ids.length, hint: (index: number) => ids[index] })

  it('has the numbers of the two rows that are the same', () => {
    expect(listedTwice(things(['a', 'b', 'b']), 'transaction.amount')).toMatch(
      /^number 2 and number 3 have the same transaction\.id/,
    )
    expect(listedTwice(things(['a', 'a']), 'order.id')).toContain('order.public_id')
  })

  it('says nothing where rows have no id, or each its own', () => {
    expect(listedTwice(things([undefined, undefined]), 'transaction.amount')).toBeUndefined()
    expect(listedTwice(things(['a', 'b']), 'transaction.amount')).toBeUndefined()
    expect(listedTwice(things(['a', 'a']), 'ledger.amount')).toBeUndefined()
  })
})

describe('a sum that is another one', () => {
  it.each([
    [[100, 50, 25], 150, 'the difference is 25, as much as number 3: that row is not in the total'],
    [[100, 50], 250, undefined],
    [[100, 50], 50, 'the difference is 100, as much as number 1: that row is not in the total'],
    [[100, 40, 20], 120, 'the difference is 40, as much as number 2: that row is not in the total'],
    [[100, 20], 80, 'the difference is 40, twice number 2: that row counts with the other sign'],
    [[100, 50], 15_000, 'the difference is -14850 (factor 100: another unit?)'],
  ])('of %j against %i: %#', (values, wanted, words) => {
    expect(sumDifference(values, wanted)).toBe(words)
  })
})
