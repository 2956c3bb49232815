import { expect, test } from 'vitest'
import { type Column, wrapped } from '../../../src/cli/output/table.ts'

const COLUMNS: Column<string[]>[] = [
  ['NAME', (row) => row[0]],
  ['WHAT IT SAYS', (row) => row[1]],
]
const ROWS = [
  ['a', 'one two three four five six seven'],
  ['much|longer', 'short'],
]

test('the last column goes on below itself where the terminal ends', () => {
  expect(wrapped(ROWS, COLUMNS, 37)).toBe(
    [
      'NAME         WHAT IT SAYS',
      'a            one two three four five',
      '             six seven',
      'much|longer  short',
      '',
    ].join('\n'),
  )
})

test('a row is one line for programs, and the column keeps some room on the narrowest terminal', () => {
  expect(wrapped(ROWS, COLUMNS, null)).toContain('\na            one two three four five six seven\n')
  expect(wrapped(ROWS, COLUMNS, 1)).toBe(wrapped(ROWS, COLUMNS, 37))
})

test('where a column before it takes all the room, that one is folded too', () => {
  const columns: Column<string[]>[] = [
    ['ID', (row) => row[0]],
    ['CHOSEN', (row) => row[1]],
    ['QUESTION', (row) => row[2]],
  ]
  const rows = [['a', 'timestamp, nonce, signature, rate limit, scope', 'In which order is it checked, and by whom?']]
  expect(wrapped(rows, columns, 56)).toBe(
    [
      'ID  CHOSEN                  QUESTION',
      'a   timestamp, nonce,       In which order is it',
      '    signature, rate limit,  checked, and by whom?',
      '    scope',
      '',
    ].join('\n'),
  )
})
